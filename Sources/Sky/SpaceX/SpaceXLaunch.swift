// A launch as the service answers it.

import JSON

/// Writes launches: version 5 of them, of which version 4 differs in its crew alone.
struct SpaceXLaunch {
  let seed: UInt64
  let origin: String

  func id(_ kind: String, _ number: Int) -> Value { .string(SpaceXID.id(seed, kind, number)) }

  func launchID(_ flight: SpaceXFlight) -> String {
    // It was entered some months before it flew, and never before there was the service.
    SpaceXID.id(
      seed, "launch", flight.number, made: max(SkyDate(2020, 5, 10).start, flight.date + -100 * 86400))
  }

  func value(_ news: SpaceXNews, number: Int) -> Value {
    let flight = news.flight
    let minutes = SpaceXPads.minutesEast(of: flight.launchpad, at: news.date)
    let fire = staticFire(news)
    var library = news.random("library")
    let isInLibrary = flight.number >= 110 && news.has("library", 0.82, after: -80...(-5))
    return .record([
      "fairings": fairings(news), "links": SpaceXLinks(news, origin).value,
      "static_fire_date_utc": .text(fire?.isoWithMilliseconds),
      "static_fire_date_unix": .count(fire?.seconds),
      "net": .bool(false), "window": .count(window(news)), "rocket": id("rocket", flight.rocket.rawValue),
      "success": .flag(news.isTold ? flight.success : nil),
      "failures": .array(news.isTold ? failures(flight) : []),
      "details": news.has("details", 0.72, after: 0.2...3) ? .string(details(flight)) : .null,
      "crew": .array(
        zip(["Commander", "Pilot", "Mission Specialist 1", "Mission Specialist 2"], flight.crew).map {
          role, person in
          .record(["crew": id("crew", person), "role": .string(role)])
        }),
      "ships": .array(ships(news)), "capsules": .array(flight.capsule.map { [id("capsule", $0)] } ?? []),
      "payloads": .array((0..<flight.payloads).map { id("payload", flight.number * 2 + $0) }),
      "launchpad": id("launchpad", flight.launchpad), "flight_number": .number(number),
      "name": .string(name(news)), "date_utc": .string(news.date.isoWithMilliseconds),
      "date_unix": .number(news.date.seconds), "date_local": .string(news.date.iso(minutesEast: minutes)),
      "date_precision": .string(news.precision), "upcoming": .bool(!news.isPast),
      "cores": .array(flight.cores.map { core($0, news) }), "auto_update": .bool(true), "tbd": .bool(false),
      "launch_library_id": isInLibrary ? .string(SpaceXID.uuid(&library)) : .null,
      "id": .string(launchID(flight)),
    ])
  }

  /// Some are called something else once others fly with them.
  private func name(_ news: SpaceXNews) -> String {
    let hasCompany = news.has("company", 0.05, after: -60...(-5))
    return hasCompany ? "\(news.flight.name) & Company" : news.flight.name
  }

  private func core(_ core: SpaceXFlight.Core, _ news: SpaceXNews) -> Value {
    let isKnown = news.knowsCores && core.core != nil
    let attempts = core.landing != nil
    let flies = news.knowsCores || news.has("core \(core.flight)", 0.75, after: -200...(-190))
    let hasPlan = news.knowsCores
    return .record([
      "core": isKnown ? core.core.map { id("core", $0) } ?? .null : .null,
      "flight": .count(isKnown ? core.flight : nil),
      "gridfins": .flag(hasPlan ? attempts && core.landing != .ocean : nil),
      "legs": .flag(hasPlan ? attempts : nil),
      "reused": .flag(flies ? core.flight > 1 : nil), "landing_attempt": .flag(hasPlan ? attempts : nil),
      "landing_success": .flag(news.isTold ? core.hasLanded : nil),
      "landing_type": .text(hasPlan ? core.landing?.rawValue : nil),
      "landpad": hasPlan ? core.landpad.map { id("landpad", $0) } ?? .null : .null,
    ])
  }

  /// A capsule flies without.
  private func fairings(_ news: SpaceXNews) -> Value {
    if news.flight.capsule != nil { return .null }
    var random = news.random("fairings")
    let isUnknown = random.happens(0.36)
    let tries = news.flight.number > 60 && random.happens(0.8)
    let (reused, recovered) = (tries && random.happens(0.6), random.happens(0.7))
    let knows = news.isPast && !isUnknown
    let ship = Int.random(in: 0..<SpaceXSmallThings.ships.count, using: &random)
    return .record([
      "reused": .flag(knows ? reused : nil), "recovery_attempt": .flag(news.isPast ? tries : nil),
      "recovered": .flag(knows && news.isTold ? tries && recovered : nil),
      "ships": .array(tries && news.isPast ? [id("ship", ship)] : []),
    ])
  }

  private func ships(_ news: SpaceXNews) -> [Value] {
    guard news.flight.number > 12, news.has("ships", 0.69, after: -1...1) else { return [] }
    var random = news.random("ships")
    let all = SpaceXSmallThings.ships.indices.shuffled(using: &random)
    return all.prefix(Int.random(in: 1...3, using: &random)).map { id("ship", $0) }
  }

  private func staticFire(_ news: SpaceXNews) -> SkyTime? {
    guard news.has("static fire", news.flight.number > 90 ? 0.45 : 0.85, after: -4...(-3)) else { return nil }
    var random = news.random("static fire")
    let days = Double.random(in: 4...12, using: &random)
    var time = news.flight.date + -days * 86400
    time.milliseconds -= time.milliseconds % 60_000
    return time
  }

  private func window(_ news: SpaceXNews) -> Int? {
    guard news.has("window", 0.63, after: -25...(-10)) else { return nil }
    var random = news.random("window")
    return [0, 0, 30, 900, 1560, 2520, 5400, 7200, 8640, 14_400].randomElement(using: &random)
  }

  private func failures(_ flight: SpaceXFlight) -> [Value] {
    guard let failure = flight.failure else { return [] }
    return [
      .record([
        "time": .number(failure.time), "altitude": .count(failure.altitude),
        "reason": .string(failure.reason),
      ])
    ]
  }

  private func details(_ flight: SpaceXFlight) -> String {
    if let failure = flight.failure { return "The mission ended early: \(failure.reason)." }
    let pad = SpaceXPads.place(flight.launchpad).name
    let what =
      switch flight.family {
      case .demonstration: "a test of the vehicle"
      case .cargo: "supplies for the station, and came back with samples"
      case .crew: "four people to the station"
      case .constellation: "a batch of satellites to a low orbit, from where they climb by themselves"
      case .rideshare: "some dozens of small satellites for many customers"
      case .satellite: "one satellite on its way to its orbit"
      }
    let landing =
      switch flight.cores.first?.landing {
      case .ship: " The first stage came down on a ship."
      case .land: " The first stage came back to land."
      case .ocean: " The first stage made for the water."
      case nil: ""
      }
    return "\(flight.name) left \(pad) and brought \(what).\(landing)"
  }
}
