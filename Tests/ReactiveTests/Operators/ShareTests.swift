import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct ShareTests {
  @Test func oneSubscriptionServesAllAndLateOnesMissWhatWasBefore() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("--a--b--c--|")
    let shared = source.share()
    let early = clock.record(shared)
    let late = clock.record(shared, from: .seconds(4))
    clock.run()
    expect(early.drawing.line, equals: "--a--b--c--|")
    expect(late.drawing.line, equals: "-----b--c--|")
    expect(source.subscriptions, equals: ["^----------!"])
    expect(outcome { _ in Observable.from(1...2).share() }, equals: "1, 2, |")
  }

  @Test func theLastToLeaveEndsItAndTheNextStartsItAnew() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("-a-b-c|")
    let shared = source.share()
    let first = clock.record(shared, until: .seconds(2))
    let second = clock.record(shared, from: .seconds(1), until: .seconds(4))
    let third = clock.record(shared, from: .seconds(6))
    clock.run()
    expect(first.drawing.line, equals: "-a")
    expect(second.drawing.line, equals: "---b")
    expect(third.drawing.line, equals: "-------a-b-c|")
    expect(source.subscriptions, equals: ["^---!", "------^-----!"])
  }

  @Test func afterTheEndOfTheSourceTheNextStartsItAnew() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a|")
    let shared = source.share(replay: 1)
    let first = clock.record(shared)
    let second = clock.record(shared, from: .seconds(3))
    clock.run()
    expect(first.drawing.line, equals: "a|")
    expect(second.drawing.line, equals: "---a|")
    expect(source.subscriptions, equals: ["^!", "---^!"])
  }

  @Test func replayGivesALateSubscriberTheLastElements() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("abc--d|")
    let shared = source.share(replay: 2)
    let early = clock.record(shared)
    let late = clock.record(shared, from: .seconds(4))
    clock.run()
    expect(early.drawing.line, equals: "abc--d|")
    expect(late.drawing.line, equals: "----(bc)d|")
    expect(source.subscriptions, equals: ["^-----!"])
  }

  @Test func whatWasReplayedIsForgottenWhenAllHaveLeft() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("ab----c|")
    let shared = source.share(replay: 2)
    let first = clock.record(shared, until: .seconds(3))
    let second = clock.record(shared, from: .seconds(4))
    clock.run()
    expect(first.drawing.line, equals: "ab")
    expect(second.drawing.line, equals: "------c|")
  }

  @Test func aFailureReachesAll() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-#")
    let shared = source.share()
    let first = clock.record(shared)
    let second = clock.record(shared, from: .seconds(2))
    clock.run()
    expect(first.drawing.line, equals: "-a-#")
    expect(second.drawing.line, equals: "---#")
    expect(source.subscriptions, equals: ["^--!"])
  }

  @Test func oneWhoComesBackAtTheEndStartsItAnew() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-|")
    let shared = source.share()
    expect(clock.play(shared.concat(shared)), equals: "a-a-|")
    expect(source.subscriptions, equals: ["^-!", "--^-!"])
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>) func neverHasMoreThanOneSubscriptionToTheSource(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let clock = VirtualScheduler(seed: seed)
    let open = Journal<Int>()
    let source = try clock.cold("a-b-c-|")
      .do(subscribe: { open.note(1) }, dispose: { open.note(-1) })
    let shared = source.share(replay: random.below(3))
    let recordings = (0..<8).map { _ in
      let start = random.below(12)
      return clock.record(shared, from: .seconds(start), until: .seconds(start + 1 + random.below(8)))
    }
    clock.run()
    var now = 0
    for change in open.entries {
      now += change
      #expect((0...1).contains(now))
    }
    expect(now, equals: 0)
    for recording in recordings { #expect(recording.subscription.isDisposed) }
  }

  @Test func oneWhoHasLeftBeforeJoiningDoesNotStartIt() {
    let started = Tally()
    let shared = Observable<Int>.create { _ in started.add() }.share()
    let witness = Witness()
    witness.subscription.dispose()
    witness.watch(shared.map { "\($0)" })
    expect(started.value, equals: 0)
    _ = shared.subscribe()
    expect(started.value, equals: 1)
  }

  @Test func whatIsReplayedStaysForEver() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("ab-c--d-|")
    let shared = source.share(replay: 1, scope: .forever)
    let first = clock.record(shared, until: .seconds(2))
    let second = clock.record(shared, from: .seconds(5))
    let late = clock.record(shared, from: .seconds(9))
    clock.run()
    expect(first.drawing.line, equals: "ab")
    expect(second.drawing.line, equals: "-----bd-|")
    expect(late.drawing.line, equals: "---------(d|)")
    expect(source.subscriptions, equals: ["^-!", "-----^--!"])
  }

  @Test func whileConnectedNothingStays() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("ab-c--d-|")
    let shared = source.share(replay: 1, scope: .whileConnected)
    let first = clock.record(shared, until: .seconds(2))
    let second = clock.record(shared, from: .seconds(5))
    clock.run()
    expect(first.drawing.line, equals: "ab")
    expect(second.drawing.line, equals: "------d-|")
  }
}
