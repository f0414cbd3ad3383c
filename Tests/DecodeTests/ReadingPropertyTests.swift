import Expectations
import JSON
import Reactive
import Testing

@testable import Decode
import System

/// Makes texts of values, with and without mistakes, that are the same for the same seed.
private struct TextMaker {
  var random: SplitMix64

  mutating func pick<T>(_ choices: [T]) -> T { choices[Int(random.next() % UInt64(choices.count))] }

  mutating func value(_ depth: Int = 0) -> String {
    switch Int(random.next() % (depth > 3 ? 5 : 8)) {
    case 0: return pick(["0", "-1.5e3", "12345678901234567890", "7"])
    case 1: return pick(["true", "false", "null"])
    case 2, 3, 4:
      return pick([
        "\"\"", "\"a\\\"[{\"", "\"naïve\"", "\"\\u00e9\\n\"", "\"\(String(repeating: "x", count: 90))\"",
      ])
    case 5:
      return "[" + (0..<Int(random.next() % 4)).map { _ in value(depth + 1) }.joined(separator: ",") + "]"
    default:
      let members = (0..<Int(random.next() % 4)).map { _ in
        "\(pick(["\"a\"", "\"b c\""])):\(value(depth + 1))"
      }
      return "{" + members.joined(separator: pick([",", ", "])) + "}"
    }
  }

  mutating func badLine() -> String {
    pick([
      "{\"a\":", "[1,", "2]", "tru", "\"abc", "{\"a\":1}}", ":", ",", "{\"a\":\"b\"", "[\"\u{1}\"]", "nul{}",
      "\\",
    ])
  }
}

@Test("random lines read in random pieces and chunks give the same values and reports", arguments: 0..<16)
func sameForAllPieces(seed: Int) throws {
  var maker = TextMaker(random: SplitMix64(seed: UInt64(seed)))
  let lines = (0..<80).map { _ -> String in
    let draw = maker.random.next() % 20
    if draw == 0 { return maker.badLine() }
    if draw == 1 { return maker.pick(["", " ", "\t"]) }
    return maker.pick(["", " "]) + maker.value() + maker.pick(["", "\r", " \(maker.value())"])
  }
  let text = Array(lines.joined(separator: "\n").utf8)
  for format in [TextFormat.lines, .values, .json] {
    let whole = try reading(text, format)
    if format == .lines {
      let alone = lines.flatMap { line in (try? Value.parseAll(Array(line.utf8)))?.map(\.description) ?? [] }
      expect(whole.values, equals: alone)
    }
    for _ in 0..<8 {
      let sizes = (0..<5).map { _ in 1 + Int(maker.random.next() % maker.pick([3, 50, 2000])) }
      let chunk = maker.pick([1, 17, 256, 4096])
      let limits = ReadLimits(chunk: chunk, batch: maker.pick([1, 7, 1024]), together: maker.pick([0, 200]))
      let found = try reading(text, format, sizes: sizes, limits: limits)
      expect(found.values, equals: whole.values)
      expect(found.reasons, equals: whole.reasons)
    }
  }
}

@Test("the elements of a random array come out one by one, whatever the pieces", arguments: 0..<10)
func sameForAllArrays(seed: Int) throws {
  var maker = TextMaker(random: SplitMix64(seed: UInt64(seed)))
  let values = (0..<50).map { _ in maker.value() }
  let text = Array(("[" + values.joined(separator: maker.pick([",", ",\n  ", " , "])) + "]").utf8)
  let expected = try values.map { try Value.parse($0).description }
  for _ in 0..<8 {
    let sizes = (0..<5).map { _ in 1 + Int(maker.random.next() % maker.pick([3, 50, 2000])) }
    let limits = ReadLimits(chunk: maker.pick([1, 17, 256, 4096]), together: maker.pick([0, 200]))
    try expect(reading(text, sizes: sizes, limits: limits), equals: Reading(values: expected))
  }
}
