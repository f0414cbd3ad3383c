import Expectations
import Testing

@testable import Language

@Suite struct StyleTests {
  @Test("names make a style")
  func names() throws {
    let paint = Paint(isOn: true)
    expect(paint("x", try Style("bold red")), equals: "\u{1B}[1;31mx\u{1B}[0m")
    try expect(Style("bold red"), equals: .bold + .red)
    #expect(try Style("plain") == .plain && Style("") == .plain)
    #expect(paint("x", .plain) == "x" && paint("", .red) == "")
    expect(Paint.off("x", .red), equals: "x")
  }

  @Test("a name that is none is pointed at")
  func wrongNames() {
    #expect(throws: TextError("unknown style “gren”", at: 5..<9, hint: "did you mean “green”?")) {
      try Style("bold gren")
    }
  }

  @Test("colours are for terminals that have them, and for who did not decline")
  func whenColoursAreWanted() {
    func isWanted(_ isTerminal: Bool, _ environment: [String: String]) -> Bool {
      Paint.isWanted(isTerminal: isTerminal) { environment[$0] }
    }
    #expect(isWanted(true, [:]) && isWanted(true, ["NO_COLOR": "", "TERM": "xterm"]))
    #expect(!isWanted(false, [:]) && !isWanted(true, ["NO_COLOR": "1"]) && !isWanted(true, ["TERM": "dumb"]))
  }
}
