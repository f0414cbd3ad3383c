import Expectations
@testable import Delivery
import Reactive
import Testing

/// The time of a retry, which is stored by the clock on the wall.
@Suite struct StoredRetryTests {
  @Test(
    "a stored retry waits no longer than its back-off, whatever the clock showed",
    arguments: [-3600, 3600, -86_400, 86_400, -31_622_400, 31_622_400] as [Double])
  func clockSteps(step: Double) {
    let backoff = Backoff(initial: .seconds(5))
    for attempts in 1...9 {
      let longest = backoff.longestDelay(beforeRetry: attempts - 1)
      let due = 1_800_000_000 + step + longest / .seconds(1)
      let wait = backoff.wait(untilStored: due, attempts: attempts, now: 1_800_000_000)
      expect(wait, equals: (step > 0 ? longest : .zero))
      #expect(wait <= .seconds(60))
    }
    // By the right clock it waits for what is left.
    expect(backoff.wait(untilStored: 1003, attempts: 1, now: 1000), equals: .seconds(3))
  }
}
