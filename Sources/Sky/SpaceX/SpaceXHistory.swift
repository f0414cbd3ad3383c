// All flights one after the other: which core flies again depends on which came back.

/// The flights up to some number, and the cores they took.
struct SpaceXHistory: Sendable {
  /// A first stage.
  struct Booster: Sendable {
    var serial: String
    var block: Int?
    /// The flights it took part in.
    var flights: [Int] = []
    var isAway = false
  }

  private(set) var flights: [SpaceXFlight] = []
  private(set) var boosters: [Booster] = []
  private(set) var capsules = 0
  /// How many missions each series has had, for their names.
  private var missions: [String: Int] = [:]
  /// Of these, how it went was never said.
  private let unknownOutcome: Int

  init(count: Int, seed: UInt64) {
    var random = SkyRandom(seed, "unknown outcome")
    // One of a series of which there are many.
    unknownOutcome = Int.random(in: 150..<160, using: &random)
    for number in 0..<count { add(number, seed) }
  }

  private static let failures: [Int: SpaceXFlight.Failure] = [
    0: .init(time: 31, altitude: nil, reason: "loss of thrust after a fuel line burnt through"),
    1: .init(time: 298, altitude: 285, reason: "slosh in the second stage led to an early shutdown"),
    2: .init(time: 142, altitude: 36, reason: "the stages met again after they had parted"),
    24: .init(time: 141, altitude: 41, reason: "a strut in the upper stage gave way"),
    33: .init(time: -12_000, altitude: 0, reason: "a helium vessel burst while tanking on the pad"),
  ]
  private static let heavies: Set = [54, 76, 79, 192, 200]
  private static let crewed: Set = [93, 100, 113, 122, 139, 151, 163, 185]

  private mutating func add(_ number: Int, _ seed: UInt64) {
    var random = SkyRandom(seed, "flight", number)
    let date = SpaceXSchedule.date(of: number, seed: seed)
    let isHeavy = number < 205 ? Self.heavies.contains(number) : number % 40 == 13
    let rocket: SpaceXFlight.Rocket = number < 5 ? .falcon1 : isHeavy ? .falconHeavy : .falcon9
    let family = family(number, rocket, &random)
    let failure = Self.failures[number]
    let success: Bool? = failure != nil ? false : number == unknownOutcome ? nil : true
    var flight = SpaceXFlight(
      number: number, date: date, rocket: rocket, family: family, name: name(family, &random),
      launchpad: launchpad(date, rocket, family, &random), success: success, failure: failure, cores: [],
      payloads: random.happens(0.055) ? 0 : random.happens(0.16) ? 2 : 1,
      capsule: family == .cargo || family == .crew ? capsule(&random) : nil,
      crew: family == .crew ? (0..<4).map { ($0 + number) % SpaceXSmallThings.people } : [])
    for place in 0..<(rocket == .falconHeavy ? 3 : 1) {
      flight.cores.append(core(of: flight, side: place, &random))
    }
    flights.append(flight)
  }

  private func family(_ number: Int, _ rocket: SpaceXFlight.Rocket, _ random: inout SkyRandom)
    -> SpaceXFlight.Family
  {
    if rocket == .falcon1 || number == 5 { return .demonstration }
    if rocket == .falconHeavy { return .satellite }
    if number < 205 ? Self.crewed.contains(number) : number % 16 == 2 { return .crew }
    if random.happens(0.125) { return .cargo }
    if number > 100, number % 23 == 20 { return .rideshare }
    return number >= 78 && random.happens(0.7) ? .constellation : .satellite
  }

  private mutating func name(_ family: SpaceXFlight.Family, _ random: inout SkyRandom) -> String {
    let satellites = [
      "Aurelia", "Meridian", "Telvar", "Orvika", "Halcyon", "Bluewater", "Corvina", "Sestra", "Tamarin",
      "Nimbrel", "Ostara", "Quillon", "Farsight", "Lodestar", "NRX", "Geodesy", "Sandpiper", "Tidewatch",
    ]
    let series =
      switch family {
      case .demonstration: "Trial"
      case .cargo: "Courier"
      case .crew: "Pilgrim"
      case .constellation: "Starling"
      case .rideshare: "Caravan"
      case .satellite: satellites.randomElement(using: &random) ?? "Satellite"
      }
    let mission = missions[series, default: 0] + 1
    missions[series] = mission
    switch family {
    case .constellation:
      return "Starling \(1 + mission / 24)-\(1 + mission % 24) (v\(mission < 40 ? "1.0" : "1.5"))"
    case .cargo, .crew, .rideshare: return "\(series)-\(mission)"
    case .demonstration, .satellite: return "\(series) \(mission)"
    }
  }

