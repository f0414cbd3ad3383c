// The collections of the SpaceX API: launches and payloads are made of the table of launches, the others are data.

import JSON

/// All entries; they do not change.
struct SpaceXWorld: Sendable {
  static let all = SpaceXWorld()
  /// With what the addresses of pictures begin here; an answer has the origin of its request instead.
  static let origin = "http://origin.example"

  private(set) var collections: [String: [Value]] = [:]
  /// The launches of version 4, which lists the ids of the crew, without roles.
  private(set) var launchesOfVersion4: [Value] = []
  /// What is one entry and no collection.
  private(set) var single: [String: Value] = [:]
  /// An object of the entries, by collection and id.
  private(set) var index = Value.emptyObject
  private let data = SkyData.json(PackageResources.spacex_json)

  private init() {
    for name in ["company", "roadster"] { single[name] = data.member(name) }
    for name in ["rockets", "cores", "launchpads", "landpads", "ships", "crew", "capsules", "dragons"] {
      collections[name] = data.member(name)?.items
    }
    let launches = SpaceXFlight.all.map(launch)
    // The entries to which launches refer have the ids of these.
    var users: [String: [Value]] = [:]
    for launch in launches {
      for id in Set(Self.texts(launch)) { users[id, default: []].append(launch.member("id") ?? .null) }
    }
    collections = collections.mapValues { entries in
      entries.map { entry in
        guard entry.member("launches") != nil, let id = entry.member("id")?.string else { return entry }
        return entry.adding(["launches": .array(users[id] ?? [])])
      }
    }
    collections["payloads"] = SpaceXFlight.all.flatMap { flight in
      (0..<flight.payloads).map { payload($0, of: flight) }
    }
    collections["launches"] = launches
    launchesOfVersion4 = launches.map { launch in
      let crew = launch.member("crew")?.items ?? []
      return launch.adding(["crew": .array(crew.compactMap { $0.member("crew") })])
    }
    for name in ["starlink", "history"] { collections[name] = [] }
    for (name, entries) in collections {
      let keys = entries.map { Key($0.member("id")?.string ?? "") }
      index.setMember(Key(name), .object(Shape(keys), entries))
    }
  }

  /// All texts within a value.
  private static func texts(_ value: Value) -> [String] {
    if let text = value.string { return [text] }
    return (value.items ?? value.keys.compactMap { value.member($0) }).flatMap(texts)
  }

  /// 24 hexadecimal digits.
  private func id(_ kind: String, _ number: Int) -> Value {
    var random = SkyRandom(0, "spacex \(kind)", number)
    return .string("5eb87cd9" + SkyRandom.hexadecimal(random.next()))
  }

  /// The id of the entry at a place of a collection.
  private func id(of place: Int?, in collection: String) -> Value {
    place.flatMap { collections[collection]?[$0].member("id") } ?? .null
  }

  private func ids(of places: [Int], in collection: String) -> Value {
    .array(places.map { id(of: $0, in: collection) })
  }

  // MARK: Launches

  private func launch(_ flight: SpaceXFlight) -> Value {
    let fire = flight.knows("s") ? flight.date + Double(-86400 * (4 + flight.number % 7)) : nil
    // Nobody corrected the numbers after some launches had been put in another order.
    let twice = (flight.number >= 188 ? 1 : 0) + (flight.number >= 199 ? 1 : 0)
    var random = SkyRandom(0, "spacex library", flight.number)
    let failure = data.member("failures")?.member("\(flight.number)")
    let details =
      failure?.member("reason")?.string.map { "The mission ended early: \($0)." }
      ?? "\(flight.name) brought its payload to its orbit."
    return .record([
      "fairings": fairings(flight), "links": links(flight),
      "static_fire_date_utc": .text(fire?.isoWithMilliseconds),
      "static_fire_date_unix": .count(fire?.seconds), "net": false,
      "window": flight.knows("n") ? .number([0, 900, 7200, 14_400][flight.number % 4]) : .null,
      "rocket": id(of: flight.rocket, in: "rockets"), "success": .flag(flight.success),
      "failures": .array(failure.map { [$0] } ?? []), "details": flight.knows("d") ? .string(details) : .null,
      "crew": .array(crew(of: flight)), "ships": ids(of: flight.ships, in: "ships"),
      "capsules": ids(of: flight.capsule.map { [$0] } ?? [], in: "capsules"),
      "payloads": .array((0..<flight.payloads).map { id("payload", flight.number * 2 + $0) }),
      "launchpad": id(of: flight.pad, in: "launchpads"), "flight_number": .number(flight.number + 1 - twice),
      "name": .string(flight.name), "date_utc": .string(flight.date.isoWithMilliseconds),
      "date_unix": .number(flight.date.seconds),
      "date_local": .string(flight.date.iso(hoursEast: flight.hoursEast)),
      "date_precision": .string(flight.precision), "upcoming": .bool(!flight.isPast),
      "cores": .array(flight.cores.map { core($0, flight) }), "auto_update": true, "tbd": false,
      "launch_library_id": flight.knows("i") ? .string(random.uuid()) : .null,
      "id": id("launch", flight.number),
    ])
  }

