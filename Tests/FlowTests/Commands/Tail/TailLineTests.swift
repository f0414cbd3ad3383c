import Expectations
import JSON
import Engine
import Language
import Testing

@testable import flow

@Suite struct TailLineTests {
  func lines(_ line: String, width: Int? = nil, isOn: Bool = false) -> [String] {
    guard let entry = TailEntry(LogLine(bytes: Array(line.utf8))) else { return [] }
    return TailLine(time: TailTime(isUTC: true), paint: Paint(isOn: isOn), width: width).lines(entry)
  }

  let slip = #"""
    {"type":"changed","key":"a","at":"2026-01-01T00:00:00Z","before":{},"after":{"name":"Falcon"},"diff":[
    {"path":"/net","before":"2026-01-02","after":"2026-01-03"},{"path":"/status/abbrev","before":"Go","after":null}]}
    """#.replacing("\n", with: "")

  @Test("a change is one line where that fits, else one for each field")
  func fields() {
    let whole =
      "2026-01-01 00:00:00Z  ~ changed  Falcon  net: 2026-01-02 → 2026-01-03, status.abbrev: Go → null"
    expect(lines(slip), equals: [whole])
    expect(lines(slip, width: whole.columns), equals: [whole])
    expect(
      lines(slip, width: whole.columns - 1),
      equals: [
        "2026-01-01 00:00:00Z  ~ changed  Falcon", "    net: 2026-01-02 → 2026-01-03",
        "    status.abbrev: Go → null",
      ])
    expect(lines(slip, width: 26)[1], equals: "    net: 2026-0… → 2026-0…")
  }

  @Test("texts of several lines are shown by the lines that differ, as far as there is room")
  func texts() {
    let change = #"""
      {"type":"changed","key":"a","at":"2026-01-01T00:00:00Z",
      "diff":[{"path":"/t","before":"a\nb","after":"a\nc"}]}
      """#.replacing("\n", with: "")
    expect(
      lines(change, width: 80, isOn: true).dropFirst(),
      equals: [
        "    t:", "    \u{1B}[36m@@ -1,2 +1,2 @@\u{1B}[0m", "     a", "    \u{1B}[31m-b\u{1B}[0m",
        "    \u{1B}[32m+c\u{1B}[0m",
      ])
    expect(lines(change), equals: [#"2026-01-01 00:00:00Z  ~ changed  a  t: a\nb → a\nc"#])
    let many = (0..<50).map { "\($0)\\n" }.joined()
    let long = lines(change.replacing("a\\nc", with: many), width: 80)
    #expect(long.count == 43 && long.last == "    … and 14 more lines")
  }

  @Test("no line is wider than the terminal, with colours and without")
  func neverTooWide() {
    for width in 16...120 {
      for isOn in [true, false] {
        for line in lines(slip, width: width, isOn: isOn) {
          expect(line.clippedStyled(to: width), equals: line)
        }
      }
    }
  }

  @Test("of two values only the one that is too long is cut")
  func unevenValues() {
    let long = String(repeating: "y", count: 200)
    let line =
      #"{"type":"changed","key":1,"at":0,"diff":[{"path":"/x","before":"ab","after":"\#(long)"}]}"#
    expect(lines(line, width: 40)[1], equals: "    x: ab → " + String(repeating: "y", count: 27) + "…")
  }

  @Test("the thing is called by its name, title or key")
  func names() {
    func name(_ rest: String) -> String? {
      lines("{\"type\":\"removed\",\"at\":0,\(rest)}").first.map { String($0.dropFirst(33)) }
    }
    expect(name(#""key":"k","before":{"name":"N","title":"T"},"after":null"#), equals: "N")
    expect(name(#""key":"k","before":{"title":"T\n"}"#), equals: "T\\n")
    expect(name(#""key":"k","before":{"name":7}"#), equals: "k")
    expect(name(#""key":["k",1]"#), equals: #"["k",1]"#)
  }

  @Test("a value says what it is: a side that has none, a text that looks like a number")
  func values() {
    let line =
      #"{"type":"changed","key":1,"at":0,"diff":[{"path":"/a","after":""},{"path":"/b~1c","before":"12","after":12},{"path":"","before":[1]}]}"#
    expect(
      lines(line),
      equals: [
        "1970-01-01 00:00:00Z  ~ changed  1  a: (none) → \"\", b/c: \"12\" → 12, [1] → (none)"
      ])
  }

  @Test("without a diff the two sides are compared")
  func withoutDiff() {
    expect(
      lines(#"{"type":"changed","key":1,"at":0,"before":{"n":1,"m":2},"after":{"n":3,"m":2}}"#),
      equals: [
        "1970-01-01 00:00:00Z  ~ changed  1  n: 1 → 3"
      ])
  }

  @Test("what is no change is shown as it is, what is no JSON dimmed, and nothing raw")
  func others() {
    expect(lines(#"{ "a": "\u001b[2J" , "b": "\#u{9B}"}"#), equals: [#"{"a":"\u001b[2J","b":"\u009b"}"#])
    expect(lines("oops\u{1B}[2J", isOn: true), equals: ["\u{1B}[2moops\\u001b[2J\u{1B}[0m"])
    #expect(lines("  \t").isEmpty)
    expect(lines(#"{"type":"changed"}"#), equals: [#"{"type":"changed"}"#])
  }

  @Test("many fields are counted on a terminal")
  func manyFields() {
    let diff = (0..<30).map { "{\"path\":\"/f\($0)\",\"before\":1,\"after\":2}" }.joined(separator: ",")
    let shown = lines("{\"type\":\"changed\",\"key\":1,\"at\":0,\"diff\":[\(diff)]}", width: 80)
    #expect(shown.count == 22 && shown.last == "    … and 10 more")
  }
}
