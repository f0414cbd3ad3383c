@testable import Reactive
import Testing

@Suite struct ReactiveErrorTests {
  @Test func saysWhatHappened() {
    #expect(
      "\(ReactiveError.overflow(what: "a mailbox", limit: 3))" == "a mailbox is full: it holds at most 3")
    #expect("\(ReactiveError.timedOut(after: .seconds(5)))" == "nothing came for 5.0 seconds")
  }
}
