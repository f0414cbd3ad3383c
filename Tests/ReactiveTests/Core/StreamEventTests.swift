import Expectations
@testable import Reactive
import Testing

@Suite struct StreamEventTests {
  @Test func onlyTerminalsHaveNoElement() {
    let events: [StreamEvent<Int>] = [.next(1), .failed(Oops()), .completed]
    expect(events.map(\.element), equals: [1, nil, nil])
    expect(events.map(\.isTerminal), equals: [false, true, true])
  }

  @Test func nothingIsAnElementToo() {
    let event = StreamEvent<Int?>.next(nil)
    #expect(!event.isTerminal)
  }
}
