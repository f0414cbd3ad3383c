@testable import Reactive
import Testing

@Suite struct EmptyTests {
  @Test func completesAtOnce() {
    #expect(outcome { _ in Observable<Int>.empty() } == "|")
  }

  @Test func completesAtOnceForALateSubscriberToo() throws {
    try expectMarbles("---|", from: .seconds(3)) { _ in Observable<Int>.empty() }
  }

  @Test func leavesTheSubscriptionDisposed() {
    #expect(Observable<Int>.empty().subscribe().isDisposed)
  }
}
