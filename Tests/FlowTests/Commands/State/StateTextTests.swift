import Expectations
import JSON
import Store
import Testing

@testable import flow

@Suite struct StateTextTests {
  @Test("bytes that are JSON stay as they are, on one line; several are a list; others are digits")
  func json() {
    func text(_ bytes: [UInt8]) -> String { String(decoding: StateText.json(bytes), as: UTF8.self) }
    expect(text(Array("1.50".utf8)), equals: "1.50")
    expect(text(Array("{\n\"a\": 1}".utf8)), equals: #"{"a":1}"#)
    expect(text(Array("\"log\"\n{\"n\":1}\n".utf8)), equals: #"["log",{"n":1}]"#)
    expect(text(Array("nan".utf8)), equals: #""6e616e""#)
    #expect(text([]) == #""""#)
    expect(text([0x22, 0xFF, 0x22]), equals: #""22ff22""#)
    expect(StateText.value(Fact.text("[1]")), equals: .array([.number(1)]))
    expect(StateText.value(Fact.text("a b")), equals: .string("a b"))
    expect(StateText.value(Fact.integer(.max)).description, equals: "9223372036854775807")
  }

  @Test("sizes and ages are told in the unit that fits")
  func quantities() {
    expect(
      [0, 1023, 1024, 10_200, 36 << 10, 1_022_000, 3 << 29, 1 << 50].map(StateText.size),
      equals: ["0 B", "1023 B", "1.0 KiB", "10 KiB", "36 KiB", "998 KiB", "1.5 GiB", "1024 TiB"])
    expect(
      [-1, 0.5, 59, 60, 3599, 7200, 86399, 200_000].map(StateText.age),
      equals: ["0s ago", "0s ago", "59s ago", "1m ago", "59m ago", "2h ago", "23h ago", "2d ago"])
    #expect(StateText.count(1, "key") == "1 key" && StateText.count(0, "key") == "0 keys")
  }

  @Test("of a path that is too long the end is kept")
  func paths() {
    expect(StateText.end(of: "a/b.yaml", columns: 8), equals: "a/b.yaml")
    expect(StateText.end(of: "folder/b.yaml", columns: 8), equals: "…/b.yaml")
    expect(StateText.end(of: "文件夹/b\u{1B}", columns: 9), equals: "…/b\\u001b")
  }
}
