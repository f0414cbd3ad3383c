import Expectations
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
    try expect(times("-a--b-|"), equals: [1, 4, 6])
    try expect(steps("-a--b-|"), equals: ["a", "b", "|"])
    try expect(Marbles("-a--b-|").length, equals: 7)
  }

  @Test func aGroupIsOneStep() throws {
    try expect(times("-a-(b|)"), equals: [1, 3])
    try expect(times("-(abc)-d"), equals: [1, 3])
    try expect(steps("-(abc)-d"), equals: ["abc", "d"])
    try expect(Marbles("-(abc)-d").length, equals: 4)
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
    try expect(times("a|---"), equals: [0, 1])
    try expect(Marbles("").length, equals: 0)
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
      expect(error?.column, equals: column, "\(text)")
      expect(error?.what, equals: what, "\(text)")
    }
  }

  @Test func theErrorPointsToTheColumn() throws {
    let error = #expect(throws: MarbleError.self) { try Marbles("-a|b") }
    expect(
      error?.description,
      equals: """
        nothing can follow the end, in column 4
          -a|b
             ^
        """)
  }
}
