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
    for (given, expected) in cases { #expect(nearest(to: given, among: names) == expected, "\(given)") }
    for given in ["", "x", "zzz", "window", String(repeating: "filter", count: 100)] {
      #expect(nearest(to: given, among: names) == nil, "\(given)")
    }
  }

  @Test func withoutANearNameAllAreListed() {
    #expect(suggestion(for: "x", among: ["a", "b", "c"]) == "it can be “a”, “b” or “c”")
    #expect(suggestion(for: "x", among: []) == nil)
    #expect(suggestion(for: "x", among: (0..<99).map { "name\($0)" }) == nil)
  }

  @Test func distanceCountsMistakes() {
    func distance(_ left: String, _ right: String) -> Int { editDistance(Array(left), Array(right)) }
    #expect(distance("", "abc") == 3)
    #expect(distance("abc", "abc") == 0)
    #expect(distance("abc", "acb") == 1)
    #expect(distance("kitten", "sitting") == 3)
  }
}

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
