import Expectations
import Language
import Testing

@Suite("Lines of differences in a text") struct DifferenceLineTests {
  private func parts(_ text: String) -> [String]? {
    DifferenceLine.lines(of: text)?.map { "\($0.part) \($0.text)" }
  }

  @Test("a hunk is as long as its head says, and what is around it is one text each")
  func hunks() {
    expect(
      parts("a\nb\n@@ -1,3 +1,2 @@\n x\n-y\n\\ No newline at end of file\n-z\r\n+w\n+more\nend"),
      equals: [
        "outside a\nb", "hunk @@ -1,3 +1,2 @@", "same  x", "removed -y", "hunk \\ No newline at end of file",
        "removed -z\r", "added +w", "outside +more\nend",
      ])
  }

  @Test("a text that is cut within a hunk is a difference as far as it goes")
  func cut() {
    expect(parts("@@ -1,9 +1,9 @@\n x\n-y…"), equals: ["hunk @@ -1,9 +1,9 @@", "same  x", "removed -y…"])
  }

  @Test(
    "other texts are none",
    arguments: [
      "", "a\nb", "@@ -1 +1 @@", "@@ -1 +1 @@\nx", "@@ -a +1 @@\n-x", "@@ -1,2,3 +1 @@\n-x",
      "see @@ -1 +1 @@\n-x",
    ])
  func others(_ text: String) { expectNil(parts(text)) }
}
