import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct BackoffTests {
  private func delays(_ backoff: Backoff, _ count: Int) -> [Duration?] {
    (0..<count).map { backoff.delay(beforeRetry: $0, after: Oops()) }
  }

  @Test func growsByItsFactorUpToTheCap() {
    let backoff = Backoff(initial: .seconds(1), factor: 3, cap: .seconds(10), jitter: 0)
    expect(delays(backoff, 5), equals: [1, 3, 9, 10, 10].map { .seconds($0) })
  }

  @Test func endsAfterItsAttempts() {
    let backoff = Backoff(initial: .seconds(1), jitter: 0, attempts: 2)
    expect(delays(backoff, 3), equals: [.seconds(1), .seconds(2), nil])
    expect(delays(Backoff(attempts: 0), 1), equals: [nil])
  }

  @Test func chanceShortensAWaitByAtMostTheJitter() {
    expect(delays(Backoff(initial: .seconds(4), jitter: 1, random: { 0.5 }), 1), equals: [.seconds(2)])
    expect(delays(Backoff(initial: .seconds(4), jitter: 0.5, random: { 0.5 }), 1), equals: [.seconds(3)])
    expect(delays(Backoff(initial: .seconds(4), jitter: 9, random: { 0.5 }), 1), equals: [.seconds(2)])
    expect(delays(Backoff(initial: .seconds(4), jitter: -9, random: { 0.5 }), 1), equals: [.seconds(4)])
    for _ in 0..<100 {
      let delay = Backoff(initial: .seconds(4)).delay(beforeRetry: 0, after: Oops())
      expect(delay.map { $0 > .zero && $0 <= .seconds(4) }, equals: true)
    }
  }

  @Test func whatTheErrorAsksForIsGivenUnchanged() {
    let backoff = Backoff(
      initial: .seconds(1), cap: .seconds(2), jitter: 1, attempts: 1,
      requested: { ($0 as? Oops).map { .seconds($0.number) } }, random: { 0.5 })
    expect(backoff.delay(beforeRetry: 0, after: Oops(number: 90)), equals: .seconds(90))
    expect(backoff.delay(beforeRetry: 0, after: Oops(number: -3)), equals: .zero)
    expect(backoff.delay(beforeRetry: 0, after: MarbleFailure()), equals: .milliseconds(500))
    expectNil(backoff.delay(beforeRetry: 1, after: Oops(number: 90)))
  }

  @Test func manyRetriesStayAtTheCap() {
    let backoff = Backoff(initial: .seconds(1), factor: 2, cap: .seconds(60), jitter: 0)
    expect(backoff.delay(beforeRetry: 1_000_000, after: Oops()), equals: .seconds(60))
  }

  @Test func aCapBelowTheFirstWaitHolds() {
    expect(
      delays(Backoff(initial: .seconds(9), cap: .seconds(2), jitter: 0), 2),
      equals: [.seconds(2), .seconds(2)])
  }

  @Test func growsToAnyCapWithoutOverflow() {
    for factor in [1000, .infinity, .nan] {
      let backoff = Backoff(initial: .seconds(1), factor: factor, cap: .seconds(Int64.max / 2), jitter: 0)
      let wait = backoff.delay(beforeRetry: 20, after: Oops())
      expect(wait.map { $0 / .seconds(Int64.max / 2) }, equals: 1)
    }
  }
}
