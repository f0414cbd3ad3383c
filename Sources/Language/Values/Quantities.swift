/// A duration as text: numbers with units, the largest first.
///
///     try DurationText.parse("1m30s")         // .seconds(90)
///     try DurationText.parse("1.5h")          // .seconds(5400)
///     DurationText.format(.seconds(90))       // 1m30s
public enum DurationText {
  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("w", 604_800_000_000_000), ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000),
    ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1),
  ]

  /// The form of a duration, for editors.
  static func pattern(allowingZero: Bool) -> String {
    let parts = units.map { #"(\d+(\.\d+)?\#($0.name))?"# }.joined()
    return allowingZero ? "^(0|(?=.)\(parts))$" : "^(?=.*[1-9])\(parts)$"
  }

  /// The usual names of units elsewhere.
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
      "\(quoted(quantity.unit)) is not a unit of time", at: quantity.unitRange,
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

/// A size as text: a number of bytes.
///
///     try SizeText.parse("64MiB")  // 67_108_864
///     try SizeText.parse("10kB")   // 10_000
///     try SizeText.parse("512")    // 512
public enum SizeText {
  private static let units: [(name: String, bytes: Int64)] = [
    ("", 1), ("B", 1), ("kB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
  ]

  /// The form of a size, for editors.
  static let pattern = #"^\d+(\.\d+)?(\#(units.map(\.name).joined(separator: "|")))$"#

  public static func parse(_ text: String) throws(TextError) -> Int {
    let usage = "write a size as in 512, 10kB or 64MiB"
    var scanner = QuantityScanner(text)
    let quantity = try scanner.next(what: "a size", usage: usage)
    guard let unit = units.first(where: { $0.name == quantity.unit }) else {
      throw TextError(
        "\(quoted(quantity.unit)) is not a unit of size", at: quantity.unitRange, hint: hint(quantity))
    }
    guard scanner.isAtEnd else {
      throw TextError("\(quoted(text)) is more than one size", at: scanner.rest, hint: usage)
    }
    guard let bytes = quantity.times(unit.bytes) else {
      throw TextError("the size \(quoted(text)) is too large", in: text, hint: "the largest is 8388607TiB")
    }
    guard quantity.isWhole(times: unit.bytes) else {
      throw TextError("\(quoted(text)) is not a whole number of bytes", in: text, hint: usage)
    }
    return Int(bytes)
  }

  /// A letter alone may mean the thousand or the 1024; both are offered.
  private static func hint(_ quantity: QuantityScanner.Quantity) -> String {
    let letter = quantity.unit.uppercased().first.map(String.init) ?? ""
    guard ["K", "M", "G", "T"].contains(letter), quantity.unit.count <= 3 else {
      return "the units are B, kB, MB, GB, TB (thousands) and KiB, MiB, GiB, TiB (1024s)"
    }
    let decimal = letter == "K" ? "kB" : "\(letter)B"
    return "did you mean \(quantity.number)\(decimal) (thousands) or \(quantity.number)\(letter)iB (1024s)?"
  }
}

/// A scanner of numbers with units, which durations and sizes are made of.
struct QuantityScanner {
  struct Quantity {
    /// The digits before the point, and those after it.
    let whole: Substring
    let fraction: Substring
    let unit: String
    let range: Range<Int>
    let unitRange: Range<Int>

    /// The number as it is written.
    var number: String { fraction.isEmpty ? String(whole) : "\(whole).\(fraction)" }

    /// The multiple of a unit, rounded down; nil when 64 bits do not hold it.
    func times(_ unit: Int64) -> Int64? {
      guard let whole = whole.isEmpty ? 0 : Int64(whole) else { return nil }
      let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
      let (sum, carried) = product.addingReportingOverflow(part(of: unit).quotient)
      return overflow || carried ? nil : sum
    }

    /// Whether `times` does not round.
    func isWhole(times unit: Int64) -> Bool { part(of: unit).remainder == 0 }

    private func part(of unit: Int64) -> (quotient: Int64, remainder: Int64) {
      var scale: Int64 = 1
      var digits: Int64 = 0
      for digit in fraction.prefix(9) {
        scale *= 10
        digits = digits * 10 + Int64(digit.wholeNumberValue ?? 0)
      }
      let (high, low) = digits.multipliedFullWidth(by: unit)
      return scale.dividingFullWidth((high, low))
    }
  }

  private let text: String
  private var index: String.Index

  init(_ text: String) {
    self.text = text
    index = text.startIndex
  }

  var isAtEnd: Bool { index == text.endIndex }
  var rest: Range<Int> { offset(index)..<text.utf8.count }

  private func offset(_ index: String.Index) -> Int { text.utf8.distance(from: text.startIndex, to: index) }

  private mutating func take(while condition: (Character) -> Bool) -> Substring {
    let start = index
    while index < text.endIndex, condition(text[index]) { index = text.index(after: index) }
    return text[start..<index]
  }

  /// The next number and what follows it up to the next digit; `what` and `usage` are for the message.
  mutating func next(what: String, usage: String) throws(TextError) -> Quantity {
    let start = index
    let isDigit: (Character) -> Bool = { ("0"..."9").contains($0) && $0.isASCII }
    let whole = take(while: isDigit)
    var fraction: Substring = ""
    if !isAtEnd, text[index] == "." {
      index = text.index(after: index)
      fraction = take(while: isDigit)
      if fraction.isEmpty || fraction.count > 9 {
        let problem = fraction.isEmpty ? "no digit" : "more than nine digits"
        throw TextError(
          "\(quoted(text)) has \(problem) after the point", at: offset(start)..<offset(index), hint: usage)
      }
    }
    if whole.isEmpty {
      let next: Character? = isAtEnd ? nil : text[index]
      switch next {
      case nil where text.isEmpty: throw TextError("\(what) is missing here", in: text, hint: usage)
      case "-", "+":
        throw TextError("\(quoted(text)) has a sign, and \(what) has none", at: rest, hint: usage)
      case " ", "\t": throw TextError("\(quoted(text)) has a blank in it", at: rest, hint: usage)
      default: throw TextError("\(quoted(text)) is not \(what)", in: text, hint: usage)
      }
    }
    let end = index
    let unit = take { !isDigit($0) && $0 != "." && $0 != "-" && $0 != "+" && $0 != " " }
    if !isAtEnd, text[index] == " " {
      throw TextError("\(quoted(text)) contains a space", at: rest, hint: usage)
    }
    return Quantity(
      whole: whole, fraction: fraction, unit: String(unit), range: offset(start)..<offset(index),
      unitRange: offset(end)..<offset(index))
  }
}
