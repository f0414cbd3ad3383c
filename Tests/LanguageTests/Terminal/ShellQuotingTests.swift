import TestSupport
import System
import Testing

@testable import Language

@Suite struct ShellQuotingTests {
  @Test("a shell reads back what was quoted")
  func quoting() {
    let texts = [
      "plain/x-1.sh", "", "a b", "it's \"$(id)\" `x` \\n", "two\nlines\t'\\", "\u{1B}[2J", "火 *", "~",
    ]
    let result = ChildCommand(
      arguments: ["bash", "-c", "printf '%s|' " + shellQuoted(texts)], output: .captured(limit: 1000)
    ).run()
    #expect(text(result) == texts.map { $0 + "|" }.joined())
    #expect(shellQuoted(["./a.sh", "it's"]) == #"./a.sh 'it'\''s'"#)
    #expect(shellQuoted("a\n'") == #"$'a\n\''"#)
  }
}
