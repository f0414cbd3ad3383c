import Expectations
import Testing

@testable import flow

@Suite struct ManualTests {
  @Test("the help is written from the declaration")
  func help() {
    let manual = Manual(
      "show", "show it", operands: .any("FILE"), options: [ArgumentsTests.lines, ArgumentsTests.color],
      about:
        "Shows the same text over and over, line after line, until its reader has had enough and stops it.",
      examples: [("flow show a", "one file")])
    expect(
      manual.help,
      equals: """
        flow show [FILE…]    show it

        Shows the same text over and over, line after line, until its reader has had
        enough and stops it.

          # one file
          flow show a

        Options
          -n, --lines NUM          how many
              --color, --no-color  colours
          -h, --help               show this help

        """)
  }

  @Test("options may stand in groups, the common ones in the last")
  func groups() {
    let manual = Manual(
      "show", "show it",
      groups: [
        ("Input", [ArgumentsTests.lines]), ("Output", [ArgumentsTests.rename, ArgumentsTests.follow]),
      ])
    expect(
      manual.help,
      equals: """
        flow show    show it

        Input
          -n, --lines NUM       how many

        Output
              --rename FROM TO  another name
          -f, --follow          go on
          -h, --help            show this help

        """)
  }

  @Test("as many operands as declared are taken")
  func operandCounts() throws {
    func mistake(_ operands: Manual.Operands, _ given: [String]) -> String? {
      do throws(WrongUse) { try operands.check(given) } catch { return error.message }
      return nil
    }
    expect(mistake(.none, ["a"]), equals: "unexpected argument “a”")
    expect(mistake(.one("FILE"), []), equals: "FILE is missing")
    expect(mistake(.one("FILE"), ["a", "b"]), equals: "unexpected argument “b”")
    #expect(mistake(.any("FILE"), []) == nil && mistake(.some("FILE"), ["a", "b"]) == nil)
    let nodes = Manual.Operands.any("NODE").after("PIPELINE")
    expect(nodes.usage, equals: " PIPELINE [NODE…]")
    #expect(mistake(nodes, []) == "PIPELINE is missing" && mistake(nodes, ["a"]) == nil)
    let files = Manual.Operands.optional("FILE").after("FILTER", mayLack: true)
    #expect(
      files.usage == " FILTER [FILE]" && mistake(files, []) == nil && mistake(files, ["a", "b"]) == nil)
    expect(mistake(files, ["a", "b", "c"]), equals: "unexpected argument “c”")
    let node = Manual.Operands.one("NODE").after("PIPELINE")
    #expect(mistake(node, ["a"]) == "NODE is missing" && mistake(node, ["a", "b"]) == nil)
    expect(mistake(node, ["a", "b", "c"]), equals: "unexpected argument “c”")
  }

  @Test("what is several is called by its parts, and lists them and all their options")
  func parts() {
    var manual = Manual("state", "see it", examples: [("flow state ls", "all")])
    manual.parts = [
      Manual("state ls", "list it", operands: .any("FILE"), options: [ArgumentsTests.lines]),
      Manual("state rm", "drop it", options: [ArgumentsTests.lines, ArgumentsTests.follow]),
    ]
    expect(manual.usage, equals: "state ls|rm")
    expect(
      manual.help,
      equals: """
        flow state ls|rm    see it

          # all
          flow state ls

        Commands
          state ls [FILE…]  list it
          state rm          drop it

        flow state ls|rm --help describes each.

        Options
          -n, --lines NUM  how many
          -f, --follow     go on
          -h, --help       show this help

        """)
  }
}
