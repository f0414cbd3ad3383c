import Expectations
import Testing
@testable import Language

@Suite struct SuggestionTests {
  @Test func theNearestNameIsFound() {
    let names = ["filter", "map", "debounce", "max_wait", "distinct_until_changed", "key"]
    let cases = [
      ("filtr", "filter"), ("fliter", "filter"), ("FILTER", "filter"), ("maxWait", "max_wait"),
      ("max-wait", "max_wait"),
      ("mapp", "map"), ("debounc", "debounce"), ("distinct", "distinct_until_changed"), ("kye", "key"),
    ]
    for (given, expected) in cases { expect(nearest(to: given, among: names), equals: expected, "\(given)") }
    for given in ["", "x", "zzz", "window", String(repeating: "filter", count: 100)] {
      expectNil(nearest(to: given, among: names), "\(given)")
    }
  }

  @Test func withoutANearNameAllAreListed() {
    expect(suggestion(for: "x", among: ["a", "b", "c"]), equals: "it can be “a”, “b” or “c”")
    expectNil(suggestion(for: "x", among: []))
    expectNil(suggestion(for: "x", among: (0..<99).map { "name\($0)" }))
  }

  @Test func distanceCountsMistakes() {
    func distance(_ left: String, _ right: String) -> Int { editDistance(Array(left), Array(right)) }
    expect(distance("", "abc"), equals: 3)
    expect(distance("abc", "abc"), equals: 0)
    expect(distance("abc", "acb"), equals: 1)
    expect(distance("kitten", "sitting"), equals: 3)
  }
}

@Suite struct ChoiceTests {
  private enum Policy: String, CaseIterable { case log, stop, deadLetter = "dead_letter" }

  @Test func namesStandForValues() throws {
    try expect(choice("stop", of: Policy.self), equals: .stop)
    try expect(choice("b", among: ["a": 1, "b": 2]), equals: 2)
  }

  @Test func aWrongNameIsCorrected() {
    let typo = #expect(throws: TextError.self) { try choice("dead-leter", of: Policy.self) }
    expect(typo?.hint, equals: "did you mean “dead_letter”?")
    let none = #expect(throws: TextError.self) { try choice("xyz", among: ["a": 1, "b": 2]) }
    expect(none?.hint, equals: "it can be “a” or “b”")
  }
}
