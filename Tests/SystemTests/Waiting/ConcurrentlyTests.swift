import Expectations
import Reactive
import Testing

@testable import System

@Suite struct ConcurrentlyTests {
  @Test("results are in order, whichever piece is done first")
  func order() {
    expect(concurrently(100, threads: 8) { $0 * $0 }, equals: (0..<100).map { $0 * $0 })
    expect(concurrently(0, threads: 8) { $0 }, equals: [])
    expect(concurrently(1, threads: 0) { $0 }, equals: [0])
  }

  @Test("as many pieces as threads are under way at once, and no more")
  func threads() {
    let under = ConditionLock((now: 0, most: 0))
    _ = concurrently(12, threads: 4) { _ in
      under.change { under in
        under.now += 1
        under.most = max(under.most, under.now)
      }
      // Each waits for three others, so that all four have to be there.
      _ = under.wait(until: MonotonicClock.now + .seconds(20)) { under in under.most == 4 ? true : nil }
      under.change { $0.now -= 1 }
    }
    expect(under.wait { $0.most }, equals: 4)
  }
}
