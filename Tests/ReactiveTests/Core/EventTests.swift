@testable import Reactive
import Testing

@Suite struct EventTests {
  @Test func onlyTerminalsHaveNoElement() {
    let events: [Event<Int>] = [.next(1), .failed(Oops()), .completed]
    #expect(events.map(\.element) == [1, nil, nil])
    #expect(events.map(\.isTerminal) == [false, true, true])
  }

  @Test func nothingIsAnElementToo() {
    let event = Event<Int?>.next(nil)
    #expect(!event.isTerminal)
  }
}
