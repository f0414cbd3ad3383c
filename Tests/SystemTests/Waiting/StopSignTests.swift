import Reactive
import Testing

import TestSupport
@testable import System

@Suite struct StopSignTests {
  @Test("it ends a wait that is under way, and all that come later")
  func waiting() {
    let stop = StopSign()
    #expect(!stop.wait(seconds: 0.02))
    let other = SerialScheduler(name: "test")
    other.perform { stop.set() }
    #expect(stop.wait(seconds: 100))
    stop.set()
    #expect(stop.isSet)
    #expect(stop.wait(seconds: 100))
  }
}
