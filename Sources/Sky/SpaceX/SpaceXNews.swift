// What is known of a flight at a moment: its date more and more exactly, then how it went, then links, bit by bit.

/// A flight as it is told at a moment.
struct SpaceXNews: Sendable {
  let flight: SpaceXFlight
  let now: SkyTime
  /// Where it was at this moment, or will be as far as is said.
  let date: SkyTime
  let precision: String
  let isPast: Bool
  /// Whether it is said how it went.
  let isTold: Bool
  private let seed: UInt64

  init(_ flight: SpaceXFlight, at now: SkyTime, seed: UInt64) {
    self.flight = flight
    self.now = now
    self.seed = seed
    var random = SkyRandom(seed, "flight news", flight.number)
    let past = flight.date + Double(Int.random(in: 20...60, using: &random) * 60)
    isPast = now >= past
    isTold = now >= past + Double(Int.random(in: 50...150, using: &random) * 60)
    (date, precision) = Self.date(of: flight, at: now, &random)
  }

  private static let day = 86400.0

  /// A month at first, a day two months before, a moment one month before; which may slip until a day before it.
  private static func date(of flight: SpaceXFlight, at now: SkyTime, _ random: inout SkyRandom) -> (
    SkyTime, String
  ) {
    let change = Double.random(in: 1...9, using: &random)
    let slip = random.happens(0.4) ? min(Double.random(in: 0.1...4, using: &random), change * 0.8) : 0
    let days = Int.random(in: -5...2, using: &random)
    let months = Int.random(in: -20...12, using: &random)
    let lead = (flight.date - now) / day
    if lead <= change { return (flight.date, "hour") }
    if lead <= 30 {
      var date = flight.date + -slip * day
      date.milliseconds -= date.milliseconds % 300_000
      return (date, "hour")
    }
    if lead <= 61 { return ((flight.date.date + days).start, "day") }
    let (year, month, _) = (flight.date.date + months).civil
    return (SkyDate(year, month, 1).start, "month")
  }

  /// Something that a share of flights comes to have, so many days after they were, or before where negative.
  func has(_ thing: String, _ share: Double, after days: ClosedRange<Double>) -> Bool {
    var random = SkyRandom(seed, "flight \(thing)", flight.number)
    return random.happens(share) && now >= flight.date + Double.random(in: days, using: &random) * Self.day
  }

  /// Numbers of the flight's own for a thing of it.
  func random(_ thing: String) -> SkyRandom { SkyRandom(seed, "flight's \(thing)", flight.number) }

  /// Whether it is said which cores it flies on.
  var knowsCores: Bool { now >= flight.date + -2 * Self.day }

  /// The core's id is known, and it has flown.
  func hasFlown(_ core: SpaceXFlight.Core) -> Bool { isPast && core.core != nil }
}
