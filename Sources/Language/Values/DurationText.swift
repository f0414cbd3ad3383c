/// A length of time as a pipeline writes it: numbers with units, the largest first.
///
///     try DurationText.parse("1m30s")         // .seconds(90)
///     try DurationText.parse("1.5h")          // .seconds(5400)
///     DurationText.format(.seconds(90))       // 1m30s
public enum DurationText {
  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("w", 604_800_000_000_000), ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000),
    ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1),
  ]

  /// What people write for the units elsewhere.
  private static let otherNames: [String: String] = [
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "min": "m", "mins": "m", "minute": "m",
    "minutes": "m",
    "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "day": "d", "days": "d", "week": "w", "weeks": "w",
    "milliseconds": "ms", "millis": "ms", "msec": "ms", "µs": "us", "μs": "us", "micros": "us",
  ]

  public static func parse(_ text: String) throws(TextError) -> Duration {
    if text == "0" { return .zero }
    let usage = "write a duration as in 500ms, 90s, 1m30s, 6h or 1d"
    var scanner = QuantityScanner(text)
    var total: Int64 = 0
    var smallest: Int64 = .max
    repeat {
      let quantity = try scanner.next(what: "a duration", usage: usage)
      guard let unit = units.first(where: { $0.name == quantity.unit }) else {
        throw unitFlaw(quantity, in: text, usage: usage)
      }
      guard unit.nanoseconds < smallest else {
        throw TextError(
          "in \(quoted(text)) “\(unit.name)” comes after a unit that is not larger", at: quantity.unitRange,
          hint: "write each unit once, the largest first, as in 1h30m")
      }
      smallest = unit.nanoseconds
      let (sum, overflow) = total.addingReportingOverflow(quantity.times(unit.nanoseconds) ?? .max)
      guard !overflow, sum < .max else {
        throw TextError(
          "the duration \(quoted(text)) is too long", in: text, hint: "the longest is 292 years, 106751d")
      }
      total = sum
    } while !scanner.isAtEnd
    return .nanoseconds(total)
  }

  private static func unitFlaw(_ quantity: QuantityScanner.Quantity, in text: String, usage: String)
    -> TextError
  {
    if quantity.unit.isEmpty {
      let hint = "add the unit, as in \(quantity.number)s, \(quantity.number)m or \(quantity.number)h"
      return TextError(
        "the duration \(quoted(text)) has a number without a unit", at: quantity.range, hint: hint)
    }
    let lower = quantity.unit.lowercased()
    let meant = otherNames[lower] ?? units.first { $0.name == lower }?.name
    return TextError(
      "\(quoted(quantity.unit)) is no unit of time", at: quantity.unitRange,
      hint: meant.map { "did you mean \(quantity.number)\($0)?" }
        ?? "the units are w, d, h, m, s, ms, us and ns")
  }

  /// The shortest text that `parse` reads as this duration; weeks are written as days.
  public static func format(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    if seconds < 0 || attoseconds < 0 { return "-" + format(.zero - duration) }
    let second: Int64 = 1_000_000_000
    let parts = units.dropFirst().compactMap { unit -> String? in
      let amount: Int64
      if unit.nanoseconds >= second {
        let size = unit.nanoseconds / second
        let limit = unit.name == "d" ? Int64.max : unit.name == "h" ? 24 : 60
        amount = (seconds / size) % limit
      } else {
        amount = (attoseconds / second / unit.nanoseconds) % 1000
      }
      return amount == 0 ? nil : "\(amount)\(unit.name)"
    }
    return parts.isEmpty ? "0s" : parts.joined()
  }
}
