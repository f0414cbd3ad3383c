import Expectations
@testable import Reactive
import Testing

@Suite struct AlarmTests {
  private final class Owner: AlarmOwner {
    let rings = Journal<Instant>()
    private let clock: VirtualScheduler

    init(_ clock: VirtualScheduler) {
      self.clock = clock
    }

    func ring() {
      rings.note(clock.now)
    }
  }

  private func second(_ number: Int) -> Instant { Instant() + .seconds(number) }

  @Test func ringsOnceAtItsTime() {
    let clock = VirtualScheduler()
    let owner = Owner(clock)
    Alarm(on: clock, in: Subscription()).set(at: second(3), for: owner)
    clock.run()
    expect(owner.rings.entries, equals: [second(3)])
  }

  @Test func thePresentWishReplacesTheOneBefore() {
    let clock = VirtualScheduler()
    let owner = Owner(clock)
    let alarm = Alarm(on: clock, in: Subscription())
    alarm.set(at: second(3), for: owner)
    alarm.set(at: second(5), for: owner)
    expect(clock.pending, equals: 1)
    clock.advance(to: second(4))
    #expect(owner.rings.entries.isEmpty)
    alarm.set(at: second(9), for: owner)
    alarm.set(at: second(6), for: owner)
    expect(clock.pending, equals: 1)
    clock.run()
    expect(owner.rings.entries, equals: [second(6)])
  }

  @Test func anEarlierWishTakesTheLaterTimerBack() {
    let clock = VirtualScheduler()
    let owner = Owner(clock)
    let alarm = Alarm(on: clock, in: Subscription())
    alarm.set(at: second(9), for: owner)
    alarm.set(at: second(2), for: owner)
    expect(clock.pending, equals: 1)
    clock.run()
    expect(owner.rings.entries, equals: [second(2)])
    expect(clock.now, equals: second(2))
  }

  @Test func clearedItDoesNotRingUntilSetAgain() {
    let clock = VirtualScheduler()
    let owner = Owner(clock)
    let alarm = Alarm(on: clock, in: Subscription())
    alarm.set(at: second(2), for: owner)
    alarm.clear()
    clock.advance(to: second(3))
    #expect(owner.rings.entries.isEmpty)
    alarm.set(at: second(4), for: owner)
    clock.run()
    expect(owner.rings.entries, equals: [second(4)])
  }

  @Test func theEndOfTheSubscriptionTakesTheTimerBack() {
    let clock = VirtualScheduler()
    let owner = Owner(clock)
    let subscription = Subscription()
    let alarm = Alarm(on: clock, in: subscription)
    alarm.set(at: second(2), for: owner)
    subscription.dispose()
    expect(clock.pending, equals: 0)
    alarm.set(at: second(3), for: owner)
    expect(clock.pending, equals: 0)
  }
}
