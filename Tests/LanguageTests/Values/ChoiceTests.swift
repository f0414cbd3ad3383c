import Testing

@testable import Language

@Suite struct ChoiceTests {
  private enum Policy: String, CaseIterable { case log, stop, deadLetter = "dead_letter" }

  @Test func namesStandForValues() throws {
    #expect(try choice("stop", of: Policy.self) == .stop)
    #expect(try choice("b", among: ["a": 1, "b": 2]) == 2)
  }

  @Test func aWrongNameIsCorrected() {
    let typo = #expect(throws: TextError.self) { try choice("dead-leter", of: Policy.self) }
    #expect(typo?.hint == "did you mean “dead_letter”?")
    let none = #expect(throws: TextError.self) { try choice("xyz", among: ["a": 1, "b": 2]) }
    #expect(none?.hint == "it can be “a” or “b”")
  }
}
