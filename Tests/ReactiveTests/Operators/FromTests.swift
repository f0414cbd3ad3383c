@testable import Reactive
import Testing

@Suite struct FromTests {
  @Test func emitsTheElementsAndCompletes() throws {
    try expectMarbles("(abc|)") { _ in Observable.from(["a", "b", "c"]) }
    #expect(outcome { _ in Observable.from(["a", "b"]) } == "a, b, |")
  }

  @Test func anEmptySequenceCompletes() {
    #expect(outcome { _ in Observable.from([Int]()) } == "|")
  }

  @Test func startsAnewForEachSubscriber() {
    let source = Observable.from(1...2)
    #expect(outcome { _ in source.concat(source) } == "1, 2, 1, 2, |")
  }

  @Test func stopsWhenNobodyListensAnyMore() {
    #expect(outcome { _ in Observable.from(0...).take(3) } == "0, 1, 2, |")
    let subscription = Subscription()
    let log = Journal<Int>()
    Observable.from(0...).subscribe(
      in: subscription,
      next: { value in
        log.note(value)
        if value == 1 { subscription.dispose() }
      })
    #expect(log.entries == [0, 1])
  }
}
