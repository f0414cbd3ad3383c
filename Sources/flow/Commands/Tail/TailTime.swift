import System
import Glibc
import JSON
import Engine
import Language

/// The time of a change as `flow tail` shows it.
struct TailTime {
  /// Whether to use UTC instead of the zone of `TZ` or the machine.
  let isUTC: Bool

  /// The width of a time.
  var columns: Int { isUTC ? 20 : 19 }

  /// As in `2026-01-01 00:00:00`, with a `Z` for UTC; a text that is not a time is unchanged.
  func text(_ at: Value?) -> String {
    guard let at, !at.isNull else { return "-" }
    let moment = at.double ?? at.string.flatMap(TailTime.moment)
    if let moment, let civil = civil(moment) { return isUTC ? "\(civil)Z" : "\(civil)" }
    return printable(at.string ?? at.description)
  }

  private func civil(_ moment: Double) -> CivilTime? {
    // A year has at most four digits here.
    guard moment.magnitude < 2.5e11 else { return nil }
    let seconds = Int(moment.rounded(.down))
    if isUTC { return CivilTime(seconds: seconds) }
    var time = time_t(seconds)
    var parts = tm()
    guard localtime_r(&time, &parts) != nil else { return nil }
    return CivilTime(
      Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday), Int(parts.tm_hour),
      Int(parts.tm_min), Int(parts.tm_sec))
  }

  /// Parses an RFC 3339 time, such as `2026-01-01T00:00:00.5+01:00`, to seconds since 1970; nil for anything else.
  static func moment(_ text: String) -> Double? {
    var rest = Array(text.utf8)[...]
    func number(_ digits: Int) -> Int? {
      let part = rest.prefix(digits)
      guard part.count == digits, part.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
      rest = rest.dropFirst(digits)
      return part.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    func take(_ allowed: StaticString) -> Bool {
      let bytes = UnsafeBufferPointer(start: allowed.utf8Start, count: allowed.utf8CodeUnitCount)
      guard let first = rest.first, bytes.contains(first) else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2), take("Tt "),
      let hour = number(2), take(":"), let minute = number(2), (1...12).contains(month),
      (1...31).contains(day),
      hour < 24, minute < 60
    else { return nil }
    var second = 0
    if take(":") {
      guard let given = number(2), given <= 60 else { return nil }
      second = given
    }
    // Fractions are not shown.
    if take(".") { rest = rest.drop { $0 &- 0x30 < 10 } }
    let local = CivilTime(year, month, day, hour, minute, second).seconds
    if take("Zz") { return rest.isEmpty ? Double(local) : nil }
    let isWest = rest.first == UInt8(ascii: "-")
    guard take("+-"), let hours = number(2) else { return nil }
    _ = take(":")
    guard let minutes = number(2), rest.isEmpty else { return nil }
    let offset = hours * 3600 + minutes * 60
    return Double(isWest ? local + offset : local - offset)
  }
}
