import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct DelayTests {
  @Test func emitsEverythingLater() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a--b--|")
    expect(clock.play(source.delay(for: .seconds(2), on: clock)), equals: "--a--b--|")
    expect(source.subscriptions, equals: ["^-----!"])
    expect(outcome { Observable.from(1...2).delay(for: .seconds(2), on: $0) }, equals: "1, 2, |")
  }

  @Test func keepsElementsOfOneInstantTogetherAndInOrder() throws {
    try expectMarbles("-(abc)-|") { clock in
      try clock.hot("(abc)-|").delay(for: .seconds(1), on: clock)
    }
  }

  @Test func aFailureOvertakesWhatWaits() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a--b#")
    expect(clock.play(source.delay(for: .seconds(2), on: clock)), equals: "--a-#")
    expect(source.subscriptions, equals: ["^---!"])
  }

  @Test func anEmptySourceCompletesLater() throws {
    try expectMarbles("---|") { clock in try clock.hot("-|").delay(for: .seconds(2), on: clock) }
  }

  @Test func failsWhenMoreWaitThanTheBacklogHolds() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("abc|")
    let recording = clock.record(source.delay(for: .seconds(9), on: clock, backlog: 2))
    clock.run()
    expect(recording.drawing.line, equals: "--#")
    #expect(recording.error as? ReactiveError == .overflow(what: "the backlog of delay", limit: 2))
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func aDelayOfZeroKeepsTheInstant() throws {
    try expectMarbles("a--b|") { clock in try clock.hot("a--b|").delay(for: .zero, on: clock) }
  }

  @Test func disposingDropsWhatWaits() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("ab---c|")
    expect(clock.play(source.delay(for: .seconds(3), on: clock).take(1)), equals: "---(a|)")
    expect(source.subscriptions, equals: ["^--!"])
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func everythingComesTheSameTimeLater(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let text = String((0..<40).map { _ in random.below(2) == 0 ? "x" : "-" } + ["|"])
    let clock = VirtualScheduler()
    expect(clock.play(try clock.hot(text).delay(for: .seconds(7), on: clock)), equals: "-------" + text)
  }

  /// A clock that moves on with each look at it, now little, now much, as a real one does.
  private final class RestlessClock: Scheduler {
    private let time: Locked<(now: Int64, random: SplitMix64)>
    private let line = Locked<[@Sendable () -> Void]>([])

    init(seed: UInt64) { time = Locked((0, SplitMix64(seed: seed))) }

    var now: Instant {
      time.withLock { time in
        time.now += time.random.below(4) == 0 ? 20 : 1
        return Instant(nanoseconds: time.now)
      }
    }

    var isCurrent: Bool { true }

    func perform(_ work: @escaping @Sendable () -> Void) { line.withLock { $0.append(work) } }

    func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> Subscription {
      perform(work)
      return Subscription()
    }

    /// Runs the next piece of work, whether or not it is due.
    func step() {
      let work = line.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      work?()
    }
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>) func theEndDoesNotOvertakeWhatFallsDueJustBeforeIt(
    seed: UInt64
  ) {
    let clock = RestlessClock(seed: seed)
    let log = Journal<Int>()
    let done = Flag()
    _ = Observable.from(1...3).delay(for: .nanoseconds(100), on: clock)
      .subscribe(next: { log.note($0) }, complete: { done.raise() })
    for _ in 0..<1000 where !done.isRaised { clock.step() }
    expect(log.entries, equals: [1, 2, 3])
    #expect(done.isRaised)
  }

  @Test func aSubscriptionMayBeDelayedInsteadOfTheElements() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("ab-c-|")
    expect(clock.play(source.delaySubscription(for: .seconds(2), on: clock)), equals: "---c-|")
    expect(source.subscriptions, equals: ["--^--!"])
    let other = try clock.cold("a|")
    let recording = clock.record(other.delaySubscription(for: .seconds(2), on: clock))
    recording.subscription.dispose()
    #expect(clock.run(limit: 0), "the timer is taken back")
    #expect(other.subscriptions.isEmpty)
  }
}
