import Expectations
import Testing

@testable import Fetch

@Suite struct ShownTextTests {
  @Test("what a terminal obeys becomes a blank, and much becomes little")
  func excerpts() {
    expect(excerpt("  a\n\n\tb \u{1B}[31mc\u{202E}d  "), equals: "a b [31mc d")
    expect(excerpt("abcdef", limit: 3), equals: "abc…")
    expect(excerpt("abc", limit: 3), equals: "abc")
    expect(excerpt(""), equals: "")
  }

  @Test(
    "durations are written for people",
    arguments: [
      (0.0, "0 s"), (0.2, "1 s"), (99, "99 s"), (100, "2 min"), (1380, "23 min"), (1381, "24 min"),
      (5940, "99 min"),
      (6000, "1 h 40 min"), (7200, "2 h"), (172_800, "2 days"), (1e300, "11574075 days"), (-5, "0 s"),
    ])
  func spokenTime(_ seconds: Double, _ words: String) {
    expect(spoken(Duration(clamping: seconds)), equals: words)
  }
}
