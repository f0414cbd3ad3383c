@testable import Reactive
import Testing

@Suite struct InstantTests {
  @Test func movesByDurations() {
    let instant = Instant(nanoseconds: 5)
    #expect(instant + .nanoseconds(3) == Instant(nanoseconds: 8))
    #expect(instant - .nanoseconds(7) == Instant(nanoseconds: -2))
    #expect(instant + .seconds(-1) == Instant(nanoseconds: -999_999_995))
    #expect(Instant(nanoseconds: 8) - instant == .nanoseconds(3))
    #expect(instant - Instant(nanoseconds: 8) == .nanoseconds(-3))
    #expect(instant < instant + .nanoseconds(1))
  }

  @Test func stopsAtTheEndsOfWhatCanBeCounted() {
    #expect(Instant(nanoseconds: .max - 1) + .seconds(1) == .distantFuture)
    #expect(Instant.distantFuture + .seconds(1) == .distantFuture)
    #expect(Instant(nanoseconds: .min + 1) - .seconds(1) == Instant(nanoseconds: .min))
    #expect(Instant() + .seconds(Int64.max) == .distantFuture)
    #expect(Instant() - .seconds(Int64.max) == Instant(nanoseconds: .min))
  }

  @Test func theDistanceOfTheEndsIsADuration() {
    let distance = Instant.distantFuture - Instant(nanoseconds: .min)
    #expect(distance == .nanoseconds(Int64.max) + .nanoseconds(Int64.max) + .nanoseconds(1))
  }

  @Test func aDurationHasWholeNanoseconds() {
    #expect(Duration.milliseconds(1500).nanoseconds == 1_500_000_000)
    #expect((Duration.nanoseconds(1) / 3).nanoseconds == 0)
    #expect(Duration.seconds(-2).nanoseconds == -2_000_000_000)
    #expect(Duration.nanoseconds(Int64.max).nanoseconds == .max)
    #expect(Duration.nanoseconds(Int64.min).nanoseconds == .min)
    #expect((Duration.nanoseconds(Int64.max) + .nanoseconds(1)).nanoseconds == .max)
  }

  @Test func shortAndLongDurationsAreCountedAlike() {
    for nanoseconds in [9_223_372_035, 9_223_372_036, 9_223_372_037, 9_999_999_999] as [Int64] {
      let duration = Duration.nanoseconds(nanoseconds) + .nanoseconds(1) / 3
      #expect(duration.nanoseconds == nanoseconds)
      #expect((.zero - duration).nanoseconds == -nanoseconds)
    }
  }

  @Test func aDurationOfMoreSecondsThanSixtyFourBitsHoldIsTheLongest() {
    #expect((Duration.seconds(Int64.max) * 2).nanoseconds == .max)
    #expect((Duration.seconds(Int64.min) * 2).nanoseconds == .min)
    #expect((Duration.nanoseconds(Int64.min) + .nanoseconds(1)).nanoseconds == .min + 1)
    #expect(Instant() + Duration.seconds(Int64.max) * 1.0 == .distantFuture)
  }

  @Test func isTheInstantOfAClock() {
    let start = Instant(nanoseconds: 5)
    #expect(start.advanced(by: .seconds(1)) == start + .seconds(1))
    #expect(start.duration(to: start + .seconds(1)) == .seconds(1))
    #expect(VirtualScheduler().minimumResolution == .nanoseconds(1))
  }
}