  private func launchpad(
    _ date: SkyTime, _ rocket: SpaceXFlight.Rocket, _ family: SpaceXFlight.Family, _ random: inout SkyRandom
  ) -> Int {
    typealias Pad = SpaceXPads.Pad
    switch rocket {
    case .falcon1: return Pad.kwajalein.rawValue
    case .falconHeavy: return Pad.apollo.rawValue
    case .falcon9, .starship: break
    }
    if date < SkyDate(2013, 6, 1).start { return Pad.canaveral.rawValue }
    if family == .crew { return Pad.apollo.rawValue }
    let apollo = date > SkyDate(2017, 1, 1).start ? 27.0 : 0
    return random.pick([(55, Pad.canaveral), (apollo, .apollo), (family == .cargo ? 0 : 19, .vandenberg)])?
      .rawValue ?? 0
  }

  private mutating func capsule(_ random: inout SkyRandom) -> Int {
    if capsules > 2, random.happens(0.45) {
      return Int.random(in: max(0, capsules - 6)..<capsules, using: &random)
    }
    capsules += 1
    return capsules - 1
  }

  // MARK: Cores

  private mutating func core(of flight: SpaceXFlight, side: Int, _ random: inout SkyRandom)
    -> SpaceXFlight.Core
  {
    let year = flight.date.date.year
    let chances = [2017: 0.24, 2018: 0.48, 2019: 0.6, 2020: 0.77]
    let again = year < 2017 ? 0 : chances[year] ?? 0.87
    // One that has come back, has had time to be made ready, and is not of this flight already.
    let ready = boosters.indices.filter { index in
      let last = boosters[index].flights.last.map {
        flights.indices.contains($0) ? flights[$0].date : flight.date
      }
      return !boosters[index].isAway && last.map { flight.date - $0 > 25 * 86400 } == true
        && boosters[index].flights.count < 15 && (boosters[index].block ?? 0) > 0
    }
    var index = boosters.count
    if random.happens(again), let known = ready.randomElement(using: &random) {
      index = known
    } else {
      let block = flight.rocket == .falcon1 ? nil : year < 2014 ? 1 : year < 2016 ? 2 : year < 2018 ? 4 : 5
      boosters.append(
        Booster(
          serial: flight.rocket == .falcon1 ? "Merlin\(index + 1)A" : "B\(1000 + index - 4)", block: block))
    }
    boosters[index].flights.append(flight.number)
    var core = SpaceXFlight.Core(core: index, flight: boosters[index].flights.count)
    core.landing = landing(of: flight, side: side, &random)
    if core.landing == nil || flight.success == false {
      boosters[index].isAway = true
      return core
    }
    let share = core.landing == .ocean ? 0.5 : year < 2016 ? 0.3 : year < 2017 ? 0.6 : 0.97
    core.hasLanded = random.happens(0.02) ? nil : random.happens(share)
    switch core.landing {
    case .ship: core.landpad = SpaceXPads.ships.randomElement(using: &random)
    case .land: core.landpad = SpaceXPads.landingZone(for: flight.launchpad, side: side)
    case .ocean, nil: break
    }
    if core.hasLanded != true || core.landing == .ocean { boosters[index].isAway = true }
    if flight.number == unknownOutcome { core.core = nil }
    return core
  }

  private func landing(of flight: SpaceXFlight, side: Int, _ random: inout SkyRandom) -> SpaceXFlight.Landing?
  {
    if flight.number < 9 || flight.rocket == .falcon1 { return nil }
    if flight.rocket == .falconHeavy { return side == 0 ? (random.happens(0.6) ? .ship : nil) : .land }
    if flight.number < 20 { return random.happens(0.7) ? .ocean : nil }
    if flight.date < SkyDate(2019, 1, 1).start, random.happens(0.16) { return nil }
    if random.happens(0.02) { return nil }
    let isNear = flight.family == .cargo && flight.number < 100 || flight.family == .rideshare
    return random.happens(isNear ? 0.75 : flight.family == .satellite ? 0.2 : 0) ? .land : .ship
  }
}
