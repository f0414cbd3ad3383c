import Reactive
import Testing

@Suite struct MonotonicClockTests {
  @Test("a wait is never shorter than asked, nor longer than can be said")
  func pollTimeouts() {
    let now = Instant(nanoseconds: 5)
    #expect(MonotonicClock.pollTimeout(from: now, until: now) == 0)
    #expect(MonotonicClock.pollTimeout(from: now, until: now - .seconds(1)) == 0)
    #expect(MonotonicClock.pollTimeout(from: now, until: now + .nanoseconds(1)) == 1)
    #expect(MonotonicClock.pollTimeout(from: now, until: now + .milliseconds(7)) == 7)
    #expect(MonotonicClock.pollTimeout(from: now, until: now + .seconds(1 << 30)) == .max)
    #expect(MonotonicClock.pollTimeout(from: now, until: .distantFuture) == -1)
  }
}
