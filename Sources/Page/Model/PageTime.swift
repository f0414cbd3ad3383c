import JSON
import Language
import System

/// A time as precisely as it is known, and how people read it.
package struct PageTime: Sendable, Equatable {
  package enum Precision: String, CaseIterable, Sendable {
    case second, minute, hour, day, week, month, quarter, half, year
  }

  /// In seconds since 1970.
  package let seconds: Double
  package let precision: Precision

  /// A number of seconds since 1970 or ISO 8601; nil for anything else.
  package init?(_ value: Value, precision: String?) {
    guard let seconds = value.double ?? value.string.flatMap(parseTimestamp), seconds.isFinite,
      abs(seconds) < 2e11
    else { return nil }
    self.seconds = seconds
    let isDate = value.string?.utf8.count == 10
    self.precision = precision.flatMap { Precision(rawValue: $0) } ?? (isDate ? .day : .minute)
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
  ]

  private var civil: CivilTime { CivilTime(seconds: Int(seconds.rounded(.down))) }

  private var date: String { String(civil.description.prefix(10)) }

  /// The time in UTC: `2026-01-02 13:45 UTC`, `January 2026`, `Q1 2026`.
  package var text: String {
    switch precision {
    case .second: "\(civil) UTC"
    case .minute, .hour: "\(civil.description.prefix(16)) UTC"
    case .day: date
    case .week: "week of \(date)"
    case .month: "\(Self.months[civil.month - 1]) \(civil.year)"
    case .quarter: "Q\((civil.month + 2) / 3) \(civil.year)"
    case .half: "\(civil.month <= 6 ? "first" : "second") half of \(civil.year)"
    case .year: "\(civil.year)"
    }
  }

  /// For `<time datetime>`: as much of ISO 8601 as is known.
  package var machine: String {
    switch precision {
    case .second, .minute, .hour: timestamp(seconds)
    case .day, .week: date
    case .month: String(date.prefix(7))
    case .quarter, .half, .year: String(date.prefix(4))
    }
  }

  /// The day of a log.
  package var day: String { date }

  /// Whether seconds can be counted: nothing coarser pretends to.
  package var isExact: Bool { precision == .second || precision == .minute }

  /// The distance in words, as exact as the time is: “in 3 d 4 h”, “12 min ago”; nil where that says nothing.
  package func distance(from now: Double) -> String? {
    let left = seconds - now
    if abs(left) > 366 * 86400 { return nil }
    switch precision {
    case .second, .minute: return Self.words(left, units: 2)
    case .hour: return Self.words(left, units: 1)
    case .day, .week:
      let days = floorDivide(Int(seconds), 86400) - floorDivide(Int(now), 86400)
      if days == 0 { return "today" }
      return days == 1
        ? "tomorrow" : days > 0 ? "in \(days) days" : days == -1 ? "yesterday" : "\(-days) days ago"
    case .month, .quarter, .half, .year: return nil
    }
  }

  /// A distance in time, in its two largest units.
  package static func words(_ seconds: Double, units count: Int = 2) -> String {
    let whole = Int(min(abs(seconds), 1e11))
    let parts = [(whole / 86400, "d"), (whole / 3600 % 24, "h"), (whole / 60 % 60, "min"), (whole % 60, "s")]
    let first = parts.firstIndex { $0.0 > 0 } ?? 3
    let text = parts[first..<min(first + count, 4)].filter { $0.0 > 0 || whole == 0 }
      .map { "\($0.0) \($0.1)" }.joined(separator: " ")
    return seconds >= 0 ? "in \(text)" : "\(text) ago"
  }
}
