import Reactive
import Testing

@testable import System

@Suite struct WakeUpTests {
  @Test("a ring before the wait is not lost, and ends one wait only")
  func rings() {
    let wakeUp = WakeUp()
    wakeUp.ring()
    wakeUp.ring()
    wakeUp.wait(or: nil)
    let start = MonotonicClock.now
    wakeUp.wait(or: nil, until: start + .milliseconds(20))
    #expect(MonotonicClock.now - start >= .milliseconds(20))
  }

  @Test("a ring from another thread and the stop sign end a wait", .timeLimit(.minutes(30)))
  func threads() {
    let (wakeUp, stop) = (WakeUp(), StopSign())
    let other = SerialScheduler(name: "test")
    other.perform { wakeUp.ring() }
    wakeUp.wait(or: stop)
    other.perform { stop.set() }
    wakeUp.wait(or: stop)
    #expect(stop.isSet)
  }
}
