import Expectations
import Reactive
import Testing

@Suite struct TokenBucketTests {
  private func milliseconds(_ number: Int) -> Instant { Instant() + .milliseconds(number) }

  @Test func paysOutAtASteadyRate() {
    var bucket = TokenBucket(4, per: .seconds(1))
    expect(bucket.available(at: milliseconds(7)), equals: milliseconds(7))
    expect(bucket.take(at: milliseconds(0)), equals: true)
    expect(bucket.take(at: milliseconds(249)), equals: false)
    expect(bucket.available(at: milliseconds(100)), equals: milliseconds(250))
    expect(bucket.take(at: milliseconds(250)), equals: true)
  }

  @Test func savesUpForABurst() {
    var bucket = TokenBucket(1, per: .seconds(1), burst: 3)
    expect((0..<4).map { _ in bucket.take(at: milliseconds(0)) }, equals: [true, true, true, false])
    expect(bucket.available(at: milliseconds(0)), equals: milliseconds(1000))
    expect(bucket.take(at: milliseconds(1000)), equals: true)
    expect((0..<4).map { _ in bucket.take(at: milliseconds(60_000)) }, equals: [true, true, true, false])
  }

  @Test func askingTakesNothing() {
    let bucket = TokenBucket(1, per: .seconds(1))
    expect(bucket.available(at: milliseconds(5)), equals: milliseconds(5))
    expect(bucket.available(at: milliseconds(5)), equals: milliseconds(5))
  }

  @Test func countAndBurstBelowOneAreOne() {
    var bucket = TokenBucket(0, per: .seconds(1), burst: 0)
    expect(bucket.take(at: milliseconds(0)), equals: true)
    expect(bucket.available(at: milliseconds(0)), equals: milliseconds(1000))
  }

  @Test func aBurstWithoutEndNeverRunsDry() {
    var bucket = TokenBucket(1, per: .seconds(1), burst: .max)
    #expect((0..<1000).allSatisfy { _ in bucket.take(at: milliseconds(0)) })
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>) func neverPaysOutMoreThanRateAndBurst(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var bucket = TokenBucket(10, per: .seconds(1), burst: 5)
    var time = 0
    var taken: [Int] = []
    for _ in 0..<2000 {
      time += random.below(120)
      if bucket.take(at: milliseconds(time)) { taken.append(time) }
    }
    for (index, start) in taken.enumerated() {
      let within = taken[index...].prefix { $0 < start + 1000 }.count
      #expect(within <= 10 + 5)
    }
  }

  @Test func aPeriodThatCannotBeDividedEvenlyHasNoMoreThanItsCount() {
    var bucket = TokenBucket(3, per: .seconds(1))
    var time = Instant()
    let times = (0..<30).map { _ in
      time = bucket.available(at: time)
      _ = bucket.take(at: time)
      return time
    }
    for (first, fourth) in zip(times, times.dropFirst(3)) { #expect(fourth >= first + .seconds(1)) }
  }
}
