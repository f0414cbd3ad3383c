import Expectations
import System
import Testing
import TestSupport
@testable import Language

@Suite struct PrintableTests {
  @Test("what a terminal obeys becomes a visible escape")
  func escapes() {
    expect(printable("a\tb\nc\r\nd"), equals: "a\\tb\\nc\\r\\nd")
    expect(printable("\u{1B}[2J\u{7F}\u{9B}1m\u{0}"), equals: "\\u001b[2J\\u007f\\u009b1m\\u0000")
    expect(
      printable("\u{202E}x\u{2069}\u{2028}\u{2029}\u{FEFF}"), equals: "\\u202ex\\u2069\\u2028\\u2029\\ufeff")
  }

  @Test("everything else stays as it is")
  func others() {
    for text in ["", "plain \\n", "żółć 日本 👩‍👩‍👧 e\u{301}", "\u{A0}\u{200D}"] {
      expect(printable(text), equals: text)
    }
  }

  @Test("no control character is left, whatever there was")
  func nothingLeft() {
    for value in UInt32(0)..<0x3000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let shown = printable("a\(scalar)b").unicodeScalars
      #expect(!shown.contains { $0.properties.generalCategory == .control }, "U+\(String(value, radix: 16))")
      #expect(
        !shown.contains { (0x202A...0x202E).contains($0.value) || (0x2066...0x2069).contains($0.value) })
    }
  }
}

@Suite struct ShellQuotingTests {
  @Test("a shell reads back what was quoted")
  func quoting() {
    let texts = [
      "plain/x-1.sh", "", "a b", "it's \"$(id)\" `x` \\n", "two\nlines\t'\\", "\u{1B}[2J", "火 *", "~",
    ]
    let result = ChildCommand(
      arguments: ["bash", "-c", "printf '%s|' " + shellQuoted(texts)], output: .captured(limit: 1000)
    ).run()
    expect(text(result), equals: texts.map { $0 + "|" }.joined())
    expect(shellQuoted(["./a.sh", "it's"]), equals: #"./a.sh 'it'\''s'"#)
    expect(shellQuoted("a\n'"), equals: #"$'a\n\''"#)
  }
}
