import Testing

@testable import flow

@Suite struct ManualTests {
  @Test("the help is written from the declaration")
  func help() {
    let manual = Manual(
      "show", "show it", operands: .any("FILE"), options: [ArgumentsTests.lines, ArgumentsTests.color],
      about: "Shows what there is to be shown, over and over, until somebody who has seen enough stops it.",
      examples: [("flow show a", "one file")])
    #expect(
      manual.help == """
        flow show [FILE…]    show it

        Shows what there is to be shown, over and over, until somebody who has seen
        enough stops it.

          # one file
          flow show a

        Options
          -n, --lines NUM          how many
              --color, --no-color  colours
          -h, --help               this text

        """)
  }

  @Test("as many operands as declared are taken")
  func operandCounts() throws {
    func mistake(_ operands: Manual.Operands, _ given: [String]) -> String? {
      do throws(WrongUse) { try operands.check(given) } catch { return error.message }
      return nil
    }
    #expect(mistake(.none, ["a"]) == "it takes no arguments, yet there is “a”")
    #expect(mistake(.one("FILE"), []) == "there is no FILE")
    #expect(mistake(.one("FILE"), ["a", "b"]) == "“b” is one FILE more than it takes")
    #expect(mistake(.any("FILE"), []) == nil && mistake(.some("FILE"), ["a", "b"]) == nil)
  }
}
