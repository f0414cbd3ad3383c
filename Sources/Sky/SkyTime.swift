// Days, moments as the services write them, and the clock.

import System

/// A day of the Gregorian calendar, in UTC.
struct SkyDate: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Since 1970-01-01.
  var days: Int

  init(days: Int) { self.days = days }

  /// The day of a year, a month from 1 and a day of the month; day 32 is in the next month, month 13 in the next year.
  init(_ year: Int, _ month: Int, _ day: Int) {
    days = CivilTime(year, month, day).seconds / 86400
  }

  /// The day of a text like `2026-01-03`.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].utf8.count == 4, parts[1].utf8.count == 2, parts[2].utf8.count == 2,
      let year = SkyDate.number(parts[0]), let month = SkyDate.number(parts[1]),
      let day = SkyDate.number(parts[2]), (1...12).contains(month),
      (1...SkyDate.days(in: month, of: year)).contains(day)
    else { return nil }
    self.init(year, month, day)
  }

  /// The length of a month.
  static func days(in month: Int, of year: Int) -> Int {
    SkyDate(year, month + 1, 1).days - SkyDate(year, month, 1).days
  }

  /// With the year, the month from 1 and the day of the month.
  var civil: CivilTime { CivilTime(seconds: days * 86400) }
  var year: Int { civil.year }
  /// From 0.
  var dayOfYear: Int { days - SkyDate(year, 1, 1).days }

  /// The day itself if it is a Sunday, or the next one.
  var sunday: SkyDate { self + (7 - civil.weekday) % 7 }

  /// `2026-01-03`.
  var description: String {
    let civil = civil
    return "\(SkyDate.padded(civil.year, to: 4))-\(SkyDate.padded(civil.month))-\(SkyDate.padded(civil.day))"
  }

  /// `Jan 03, 2026`.
  var american: String {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return "\(months[civil.month - 1]) \(SkyDate.padded(civil.day)), \(year)"
  }

  /// Its first moment, in UTC.
  var start: SkyTime { SkyTime(seconds: days * 86400) }

  static func + (date: SkyDate, days: Int) -> SkyDate { SkyDate(days: date.days + days) }
  static func - (date: SkyDate, days: Int) -> SkyDate { SkyDate(days: date.days - days) }
  static func < (one: SkyDate, other: SkyDate) -> Bool { one.days < other.days }

  static func padded(_ number: Int, to width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  /// A number of ASCII digits.
  static func number(_ text: some StringProtocol) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }
}

extension SkyTime {
  /// Seconds since 1970, rounded down.
  var seconds: Int { floorDivide(Int(milliseconds), 1000) }

  /// Its day in UTC.
  var date: SkyDate { SkyDate(days: floorDivide(seconds, 86400)) }

  /// `2026-01-03T04:05:06Z`.
  var iso: String { "\(date)T\(clock)Z" }

  /// The moment of a text like `2026-01-03T04:05:06Z`, perhaps with a fraction, or of a date.
  init?(iso text: String) {
    guard let date = SkyDate(text.prefix(10)) else { return nil }
    self = date.start
    let rest = text.dropFirst(10)
    if rest.isEmpty { return }
    let halves = rest.dropFirst().dropLast().split(separator: ".", omittingEmptySubsequences: false)
    let parts = halves[0].split(separator: ":").map { SkyDate.number($0) ?? 99 }
    let fraction = halves.count == 1 ? 0 : SkyDate.number((halves[1] + "00").prefix(3))
    guard rest.first == "T", rest.last == "Z", halves.count <= 2, let fraction, parts.count == 3,
      parts[0] < 24,
      parts[1] < 60, parts[2] < 60
    else { return nil }
    milliseconds += Int64(((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1000 + fraction)
  }

  private var clock: String {
    let time = CivilTime(seconds: seconds)
    return [time.hour, time.minute, time.second].map { SkyDate.padded($0) }.joined(separator: ":")
  }

  static func + (time: SkyTime, seconds: Double) -> SkyTime {
    SkyTime(milliseconds: time.milliseconds + Int64((seconds * 1000).rounded()))
  }

  /// The seconds between two moments.
  static func - (one: SkyTime, other: SkyTime) -> Double {
    Double(one.milliseconds - other.milliseconds) / 1000
  }
}

/// The sky's clock: it starts at some time and runs at some speed.
public struct SkyClock: Sendable {
  private let start: SkyTime
  private let speed: Double
  private let elapsed: @Sendable () -> Duration

  /// - Parameters:
  ///   - speed: seconds of the sky's time in one of real time
  ///   - elapsed: the real time since the start; it never goes back
  public init(start: SkyTime, speed: Double, elapsed: @escaping @Sendable () -> Duration) {
    (self.start, self.speed, self.elapsed) = (start, speed, elapsed)
  }

  /// The sky's time.
  public var now: SkyTime {
    let (seconds, attoseconds) = elapsed().components
    let passed = (Double(seconds) + Double(attoseconds) * 1e-18) * speed
    // A demo ends within a hundred years.
    return SkyTime(milliseconds: start.milliseconds + Int64(min(max(0, passed), 100 * 365 * 86400) * 1000))
  }
}
