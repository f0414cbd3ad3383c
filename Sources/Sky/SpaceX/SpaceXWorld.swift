// All the service's collections as they are at a moment.

import JSON

/// The collections, each entry as version 5 of the service has it.
struct SpaceXWorld: Sendable {
  private(set) var collections: [String: [Value]] = [:]
  /// What is one entry and no collection.
  private(set) var single: [String: Value] = [:]
  /// Where entries are, by collection and id.
  private var places: [String: [String: Int]] = [:]

  /// - Parameter now: nil for the world as it was in October of 2022, of which nothing changes any more.
  init(seed: UInt64, at now: SkyTime?, origin: String) {
    let moment = now ?? SpaceXSchedule.freeze
    let history = SpaceXHistory(count: SpaceXSchedule.known(at: moment, seed: seed), seed: seed)
    let writer = SpaceXLaunch(seed: seed, origin: origin)
    let news = history.flights.map { SpaceXNews($0, at: moment, seed: seed) }
    // Those that have flown in their order, then the others as they are announced.
    let order =
      news.filter(\.isPast)
      + news.filter { !$0.isPast }.sorted { ($0.date, $0.flight.number) < ($1.date, $1.flight.number) }
    let launches = order.enumerated().map { place, news in
      // In what nobody looks after any more, two numbers are there twice.
      let twice = now == nil ? (place >= 188 ? 1 : 0) + (place >= 199 ? 1 : 0) : 0
      return writer.value(news, number: place + 1 - twice)
    }
    collections["launches"] = launches
    addParts(of: launches, history, news, writer)
    for (name, entries) in collections {
      for (place, entry) in entries.enumerated() {
        if let id = entry.member("id")?.string { places[name, default: [:]][id] = place }
      }
    }
  }

  /// The entry of a collection with an id; nil where there is none.
  func entry(_ id: String, of collection: String) -> Value? {
    places[collection]?[id].flatMap { collections[collection]?[$0] }
  }

  private mutating func addParts(
    of launches: [Value], _ history: SpaceXHistory, _ news: [SpaceXNews], _ writer: SpaceXLaunch
  ) {
    let (seed, origin) = (writer.seed, writer.origin)
    // Who was part of which launches, by kind and id.
    var parts: [String: [Value]] = [:]
    for launch in launches {
      guard let id = launch.member("id") else { continue }
      for (kind, path) in [("ships", ["ships"]), ("capsules", ["capsules"]), ("crew", ["crew", "crew"])] {
        for part in SpaceXPath.values(launch, path[...]).flatMap({ $0?.items ?? [$0 ?? .null] }) {
          if let name = part.string { parts["\(kind) \(name)", default: []].append(id) }
        }
      }
    }
    let small = SpaceXSmallThings(seed: seed, origin: origin) { kind, id in parts["\(kind) \(id)"] ?? [] }
    collections["ships"] = small.shipEntries
    collections["crew"] = small.crewEntries
    collections["capsules"] = small.capsuleEntries(history.capsules)
    collections["dragons"] = small.dragonEntries
    collections["starlink"] = []
    collections["history"] = []
    single = ["company": small.company, "roadster": small.roadster]
    let flown = SpaceXFlown(news: news, history: history, writer: writer)
    let rocketIDs = SpaceXFlight.Rocket.allCases.map { SpaceXID.id(seed, "rocket", $0.rawValue) }
    collections["rockets"] = SpaceXRockets.values(ids: rocketIDs, origin: origin, successes: flown.successes)
    collections["cores"] = flown.cores
    collections["launchpads"] = flown.launchpads
    collections["landpads"] = flown.landpads
    collections["payloads"] = news.flatMap { news in
      (0..<news.flight.payloads).map { SpaceXPayload.value(news, part: $0, writer) }
    }
  }
}
