@testable import Reactive
import Testing

@Suite struct NotificationTests {
  @Test func onlyTerminalsHaveNoElement() {
    let events: [Notification<Int>] = [.next(1), .failed(Oops()), .completed]
    #expect(events.map(\.element) == [1, nil, nil])
    #expect(events.map(\.isTerminal) == [false, true, true])
  }

  @Test func nothingIsAnElementToo() {
    let event = Notification<Int?>.next(nil)
    #expect(!event.isTerminal)
  }
}
