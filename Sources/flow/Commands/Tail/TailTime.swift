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

  /// Parses a time with a zone, such as `2026-01-01T00:00:00.5+01:00`, to seconds since 1970; nil for anything else.
  ///
  /// One without a zone means another moment wherever it is read, so it is none.
  static func moment(_ text: String) -> Double? {
    text.utf8.dropFirst("2026-01-01".utf8.count).contains { "Zz+-".utf8.contains($0) }
      ? parseTimestamp(text) : nil
  }
}
