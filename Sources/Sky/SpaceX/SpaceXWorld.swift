// The collections of the SpaceX API, made of the table of launches and the assets.

import JSON

/// All entries, as version 5 of the service has them; they do not change.
struct SpaceXWorld: Sendable {
  private(set) var collections: [String: [Value]] = [:]
  /// What is one entry and no collection.
  let single = ["company": SpaceXAssets.company, "roadster": SpaceXAssets.roadster]
  /// An object of the entries, by collection and id.
  private(set) var index = Value.emptyObject
  /// What the addresses of pictures begin with.
  private let origin: String

  init(origin: String) {
    self.origin = origin
    let flights = SpaceXFlight.all
    collections = [
      "launches": flights.map(launch), "payloads": flights.flatMap(payloads), "rockets": rockets,
      "cores": cores, "launchpads": launchpads, "landpads": landpads, "ships": ships, "crew": crew,
      "capsules": capsules, "dragons": dragons, "starlink": [], "history": [],
    ]
    for (name, entries) in collections {
      let keys = entries.map { Key($0.member("id")?.string ?? "") }
      index.setMember(Key(name), .object(Shape(keys), entries))
    }
  }

  /// The entry of a collection with an id.
  func entry(_ id: String, of collection: String) -> Value? {
    index.member(collection)?.member(id)
  }

  /// 24 hexadecimal digits.
  private func id(_ kind: String, _ number: Int) -> Value {
    var random = SkyRandom(0, "spacex \(kind)", number)
    return .string("5eb87cd9" + SkyRandom.hexadecimal(random.next()))
  }

  private func ids(_ kind: String, _ numbers: [Int]) -> Value { .array(numbers.map { id(kind, $0) }) }

  /// The launches for which a condition holds, by their ids.
  private func launches(_ isIt: (SpaceXFlight) -> Bool) -> Value {
    .array(SpaceXFlight.all.filter(isIt).map { id("launch", $0.number) })
  }

  private func photo(_ name: String) -> Value { .string("\(origin)/pictures/photos/\(name).png") }

  // MARK: Launches

  private func launch(_ flight: SpaceXFlight) -> Value {
    let pad = SpaceXAssets.launchpads[flight.pad]
    let isSummer = pad.hasSummer && flight.date.isAmericanSummer(hoursWest: -pad.hoursEast)
    let fire = flight.knows("s") ? flight.date + Double(-86400 * (4 + flight.number % 7)) : nil
    // Nobody corrected the numbers after some launches had been put in another order.
    let twice = (flight.number >= 188 ? 1 : 0) + (flight.number >= 199 ? 1 : 0)
    return .record([
      "fairings": fairings(flight), "links": links(flight),
      "static_fire_date_utc": .text(fire?.isoWithMilliseconds),
      "static_fire_date_unix": .count(fire?.seconds), "net": false,
      "window": flight.knows("n") ? .number([0, 900, 7200, 14_400][flight.number % 4]) : .null,
      "rocket": id("rocket", flight.rocket), "success": .flag(flight.success), "failures": failures(flight),
      "details": flight.knows("d") ? .string(details(flight)) : .null, "crew": .array(crew(of: flight)),
      "ships": ids("ship", flight.ships), "capsules": ids("capsule", flight.capsule.map { [$0] } ?? []),
      "payloads": ids("payload", (0..<flight.payloads).map { flight.number * 2 + $0 }),
      "launchpad": id("launchpad", flight.pad), "flight_number": .number(flight.number + 1 - twice),
      "name": .string(flight.name), "date_utc": .string(flight.date.isoWithMilliseconds),
      "date_unix": .number(flight.date.seconds),
      "date_local": .string(flight.date.iso(minutesEast: (pad.hoursEast + (isSummer ? 1 : 0)) * 60)),
      "date_precision": .string(flight.precision), "upcoming": .bool(!flight.isPast),
      "cores": .array(flight.cores.map { core($0, flight) }), "auto_update": true, "tbd": false,
      "launch_library_id": flight.knows("i") ? .string(uuid(flight)) : .null,
      "id": id("launch", flight.number),
    ])
  }

