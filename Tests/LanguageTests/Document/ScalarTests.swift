import Expectations
import Testing
@testable import Language

@Suite struct ScalarTests {
  @Test func plainScalarsMeanWhatTheCoreSchemaSays() {
    let cases: [(String, Meaning)] = [
      ("", .null), ("~", .null), ("null", .null), ("NULL", .null), ("nUll", .string),
      ("true", .boolean(true)), ("False", .boolean(false)), ("tRUE", .string),
      ("no", .string), ("on", .string), ("yes", .string), ("off", .string), ("y", .string),
      ("0", .integer(0)), ("-12", .integer(-12)), ("+3", .integer(3)), ("007", .integer(7)),
      ("0o17", .integer(15)), ("0x1F", .integer(31)), ("0b1", .string), ("0o8", .string), ("-0x1", .string),
      ("0x", .string), ("0x-1", .string), ("1_000", .string), ("12:30", .string),
      ("9223372036854775807", .integer(.max)), ("9223372036854775808", .number(0x1p63)),
      ("0xFFFFFFFFFFFFFFFF", .number(18_446_744_073_709_551_616)),
      ("1.5", .number(1.5)), (".5", .number(0.5)), ("1.", .number(1)), ("1e3", .number(1000)),
      ("-1.5E-2", .number(-0.015)), (".", .string), ("+", .string), ("1e", .string), ("e1", .string),
      ("1 2", .string),
      (".inf", .number(.infinity)), ("-.INF", .number(-.infinity)), (".iNf", .string), ("inf", .string),
      ("nan", .string), ("2026-01-01", .string),
    ]
    for (text, meaning) in cases { expect(coreMeaning(text), equals: meaning, "\(text)") }
    guard case .number(let value) = coreMeaning(".nan") else { Issue.record("no number"); return }
    #expect(value.isNaN)
  }

  @Test func quotesAndTagsMakeText() {
    func meaning(_ text: String) -> Meaning? { read("a: \(text)").root?.mapping?["a"]?.value.scalar?.meaning }
    expect(meaning("'5'"), equals: .string)
    expect(meaning("!!str 5"), equals: .string)
    expect(meaning("!!int '5'"), equals: .integer(5))
    expect(meaning("|\n  5"), equals: .string)
    expect(meaning(""), equals: .null)
  }
}
