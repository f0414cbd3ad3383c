import Reactive
import Testing

@testable import Nodes

@Suite struct StopSignalTests {
  @Test("it ends a wait that is under way, and all that come later")
  func raised() throws {
    let stop = try StopSignal()
    #expect(!stop.wait(until: SystemClock.now + .milliseconds(20)))
    inBackground { stop.raise() }
    #expect(stop.wait(until: .distantFuture))
    stop.raise()
    #expect(stop.isRaised)
    #expect(stop.wait(until: .distantFuture))
  }
}
