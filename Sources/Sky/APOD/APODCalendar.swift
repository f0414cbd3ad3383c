// Which days have an entry, and from when on.

/// The days of the service: the first, those without an entry, and when each is published.
struct APODCalendar: Sendable {
  static let first = SkyDate(1995, 6, 16)

  let seed: UInt64
  /// Whether the service fails on one day of each month.
  let hasBadDays: Bool

  /// Days without an entry.
  static func isMissing(_ date: SkyDate) -> Bool {
    date < first || (first + 1...first + 3).contains(date) || date == SkyDate(2020, 6, 10)
  }

  /// When an entry appears: minutes after midnight on the East Coast, rarely hours later.
  func publication(of date: SkyDate) -> SkyTime {
    var random = SkyRandom(seed, "apod publication", date.days)
    let midnight = date.start + (Self.isSummer(date) ? 4 : 5) * 3600
    let late = random.happens(0.03) ? Double.random(in: 3600..<6 * 3600, using: &random) : 0
    return midnight + late + Double.random(in: 0..<300, using: &random)
  }

  /// Whether the midnight before a day is one of daylight saving time on the East Coast.
  static func isSummer(_ date: SkyDate) -> Bool {
    date > SkyDate(date.year, 3, 8).sunday && date <= SkyDate(date.year, 11, 1).sunday
  }

  /// Whether a day's entry has been published.
  func has(_ date: SkyDate, at now: SkyTime) -> Bool {
    !Self.isMissing(date) && date <= now.date && publication(of: date) <= now
  }

  /// Whether the service fails on a day.
  func isBad(_ date: SkyDate) -> Bool {
    guard hasBadDays else { return false }
    let civil = date.civil
    var random = SkyRandom(seed, "apod bad day", civil.year * 12 + civil.month)
    return civil.day == Int.random(in: 1...SkyDate.days(in: civil.month, of: civil.year), using: &random)
  }

  /// The last published day, or the first of all.
  func latest(at now: SkyTime) -> SkyDate {
    var date = now.date
    while date > Self.first, !has(date, at: now) { date = date - 1 }
    return max(date, Self.first)
  }
}

/// An error of the service: a status and the message that clients see.
struct APODProblem: Error {
  var status = 400
  var message: String
}
