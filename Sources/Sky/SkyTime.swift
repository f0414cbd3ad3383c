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

  /// `2026-01-03T04:05:06.007Z`.
  var isoWithMilliseconds: String {
    "\(date)T\(clock).\(SkyDate.padded(Int(milliseconds - Int64(seconds) * 1000), to: 3))Z"
  }

  /// `2026-01-03T00:05:06-04:00`, on a clock that many hours from UTC.
  func iso(hoursEast: Int) -> String {
    let there = self + Double(hoursEast * 3600)
    return "\(there.date)T\(there.clock)\(hoursEast < 0 ? "-" : "+")\(SkyDate.padded(abs(hoursEast))):00"
  }

  /// The moment of a text like `2026-01-03T04:05:06Z`, perhaps with a fraction or an offset, or of a date.
  init?(iso text: String) {
    guard let date = SkyDate(text.prefix(10)) else { return nil }
    self = date.start
    var rest = text.dropFirst(10)
    if rest.isEmpty { return }
    guard rest.first == "T" || rest.first == " " else { return nil }
    rest = rest.dropFirst()
    let clock = rest.prefix { $0 != "Z" && $0 != "+" && $0 != "-" }
    let zone = rest.dropFirst(clock.count)
    let whole = clock.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = whole[0].split(separator: ":", omittingEmptySubsequences: false).map {
      SkyDate.number($0) ?? 99
    }
    guard (2...3).contains(parts.count), parts[0] < 24, parts.dropFirst().allSatisfy({ $0 < 60 }) else {
      return nil
    }
    milliseconds += Int64(parts[0] * 3600 + parts[1] * 60 + (parts.count == 3 ? parts[2] : 0)) * 1000
    if whole.count == 2 {
      guard !whole[1].isEmpty, SkyDate.number(whole[1]) != nil else { return nil }
      milliseconds += Int64(SkyDate.number((whole[1] + "00").prefix(3)) ?? 0)
    }
    if zone.isEmpty || zone == "Z" { return }
    let offset = zone.dropFirst().split(separator: ":").map { SkyDate.number($0) ?? 99 }
    guard zone.first != "Z", offset.count == 2, offset[0] < 24, offset[1] < 60 else { return nil }
    milliseconds -= Int64((offset[0] * 60 + offset[1]) * (zone.first == "-" ? -60 : 60)) * 1000
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
