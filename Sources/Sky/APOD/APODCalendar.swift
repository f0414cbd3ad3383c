// Which days have a picture, and from when on.

/// The days of the picture of the day: the first, those without one, and when each is published.
struct APODCalendar: Sendable {
  static let first = SkyDate(1995, 6, 16)

  let seed: UInt64
  /// Whether a day of each month cannot be read by the service.
  let hasBadDays: Bool

  /// Days that never had a picture.
  static func isMissing(_ date: SkyDate) -> Bool {
    date < first || (first + 1...first + 3).contains(date) || date == SkyDate(2020, 6, 10)
  }

  /// When a day's picture appears: minutes after midnight on the East Coast, now and then hours late.
  func publication(of date: SkyDate) -> SkyTime {
    var random = SkyRandom(seed, "apod publication", date.days)
    let midnight = date.start + 5 * 3600
    let isSummer = midnight.isAmericanSummer(hoursWest: 5)
    let late = random.happens(0.03) ? Double.random(in: 3600..<6 * 3600, using: &random) : 0
    return midnight + (isSummer ? -3600 : 0) + late + Double.random(in: 0..<300, using: &random)
  }

  /// Whether a day's picture is there.
  func has(_ date: SkyDate, at now: SkyTime) -> Bool {
    !Self.isMissing(date) && date <= now.date && publication(of: date) <= now
  }

  /// Whether the service fails on a day.
  func isBad(_ date: SkyDate) -> Bool {
    guard hasBadDays else { return false }
    let (year, month, day) = date.civil
    var random = SkyRandom(seed, "apod bad day", year * 12 + month)
    return day == Int.random(in: 1...SkyDate.days(in: month, of: year), using: &random)
  }

  /// The last day that has a picture; the first of all where there was none yet.
  func latest(at now: SkyTime) -> SkyDate {
    var date = now.date
    while date > Self.first, !has(date, at: now) { date = date - 1 }
    return max(date, Self.first)
  }
}
