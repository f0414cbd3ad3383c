import Reactive
import Testing

@testable import JSON

/// The value of a JSON text in a test.
func json(_ text: String, _ options: ParseOptions = .jq) throws -> Value { try Value.parse(text, options) }

/// What is wrong with a text, in full.
func mistake(_ text: String, _ options: ParseOptions = .jq) -> String? {
  do {
    _ = try Value.parse(text, options)
    return nil
  } catch {
    return error.description
  }
}

/// A source of bytes in pieces of at most `piece`.
func pieces(_ bytes: [UInt8], _ piece: Int) -> Reader.Source {
  var position = 0
  return { buffer in
    let count = min(piece, bytes.count - position, buffer.count)
    for place in 0..<count { buffer[place] = bytes[position + place] }
    position += count
    return count
  }
}

/// Everything a reader gives, values as text and then the mistake that ended it.
func readAll(_ text: [UInt8], piece: Int, chunkSize: Int = 4096, _ options: ParseOptions = .jq) -> [String] {
  var all: [String] = []
  let reader = Reader(options: options, chunkSize: chunkSize, source: pieces(text, piece))
  do {
    while let value = try reader.next() { all.append(value.description) }
  } catch {
    all.append("\(error)")
  }
  return all
}

/// Makes JSON texts of all shapes, and built values beside them.
struct RandomJSON {
  var random: SplitMix64
  init(_ seed: UInt64) { random = SplitMix64(seed: seed) }

  /// A text with random white space, escapes and number forms.
  mutating func text(depth: Int = 0) -> String {
    let choice = Int.random(in: 0..<(depth > 4 ? 5 : 8), using: &random)
    switch choice {
    case 0: return "null"
    case 1: return Bool.random(using: &random) ? "true" : "false"
    case 2: return number()
    case 3, 4: return string()
    case 5:
      return "[" + list { $0.text(depth: depth + 1) } + "]"
    default:
      return "{" + list { $0.space() + $0.string() + $0.space() + ":" + $0.text(depth: depth + 1) } + "}"
    }
  }

  private mutating func list(_ item: (inout RandomJSON) -> String) -> String {
    let count = Int.random(in: 0..<5, using: &random)
    var parts: [String] = []
    for _ in 0..<count { parts.append(space() + item(&self) + space()) }
    return parts.isEmpty ? space() : parts.joined(separator: ",")
  }

  private mutating func space() -> String {
    ["", "", "", " ", "\n", "\t ", "\r\n"].randomElement(using: &random) ?? ""
  }

  mutating func number() -> String {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return "\(Int.random(in: -9...9, using: &random))"
    case 1: return "\(Int.random(in: -1_000_000...1_000_000, using: &random))"
    case 2: return "\(Double.random(in: -1000...1000, using: &random))"
    case 3: return "\(Int64.random(in: .min ... .max, using: &random))"
    case 4: return "\(Double(bitPattern: UInt64.random(in: 0..<0x7fe0_0000_0000_0000, using: &random)))"
    default: return "\(Int.random(in: 0...99, using: &random)).\(Int.random(in: 0...9999, using: &random))E-2"
    }
  }

  mutating func string() -> String {
    let parts = [
      "a", "key", "b", "é", "日本", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude00", "\\u0000",
      " ",
      "longer run of plain text", "\u{7f}", "\\u007f", "x", "y",
    ]
    var text = "\""
    for _ in 0..<Int.random(in: 0..<4, using: &random) { text += parts.randomElement(using: &random) ?? "" }
    return text + "\""
  }
}