  private func uuid(_ flight: SpaceXFlight) -> String {
    var random = SkyRandom(0, "spacex library", flight.number)
    return random.uuid()
  }

  private func core(_ core: SpaceXFlight.Core, _ flight: SpaceXFlight) -> Value {
    func plan(_ flag: Bool) -> Value { .flag(flight.isPast ? flag : nil) }
    let lands = core.landing != nil
    return .record([
      "core": core.core.map { id("core", $0) } ?? .null, "flight": .count(core.flight),
      "gridfins": plan(lands && core.landing != .ocean), "legs": plan(lands), "reused": .flag(core.isReused),
      "landing_attempt": plan(lands), "landing_success": .flag(core.hasLanded),
      "landing_type": .text(core.landing?.rawValue),
      "landpad": core.landpad.map { id("landpad", $0) } ?? .null,
    ])
  }

  private func fairings(_ flight: SpaceXFlight) -> Value {
    guard let state = flight.fairings else { return .null }
    let isKnown = state != "?"
    let tries = isKnown && state != "n"
    return .record([
      "reused": .flag(isKnown ? state == "r" : nil), "recovery_attempt": .flag(flight.isPast ? tries : nil),
      "recovered": .flag(isKnown ? tries && state != "l" : nil),
      "ships": ids("ship", tries ? Array(flight.ships.prefix(1)) : []),
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
    return .record([
      "patch": .record([
        "small": page("p", "\(origin)/pictures/patches/\(slug).png"),
        "large": page("p", "\(origin)/pictures/patches/\(slug)_large.png"),
      ]),
      "reddit": .record([
        "campaign": thread("c", "campaign"), "launch": thread("l", "launch"), "media": thread("m", "media"),
        "recovery": thread("r", "recovery"),
      ]),
      "flickr": .record([
        "small": [], "original": .array((0..<flight.photos).map { photo("\(slug)-\($0 + 1)") }),
      ]),
      "presskit": page("k", "https://press.example/kits/\(slug)"),
      "webcast": page("v", "https://youtu.be/\(video)"), "youtube_id": page("v", video),
      "article": page("a", "https://news.example/\(flight.date.date.year)/\(slug)"),
      "wikipedia": page("w", "https://encyclopedia.example/wiki/\(slug)"),
    ])
  }

  private func failures(_ flight: SpaceXFlight) -> Value {
    guard let failure = SpaceXFlight.failures[flight.number] else { return .array([]) }
    return .array([
      .record([
        "time": .number(failure.time), "altitude": .count(failure.altitude),
        "reason": .string(failure.reason),
      ])
    ])
  }

  private func details(_ flight: SpaceXFlight) -> String {
    if let failure = SpaceXFlight.failures[flight.number] {
      return "The mission ended early: \(failure.reason)."
    }
    let cargo =
      switch flight.series {
      case "Trial": "a test of the vehicle"
      case "Courier": "supplies for the station, and came back with samples"
      case "Pilgrim": "four people to the station"
      case "Starling": "a batch of satellites to a low orbit, from where they climb by themselves"
      case "Caravan": "some dozens of small satellites for many customers"
      default: "one satellite on its way to its orbit"
      }
    return "\(flight.name) left \(SpaceXAssets.launchpads[flight.pad].name) and brought \(cargo)."
  }

  private func crew(of flight: SpaceXFlight) -> [Value] {
    zip(["Commander", "Pilot", "Mission Specialist 1", "Mission Specialist 2"], flight.crew).map {
      role, person in
      .record(["crew": id("crew", person), "role": .string(role)])
    }
  }

  private func payloads(_ flight: SpaceXFlight) -> [Value] {
    (0..<flight.payloads).map { part in
      let capsule = part == 0 ? flight.capsule : nil
      let isOwn = capsule != nil || flight.series == "Starling"
      var payload = SpaceXAssets.payload.adding([
        "name": .string(part == 0 ? flight.name : "\(flight.name) companion"),
        "launch": id("launch", flight.number),
        "mass_kg": flight.number % 5 == 0 ? .null : .number(200 + flight.number * 60),
        "mass_lbs": flight.number % 5 == 0 ? .null : .number(Double(200 + flight.number * 60) * 2.2046),
        "id": id("payload", flight.number * 2 + part),
      ])
      if isOwn || flight.series == "Caravan" || flight.series == "Trial" {
        let orbit = capsule != nil ? "ISS" : isOwn ? "VLEO" : flight.series == "Trial" ? "LEO" : "SSO"
        payload = payload.adding(["orbit": .string(orbit), "regime": "low-earth"])
      }
      guard isOwn else { return payload }
      payload = payload.adding(["manufacturers": .array([.string("SpaceX")])])
      guard let capsule else { return payload.adding(["customers": .array([.string("SpaceX")])]) }
      let dragon = payload.member("dragon")?.adding([
        "capsule": id("capsule", capsule), "water_landing": .flag(flight.isPast ? true : nil),
        "land_landing": .flag(flight.isPast ? false : nil),
      ])
      return payload.adding([
        "dragon": dragon ?? .null, "type": .string(flight.crew.isEmpty ? "Dragon 1.1" : "Crew Dragon"),
        "customers": .array([.string("NASA")]),
      ])
    }
  }

  // MARK: What they fly on

  private var rockets: [Value] {
    SpaceXAssets.rockets.enumerated().map { number, rocket in
      let known = SpaceXFlight.all.filter { $0.rocket == number && $0.success != nil }
      let good = known.count { $0.success == true }
      let name = LaunchShape.fileName(rocket.member("name")?.string ?? "")
      return rocket.adding([
        "flickr_images": .array((1...4).map { photo("\(name)-\($0)") }),
        "success_rate_pct": .number(known.isEmpty ? 0 : good * 100 / known.count), "id": id("rocket", number),
      ])
    }
  }

  private var cores: [Value] {
    var uses: [Int: [(flight: SpaceXFlight, core: SpaceXFlight.Core)]] = [:]
    for flight in SpaceXFlight.all {
      for core in flight.cores {
        if let number = core.core { uses[number, default: []].append((flight, core)) }
      }
    }
    return uses.sorted { $0.key < $1.key }.map { number, uses in
      let past = uses.filter(\.flight.isPast)
      func count(_ landing: SpaceXFlight.Landing, landed: Bool = false) -> Value {
        .number(past.count { $0.core.landing == landing && (!landed || $0.core.hasLanded == true) })
      }
      let block = [2014: 2, 2015: 2, 2016: 4, 2017: 4][uses[0].flight.date.date.year]
      let isFirst = uses[0].flight.rocket == 0
      return .record([
        "block": isFirst ? .null : .number(block ?? (number < 15 ? 1 : 5)),
        "reuse_count": .number(max(0, past.count - 1)), "rtls_attempts": count(.land),
        "rtls_landings": count(.land, landed: true), "asds_attempts": count(.ship),
        "asds_landings": count(.ship, landed: true),
        "last_update": number % 3 == 0 ? .null : .text(past.last.map { "Flew \($0.flight.name)" }),
        "launches": .array(uses.map { id("launch", $0.flight.number) }),
        "serial": .string(isFirst ? "Merlin\(number + 1)A" : "B\(996 + number)"),
        "status": .string(past.last.map { status($0.flight, $0.core) } ?? "active"), "id": id("core", number),
      ])
    }
  }

  /// What became of a core after its last launch.
  private func status(_ flight: SpaceXFlight, _ core: SpaceXFlight.Core) -> String {
    guard let landing = core.landing else { return flight.success == false ? "lost" : "expended" }
    guard let hasLanded = core.hasLanded else { return "unknown" }
    if !hasLanded || landing == .ocean { return "lost" }
    return flight.date.date.year < 2022 ? "inactive" : "active"
  }

  private var launchpads: [Value] {
    SpaceXAssets.launchpads.enumerated().map { number, pad in
      let here = SpaceXFlight.all.filter { $0.pad == number && $0.isPast }
      return .record([
        "images": .record(["large": .array([photo("launchpad-\(number)")])]), "name": .string(pad.name),
        "full_name": .string(pad.fullName), "locality": .string(pad.locality), "region": .string(pad.region),
        "latitude": .number(pad.latitude), "longitude": .number(pad.longitude),
        "launch_attempts": .number(here.count),
        "launch_successes": .number(here.count { $0.success == true }),
        "rockets": ids("rocket", Set(here.map(\.rocket)).sorted()), "timezone": .string(pad.type),
        "launches": launches { $0.pad == number && $0.isPast }, "status": .string(pad.status),
        "details": "\(pad.fullName), near \(pad.locality), \(pad.region).", "id": id("launchpad", number),
      ])
    }
  }

  private var landpads: [Value] {
    SpaceXAssets.landpads.enumerated().map { number, pad in
      let here = SpaceXFlight.all.flatMap(\.cores).filter { $0.landpad == number }
      return .record([
        "images": .record(["large": .array([photo("landpad-\(number)")])]), "name": .string(pad.name),
        "full_name": .string(pad.fullName), "status": .string(pad.status), "type": .string(pad.type),
        "locality": .string(pad.locality), "region": .string(pad.region), "latitude": .number(pad.latitude),
        "longitude": .number(pad.longitude), "landing_attempts": .number(here.count),
        "landing_successes": .number(here.count { $0.hasLanded == true }), "wikipedia": .null,
        "details": "\(pad.fullName), where first stages come down.",
        "launches": launches { $0.cores.contains { $0.landpad == number } }, "id": id("landpad", number),
      ])
    }
  }

  // MARK: Ships, people and capsules

  private var ships: [Value] {
    SpaceXAssets.ships.enumerated().map { number, name in
      let ship = SpaceXAssets.ship.adding([
        "legacy_id": .string(name.uppercased().filter { $0 != " " }),
        "mmsi": .number(366_000_000 + number * 7919),
        "image": photo("ship-\(number)"), "name": .string(name), "active": .bool(number % 4 != 3),
        "launches": launches { $0.ships.contains(number) }, "id": id("ship", number),
      ])
      if number % 3 != 0 { return ship }
      return ship.adding(["type": "Tug", "roles": .array([.string("Support Ship")])])
    }
  }

  private var crew: [Value] {
    APODWords.people.enumerated().map { number, name in
      .record([
        "name": .string(name), "agency": .string(["NASA", "JAXA", "ESA", "SpaceX"][number % 4]),
        "image": photo("person-\(number)"),
        "wikipedia": "https://encyclopedia.example/wiki/\(LaunchShape.fileName(name))",
        "launches": launches { $0.crew.contains(number) }, "status": "active", "id": id("crew", number),
      ])
    }
  }

  private var capsules: [Value] {
    let count = (SpaceXFlight.all.compactMap(\.capsule).max() ?? -1) + 1
    return (0..<count).map { number in
      let flown = SpaceXFlight.all.count { $0.capsule == number && $0.isPast }
      let isNew = number > 8
      return .record([
        "reuse_count": .number(max(0, flown - 1)), "water_landings": .number(flown), "land_landings": 0,
        "last_update": "Splashed down as planned", "launches": launches { $0.capsule == number },
        "serial": "C\(isNew ? 192 + number : 101 + number)", "status": .string(isNew ? "active" : "retired"),
        "type": .string(isNew ? "Dragon 2.0" : "Dragon 1.0"), "dragon": id("dragon", isNew ? 1 : 0),
        "id": id("capsule", number),
      ])
    }
  }

  private var dragons: [Value] {
    (SpaceXAssets.dragons.items ?? []).enumerated().map { number, dragon in
      dragon.adding(["flickr_images": .array([photo("dragon-\(number + 1)")]), "id": id("dragon", number)])
    }
  }
}
