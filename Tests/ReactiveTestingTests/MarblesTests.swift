import Reactive
import ReactiveTesting
import Testing

@Suite struct MarblesTests {
  private func times(_ text: String) throws -> [Int] { try Marbles(text).steps.map(\.time) }

  /// What is drawn, as text again: one entry for each step in which something happens.
  private func steps(_ text: String) throws -> [String] {
    try Marbles(text).steps.map { step in
      step.events.map { event in
        switch event {
        case .next(let character): String(character)
        case .failed: "#"
        case .completed: "|"
        }
      }.joined()
    }
  }

  @Test func oneCharacterIsOneStep() throws {
    #expect(try times("-a--b-|") == [1, 4, 6])
    #expect(try steps("-a--b-|") == ["a", "b", "|"])
    #expect(try Marbles("-a--b-|").length == 7)
  }

  @Test func aGroupIsOneStep() throws {
    #expect(try times("-a-(b|)") == [1, 3])
    #expect(try times("-(abc)-d") == [1, 3])
    #expect(try steps("-(abc)-d") == ["abc", "d"])
    #expect(try Marbles("-(abc)-d").length == 4)
  }

  @Test func aCrossFailsWithTheMarbleFailure() throws {
    let event = try #require(try Marbles("-#").steps.last?.events.first)
    guard case .failed(let error) = event else {
      Issue.record("not a failure")
      return
    }
    #expect(error is MarbleFailure)
  }

  @Test func timeMayPassAfterTheEnd() throws {
    #expect(try times("a|---") == [0, 1])
    #expect(try Marbles("").length == 0)
    #expect(try Marbles("---").steps.isEmpty)
  }

  @Test func whatIsWrongIsToldWithItsColumn() {
    let wrong: [(text: String, column: Int, what: String)] = [
      ("-a(b(c))", 4, "a group inside a group"), ("-a)", 2, "no group is open here"),
      ("-(a-b)", 3, "time cannot pass inside a group"), ("-a|b", 3, "nothing can follow the end"),
      ("-(|a)", 3, "nothing can follow the end"), ("#|", 1, "nothing can follow the end"),
      ("-(ab", 4, "the group is not closed"),
    ]
    for (text, column, what) in wrong {
      let error = #expect(throws: MarbleError.self) { try Marbles(text) }
      #expect(error?.column == column, "\(text)")
      #expect(error?.what == what, "\(text)")
    }
  }

  @Test func theErrorPointsToTheColumn() throws {
    let error = #expect(throws: MarbleError.self) { try Marbles("-a|b") }
    #expect(
      error?.description == """
        nothing can follow the end, in column 4
          -a|b
             ^
        """)
  }
}
