/// The calendar of the launches, in seconds since 1970: the ends of days, months and longer.
enum UTC {
  static let day = 86400

  /// `2026-01-01T00:00:00Z`, as the service writes times.
  static func text(_ seconds: Int) -> String { SkyTime(seconds: seconds).iso }

  static func year(_ seconds: Int) -> Int { date(seconds).year }
  /// From 1.
  static func month(_ seconds: Int) -> Int { date(seconds).civil.month }
  /// From 1.
  static func dayOfMonth(_ seconds: Int) -> Int { date(seconds).civil.day }
  /// From 0.
  static func dayOfYear(_ seconds: Int) -> Int { date(seconds).days - SkyDate(date(seconds).year, 1, 1).days }

  /// The beginning of the last day of a month; months beyond December are of the years after.
  static func lastDay(year: Int, month: Int) -> Int { seconds(year: year, month: month + 1, day: 1) - day }

  static func seconds(year: Int, month: Int, day: Int) -> Int {
    SkyDate(year + (month - 1) / 12, (month - 1) % 12 + 1, day).start.seconds
  }

  private static func date(_ seconds: Int) -> SkyDate { SkyTime(seconds: seconds).date }
}