  private func core(_ core: SpaceXFlight.Core, _ flight: SpaceXFlight) -> Value {
    func plan(_ flag: Bool) -> Value { .flag(flight.isPast ? flag : nil) }
    let lands = core.landing != nil
    return .record([
      "core": id(of: core.core, in: "cores"), "flight": .count(core.flight),
      "gridfins": plan(lands && core.landing != "Ocean"), "legs": plan(lands),
      "reused": .flag(core.isReused), "landing_attempt": plan(lands),
      "landing_success": .flag(core.hasLanded),
      "landing_type": .text(core.landing), "landpad": id(of: core.landpad, in: "landpads"),
    ])
  }

  private func fairings(_ flight: SpaceXFlight) -> Value {
    guard let state = flight.fairings else { return .null }
    let isKnown = state != "?"
    let tries = isKnown && state != "n"
    return .record([
      "reused": .flag(isKnown ? state == "r" : nil), "recovery_attempt": .flag(flight.isPast ? tries : nil),
      "recovered": .flag(isKnown ? tries && state != "l" : nil),
      "ships": ids(of: tries ? Array(flight.ships.prefix(1)) : [], in: "ships"),
    ])
  }

  /// Pictures are the sky's own; the other addresses lead nowhere.
  private func links(_ flight: SpaceXFlight) -> Value {
    let slug = flight.slug
    func page(_ thing: Character, _ address: String) -> Value {
      flight.knows(thing) ? .string(address) : .null
    }
    func thread(_ thing: Character, _ name: String) -> Value {
      page(thing, "https://forum.example/r/spacex/comments/\(slug)-\(name)")
    }
    var random = SkyRandom(0, "spacex video", flight.number)
    let video = APODDay.videoID(&random)
    let pictures = "\(Self.origin)/pictures"
    return .record([
      "patch": .record([
        "small": page("p", "\(pictures)/patches/\(slug).png"),
        "large": page("p", "\(pictures)/patches/\(slug)_large.png"),
      ]),
      "reddit": .record([
        "campaign": thread("c", "campaign"), "launch": thread("l", "launch"), "media": thread("m", "media"),
        "recovery": thread("r", "recovery"),
      ]),
      "flickr": .record([
        "small": [],
        "original": .array((0..<flight.photos).map { "\(pictures)/photos/\(slug)-\($0 + 1).png" }),
      ]),
      "presskit": page("k", "https://press.example/kits/\(slug)"),
      "webcast": page("v", "https://youtu.be/\(video)"), "youtube_id": page("v", video),
      "article": page("a", "https://news.example/\(flight.date.date.year)/\(slug)"),
      "wikipedia": page("w", "https://encyclopedia.example/wiki/\(slug)"),
    ])
  }

  private func crew(of flight: SpaceXFlight) -> [Value] {
    zip(["Commander", "Pilot", "Mission Specialist 1", "Mission Specialist 2"], flight.crew).map {
      .record(["crew": id(of: $1, in: "crew"), "role": .string($0)])
    }
  }

  private func payload(_ part: Int, of flight: SpaceXFlight) -> Value {
    let mass = flight.number % 5 == 0 ? nil : 200 + flight.number * 60
    let payload = (data.member("payload") ?? .null).adding([
      "name": .string(part == 0 ? flight.name : "\(flight.name) companion"),
      "launch": id("launch", flight.number), "mass_kg": .count(mass),
      "mass_lbs": mass.map { .number(Double($0) * 2.2046) } ?? .null,
      "id": id("payload", flight.number * 2 + part),
    ])
    guard part == 0, let capsule = flight.capsule else { return payload }
    let dragon = payload.member("dragon")?.adding([
      "capsule": id(of: capsule, in: "capsules"), "water_landing": .flag(flight.isPast ? true : nil),
      "land_landing": .flag(flight.isPast ? false : nil),
    ])
    return payload.adding([
      "dragon": dragon ?? .null, "type": .string(flight.crew.isEmpty ? "Dragon 1.1" : "Crew Dragon"),
      "customers": .array(["NASA"]), "manufacturers": .array(["SpaceX"]), "orbit": "ISS",
      "regime": "low-earth",
    ])
  }
}
