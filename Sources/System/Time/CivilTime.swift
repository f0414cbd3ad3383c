/// A date and time of day, in no particular zone (proleptic Gregorian calendar).
public struct CivilTime: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var year: Int
  public var month: Int
  public var day: Int
  public var hour: Int
  public var minute: Int
  public var second: Int

  public init(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  /// The local time that many seconds after local 1970-01-01 00:00.
  public init(seconds: Int) {
    let days = floorDivide(seconds, 86400)
    let rest = seconds - days * 86400
    // Howard Hinnant's civil_from_days: eras of 400 years that begin on the first of March.
    let shifted = days + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    self.init(
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1,
      rest / 3600, rest / 60 % 60, rest % 60)
  }

  /// The seconds since 1970-01-01 00:00 in the same zone.
  public var seconds: Int {
    let marchYear = month <= 2 ? year - 1 : year
    let era = floorDivide(marchYear, 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    return days * 86400 + hour * 3600 + minute * 60 + second
  }

  /// Whether the calendar has such a day, in a year of at most four digits.
  package var isDate: Bool {
    (0...9999).contains(year) && (1...12).contains(month) && (1...31).contains(day)
      && CivilTime(seconds: CivilTime(year, month, day).seconds).day == day
  }

  /// Sunday is 0.
  public var weekday: Int {
    let days = floorDivide(seconds, 86400)
    return days + 4 - floorDivide(days + 4, 7) * 7
  }

  public var description: String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let years = (0..<1000).contains(year) ? String(String(year + 10000).dropFirst()) : String(year)
    return "\(years)-\(two(month))-\(two(day)) \(two(hour)):\(two(minute)):\(two(second))"
  }

  public static func < (left: CivilTime, right: CivilTime) -> Bool { left.seconds < right.seconds }
}

package func floorDivide(_ number: Int, _ divisor: Int) -> Int {
  number >= 0 ? number / divisor : -((-number + divisor - 1) / divisor)
}

/// The rules of a time zone: its offset from UTC at any moment.
public protocol ZoneRules: Sendable {
  /// Seconds east of UTC, at a moment given in seconds since 1970 UTC.
  func offset(at moment: Int) -> Int
}
