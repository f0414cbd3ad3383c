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

  private var civil: CivilTime { CivilTime(seconds: Int(seconds.rounded(.down))) }

  private var date: String { String(civil.description.prefix(10)) }

  /// The time in UTC, in the words of the terminal: `2026-01-02 13:45 UTC`, `2026-01`, `2026 Q1`, `2026 H2`.
  package var text: String {
    switch precision {
    case .second: "\(civil) UTC"
    case .minute, .hour: "\(civil.description.prefix(16)) UTC"
    case .day: date
    case .week: "\(date) (week)"
    case .month: String(date.prefix(7))
    case .quarter: "\(civil.year) Q\((civil.month + 2) / 3)"
    case .half: "\(civil.year) H\(civil.month <= 6 ? 1 : 2)"
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

  /// The unit that the script counts by where that is not seconds.
  var countsBy: String? {
    switch precision {
    case .hour: "h"
    case .day, .week: "d"
    default: nil
    }
  }

  /// The distance in words, as exact as the time is: “in 3 d 4 h”, “12 min 05 s ago”; nil where that says nothing.
  package func distance(from now: Double) -> String? {
    let left = seconds - now
    if abs(left) > 366 * 86400 { return nil }
    switch precision {
    case .second, .minute: return Self.words(left)
    case .hour: return Self.words(left, isByHour: true)
    case .day, .week:
      let days = floorDivide(Int(seconds), 86400) - floorDivide(Int(now), 86400)
      return days == 0 ? "today" : Self.words(Double(days) * 86400)
    case .month, .quarter, .half, .year: return nil
    }
  }

  /// A distance in time, in its two largest units; the script does the same.
  package static func words(_ seconds: Double, units count: Int = 2, isByHour: Bool = false) -> String {
    let whole = Int(min(abs(seconds), 1e11))
    let units = [(86400, "d"), (3600, "h"), (60, "min"), (1, "s")].prefix(isByHour ? 2 : 4)
    var text = isByHour ? "less than 1 h" : "0 s"
    if let first = units.firstIndex(where: { whole >= $0.0 }) {
      text = "\(whole / units[first].0) \(units[first].1)"
      if count > 1, first + 1 < units.count {
        let number = whole % units[first].0 / units[first + 1].0
        // Seconds have two digits, so that a countdown keeps its width.
        if first == 2 {
          text += number < 10 ? " 0\(number) s" : " \(number) s"
        } else if number > 0 {
          text += " \(number) \(units[first + 1].1)"
        }
      }
    }
    return seconds >= 0 ? "in \(text)" : "\(text) ago"
  }
}
