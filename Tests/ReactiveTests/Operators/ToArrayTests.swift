import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct ToArrayTests {
  @Test func emitsAllAtTheEnd() throws {
    try expectMarbles("----(a|)", legend: ["a = [\"a\", \"b\"]"]) { try $0.hot("a-b-|").toArray() }
    expect(outcome { _ in Observable<Int>.empty().toArray() }, equals: "[], |")
    try expectMarbles("--#") { try $0.hot("a-#").toArray() }
  }

  @Test func moreThanItsLimitIsAFailure() {
    let clock = VirtualScheduler()
    let recording = clock.record(Observable.from(1...3).toArray(limit: 2))
    #expect(recording.error as? ReactiveError == .overflow(what: "the list of toArray", limit: 2))
    expect(outcome { _ in Observable.from(1...2).toArray(limit: 2) }, equals: "[1, 2], |")
  }

  @Test func isAwaitedAsAWhole() async throws {
    try await expect(Observable.from(1...3).toArray().value, equals: [1, 2, 3])
  }
}
