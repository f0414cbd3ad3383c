/// The Gregorian calendar in days since 1970-01-01, extended back beyond its introduction.
///
/// All of the language's own arithmetic with dates is here. The C library formats and parses: see Dates.swift.
enum CivilCalendar {
  static let secondsPerDay = 86400

  /// The number of a date's day.
  static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // Howard Hinnant's days_from_civil: eras of 400 years that begin on the first of March.
    let shifted = month <= 2 ? year - 1 : year
    let era = floorDivide(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The year of a moment in seconds since 1970.
  static func year(atSecond seconds: Int) -> Int {
    let shifted = floorDivide(seconds, secondsPerDay) + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // Counted from the first of March, January begins on day 306.
    return yearOfEra + era * 400 + (dayOfYear >= 306 ? 1 : 0)
  }

  /// The day of the week of a day, Sunday being 0.
  static func weekday(ofDay day: Int) -> Int { ((day + 4) % 7 + 7) % 7 }

  private static func floorDivide(_ a: Int, _ b: Int) -> Int { a >= 0 ? a / b : -((b - 1 - a) / b) }
}
