import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct AdjacentPairsTests {
  @Test func joinsEachToTheOneBefore() throws {
    try expectMarbles("---a--b-|", legend: ["a = ab", "b = bc"]) {
      try $0.hot("a--b--c-|").adjacentPairs().map { $0 + $1 }
    }
  }

  @Test func oneElementGivesNone() throws {
    try expectMarbles("--|") { try $0.hot("a-|").adjacentPairs().map { $0 + $1 } }
    try expectMarbles("--#") { try $0.hot("a-#").adjacentPairs().map { $0 + $1 } }
  }

  @Test func anElementMayBeNil() {
    expect(
      outcome { _ in Observable<Int?>.from([nil, 1, nil]).adjacentPairs().map { "\($0 ?? 0)\($1 ?? 0)" } },
      equals: "01, 10, |")
  }
}
