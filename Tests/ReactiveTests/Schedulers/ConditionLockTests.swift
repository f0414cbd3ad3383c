import Expectations
import Foundation
import Reactive
import Testing

@Suite struct ConditionLockTests {
  @Test("who waits gets the answer once there is one")
  func changes() {
    let number = ConditionLock(0)
    Thread.detachNewThread { for _ in 0..<1000 { number.change { $0 += 1 } } }
    expect(number.wait { $0 == 1000 ? "there" : nil }, equals: "there")
  }

  @Test("a change made while waiting is one that others hear of")
  func chain() {
    let number = ConditionLock(0)
    Thread.detachNewThread {
      _ = number.wait { value -> Bool? in
        value == 1
          ? {
            value = 2; return true
          }() : nil
      }
    }
    number.change { $0 = 1 }
    expect(number.wait { $0 == 2 ? true : nil }, equals: true)
  }

  @Test("at its time a wait ends without an answer")
  func time() {
    let number = ConditionLock(0)
    let took = ContinuousClock().measure {
      expectNil(number.wait(until: MonotonicClock.now + .milliseconds(20)) { $0 == 1 ? true : nil })
    }
    #expect(took >= .milliseconds(20))
  }
}
