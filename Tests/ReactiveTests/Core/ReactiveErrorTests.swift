import Expectations
@testable import Reactive
import Testing

@Suite struct ReactiveErrorTests {
  @Test func saysWhatHappened() {
    expect(
      "\(ReactiveError.overflow(what: "a mailbox", limit: 3))",
      equals: "a mailbox is full: it holds at most 3")
    expect("\(ReactiveError.timedOut(after: .seconds(5)))", equals: "nothing came for 5.0 seconds")
  }
}
