import JSON
import Engine
import Language
import Store
import System

/// State as text: JSON as it is, anything else in a readable form.
enum StateText {
  /// Bytes that are JSON, on one line, several values as a list; others as a JSON string of hexadecimal digits.
  static func json(_ stored: [UInt8]) -> [UInt8] {
    let bytes = Secrets.shown(sealed: stored)
    guard String(validating: bytes, as: UTF8.self) != nil, let value = try? Value.parse(bytes, .strict) else {
      if let values = try? Value.parseAll(bytes, .strict), values.count > 1 {
        return Value.array(values).json
      }
      return Value.string(hexDigits(of: bytes)).json
    }
    return bytes.contains { $0 == 0x0A || $0 == 0x0D } ? value.json : bytes
  }

  static func value(_ bytes: [UInt8]) -> Value { (try? Value.parse(json(bytes), .strict)) ?? .null }

  /// A text that is JSON is that value, and any other text a string.
  static func value(_ fact: Fact) -> Value {
    switch fact {
    case .integer(let number): Value.literal(String(number)) ?? .number(Int(number))
    case .text(let text): (try? Value.parse(text, .strict)) ?? .string(text)
    }
  }

  /// The same for people.
  static func shown(_ fact: Fact) -> String {
    switch fact {
    case .integer(let number): String(number)
    case .text(let text): text
    }
  }

  static func value(_ place: OutputPlace) -> Value {
    .record([("epoch", .number(Int(place.epoch))), ("index", .number(Int(place.index)))])
  }

  /// A number of bytes, as in `36 KiB`.
  static func size(_ bytes: Int) -> String {
    if bytes < 1024 { return "\(bytes) B" }
    var (amount, unit) = (Double(bytes) / 1024, 0)
    let units = ["KiB", "MiB", "GiB", "TiB"]
    while amount >= 1000, unit < units.count - 1 { (amount, unit) = (amount / 1024, unit + 1) }
    let tenths = Int((amount * 10).rounded())
    return "\(tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(amount.rounded()))") \(units[unit])"
  }

  /// How long ago that was, in the largest unit that it has: `3m ago`.
  static func age(_ seconds: Double) -> String { "\(span(seconds)) ago" }

  /// A time in the largest unit that it has: `3m`.
  static func span(_ seconds: Double) -> String {
    let whole = max(0, Int(seconds))
    for (unit, size) in [("d", 86400), ("h", 3600), ("m", 60)] where whole >= size {
      return "\(whole / size)\(unit)"
    }
    return "\(whole)s"
  }

  /// A time as shown by a local clock.
  static func time(_ seconds: Double) -> String { TailTime(isUTC: false).text(.number(seconds)) }

  /// A count with its noun: `1 key`, `2 keys`.
  static func count(_ count: Int, _ one: String) -> String {
    "\(count) \(one)\(count == 1 ? "" : "s")"
  }

  /// The end of a path, cut to the given width.
  static func end(of path: String, columns: Int) -> String {
    let path = printable(path)
    guard path.columns > columns else { return path }
    var rest = path[...]
    while !rest.isEmpty, rest.columns >= columns { rest.removeFirst() }
    return "…" + rest
  }
}

/// Prints lines to standard output: plain data for programs, and escaped on a terminal.
final class StateOutput {
  private let output = StandardOutput.buffer
  private let isTerminal = Terminal.isTerminal(1)

  /// Whether the output still has a reader.
  @discardableResult
  func put(_ line: [UInt8]) -> Bool {
    if isTerminal { output.put(printable(String(decoding: line, as: UTF8.self))) } else { output.put(line) }
    output.put(0x0A)
    return !output.hasFailed
  }

  func put(_ record: Value) { put(record.json) }

  /// Prints a line that is printable already, with its colors.
  func put(printable line: String) {
    output.put(line)
    output.put(0x0A)
  }

  /// The exit status, once everything is written.
  func end() -> Int32 {
    output.flush()
    return output.hasFailed ? ExitStatus.failed : ExitStatus.done
  }
}
