// A flight as it is in truth: when it is, on what it flies, and how it goes. What the service says of it at a moment is
// another matter: see SpaceXLaunch.

/// One flight.
struct SpaceXFlight: Sendable {
  enum Rocket: Int, CaseIterable, Sendable { case falcon1, falcon9, falconHeavy, starship }
  enum Family: Sendable { case demonstration, cargo, crew, constellation, rideshare, satellite }
  enum Landing: String, Sendable { case ship = "ASDS", land = "RTLS", ocean = "Ocean" }

  /// A core's part in it.
  struct Core: Sendable {
    /// Nil where nobody has said which it was.
    var core: Int?
    var flight: Int
    var landing: Landing?
    /// Nil where it did not try to land, or nobody has said how that went.
    var hasLanded: Bool?
    var landpad: Int?
  }

  struct Failure: Sendable {
    var time: Int
    var altitude: Int?
    var reason: String
  }

  /// From 0.
  let number: Int
  let date: SkyTime
  let rocket: Rocket
  let family: Family
  let name: String
  let launchpad: Int
  /// Nil where nobody has said.
  let success: Bool?
  let failure: Failure?
  var cores: [Core]
  let payloads: Int
  let capsule: Int?
  let crew: [Int]

  /// Letters and digits of the name, as files are called.
  var slug: String {
    let parts = name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    return parts.joined(separator: "-")
  }
}

/// When flights are: as many a year as there were, and one in six days from October of 2022 on.
enum SpaceXSchedule {
  /// Flights before this moment are past in the world that does not live.
  static let freeze = SkyTime(seconds: SkyDate(2022, 10, 6).days * 86400)
  /// How many of them there are.
  static let frozenPast = 187
  /// How many more are announced at any time.
  static let announced = 18

  private static let interval = 6.1 * 86400
  /// The years that had flights, how many, and on which day of the year the last could be.
  private static let years: [(year: Int, flights: Int)] = [
    (2006, 1), (2007, 1), (2008, 2), (2009, 1), (2010, 2), (2012, 2), (2013, 3), (2014, 6), (2015, 7),
    (2016, 9),
    (2017, 18), (2018, 21), (2019, 13), (2020, 26), (2021, 31), (2022, 44),
  ]

  /// When the flight of a number is, later for each number.
  static func date(of number: Int, seed: UInt64) -> SkyTime {
    var random = SkyRandom(seed, "flight date", number)
    let jitter = Double.random(in: 0.05..<0.9, using: &random)
    var time: SkyTime
    if number < frozenPast {
      var before = 0
      var (year, flights) = (2022, 44)
      for entry in years {
        (year, flights) = entry
        if number < before + entry.flights { break }
        before += entry.flights
      }
      let start = SkyDate(year, 1, 4).start
      let end = year == 2022 ? freeze + -86400 : SkyDate(year, 12, 28).start
      time = start + (end - start) * (Double(number - before) + jitter) / Double(flights)
    } else {
      time = freeze + interval * (Double(number - frozenPast) + 0.5 + jitter * 0.6)
    }
    // On the minute.
    time.milliseconds -= time.milliseconds % 60_000
    return time
  }

  /// How many flights are known of at a moment, past and announced.
  static func known(at now: SkyTime, seed: UInt64) -> Int {
    var count = frozenPast + max(0, Int((now - freeze) / interval) - 2)
    while date(of: count, seed: seed) < now { count += 1 }
    return count + announced
  }
}
