import Expectations
@testable import Reactive
import Testing

@Suite struct InstantTests {
  @Test func movesByDurations() {
    let instant = Instant(nanoseconds: 5)
    expect(instant + .nanoseconds(3), equals: Instant(nanoseconds: 8))
    expect(instant - .nanoseconds(7), equals: Instant(nanoseconds: -2))
    expect(instant + .seconds(-1), equals: Instant(nanoseconds: -999_999_995))
    expect(Instant(nanoseconds: 8) - instant, equals: .nanoseconds(3))
    expect(instant - Instant(nanoseconds: 8), equals: .nanoseconds(-3))
    #expect(instant < instant + .nanoseconds(1))
  }

  @Test func stopsAtTheEndsOfWhatCanBeCounted() {
    expect(Instant(nanoseconds: .max - 1) + .seconds(1), equals: .distantFuture)
    expect(Instant.distantFuture + .seconds(1), equals: .distantFuture)
    expect(Instant(nanoseconds: .min + 1) - .seconds(1), equals: Instant(nanoseconds: .min))
    expect(Instant() + .seconds(Int64.max), equals: .distantFuture)
    expect(Instant() - .seconds(Int64.max), equals: Instant(nanoseconds: .min))
  }

  @Test func theDistanceOfTheEndsIsADuration() {
    let distance = Instant.distantFuture - Instant(nanoseconds: .min)
    expect(distance, equals: .nanoseconds(Int64.max) + .nanoseconds(Int64.max) + .nanoseconds(1))
  }

  @Test func aDurationHasWholeNanoseconds() {
    expect(Duration.milliseconds(1500).nanoseconds, equals: 1_500_000_000)
    expect((Duration.nanoseconds(1) / 3).nanoseconds, equals: 0)
    expect(Duration.seconds(-2).nanoseconds, equals: -2_000_000_000)
    expect(Duration.nanoseconds(Int64.max).nanoseconds, equals: .max)
    expect(Duration.nanoseconds(Int64.min).nanoseconds, equals: .min)
    expect((Duration.nanoseconds(Int64.max) + .nanoseconds(1)).nanoseconds, equals: .max)
  }

  @Test func shortAndLongDurationsAreCountedAlike() {
    for nanoseconds in [9_223_372_035, 9_223_372_036, 9_223_372_037, 9_999_999_999] as [Int64] {
      let duration = Duration.nanoseconds(nanoseconds) + .nanoseconds(1) / 3
      expect(duration.nanoseconds, equals: nanoseconds)
      expect((.zero - duration).nanoseconds, equals: -nanoseconds)
    }
  }

  @Test func aDurationOfMoreSecondsThanSixtyFourBitsHoldIsTheLongest() {
    expect((Duration.seconds(Int64.max) * 2).nanoseconds, equals: .max)
    expect((Duration.seconds(Int64.min) * 2).nanoseconds, equals: .min)
    expect((Duration.nanoseconds(Int64.min) + .nanoseconds(1)).nanoseconds, equals: .min + 1)
    expect(Instant() + Duration.seconds(Int64.max) * 1.0, equals: .distantFuture)
  }

  @Test func isTheInstantOfAClock() {
    let start = Instant(nanoseconds: 5)
    expect(start.advanced(by: .seconds(1)), equals: start + .seconds(1))
    expect(start.duration(to: start + .seconds(1)), equals: .seconds(1))
    expect(VirtualScheduler().minimumResolution, equals: .nanoseconds(1))
  }
}
