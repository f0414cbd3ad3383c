import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct RetryTests {
  @Test func subscribesAgainWhenTheStreamFails() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-#")
    expect(clock.play(source.retry(times: 1)), equals: "a-a-#")
    expect(source.subscriptions, equals: ["^-!", "--^-!"])
    expect(outcome { _ in Observable.just(1).concat(.fail(Oops())).retry(times: 1) }, equals: "1, 1, #")
  }

  @Test func aCompletionIsNotTriedAgain() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-|")
    expect(clock.play(source.retry(times: 3)), equals: "a-|")
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func noTimesPassesTheFailureOn() throws {
    try expectMarbles("a-#") { try $0.cold("a-#").retry(times: 0) }
  }

  @Test func theLastErrorGoesOn() {
    let clock = VirtualScheduler()
    let tries = Journal<Int>()
    let recording = clock.record(
      Observable<Int>.deferred {
        tries.note(0)
        return .fail(Oops(number: tries.count))
      }.retry(times: 2))
    #expect(recording.error as? Oops == Oops(number: 3))
  }

  @Test func disposingEndsTheTrying() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-#")
    expect(clock.play(source.retry(times: .max), until: .seconds(3)), equals: "a-a")
    expect(source.subscriptions, equals: ["^-!", "--^!"])
  }

  @Test func manyTimesTakeNoStack() {
    expect(outcome { _ in Observable<Int>.fail(Oops()).retry(times: 20_000) }, equals: "#")
  }
}

@Suite struct RetryBackoffTests {
  private let backoff = Backoff(initial: .seconds(1), factor: 2, cap: .seconds(4), jitter: 0)

  /// A stream that is another of the list with each subscription.
  private func row(_ streams: [Observable<String>]) -> Observable<String> {
    let tries = Journal<Int>()
    return .deferred {
      tries.note(0)
      return streams[tries.count - 1]
    }
  }

  @Test func thePausesGrowUpToTheCapUntilTheAttemptsAreUsedUp() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("#")
    var patience = backoff
    patience.attempts = 4
    expect(clock.play(source.retry(patience, on: clock)), equals: "-----------#")
    expect(source.subscriptions, equals: ["(^!)", "-(^!)", "---(^!)", "-------(^!)", "-----------(^!)"])
  }

  @Test func anElementStartsTheRowOfPausesAnew() throws {
    try expectMarbles("---a---b|") { clock in
      row([
        try clock.cold("#"), try clock.cold("#"), try clock.cold("a#"),
        try clock.cold("#"), try clock.cold("b|"),
      ]).retry(backoff, on: clock)
    }
  }

  @Test func anElementAlsoGivesBackTheAttempts() throws {
    var patience = backoff
    patience.attempts = 1
    let once = patience
    try expectMarbles("-a-b-#") { clock in
      row([
        try clock.cold("#"), try clock.cold("a#"),
        try clock.cold("b#"), try clock.cold("#"), try clock.cold("c|"),
      ]).retry(once, on: clock)
    }
  }

  @Test func whatTheErrorAsksForGoesBeforeTheCap() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("#")
    var patience = backoff
    patience.attempts = 2
    patience.requested = { $0 is MarbleFailure ? .seconds(9) : nil }
    expect(clock.play(source.retry(patience, on: clock)), equals: "------------------#")
    expect(source.subscriptions, equals: ["(^!)", "---------(^!)", "------------------(^!)"])
  }

  @Test func noAttemptsPassTheFailureOn() throws {
    var patience = backoff
    patience.attempts = 0
    let none = patience
    try expectMarbles("a#") { try $0.cold("a#").retry(none, on: $0) }
    expect(
      outcome { clock in
        let backoff = Backoff(initial: .seconds(1), jitter: 0, attempts: 2)
        return Observable<Int>.fail(Oops()).retry(backoff, on: clock)
      }, equals: "#")
  }

  @Test func aCompletionIsNotTriedAgain() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-|")
    expect(clock.play(source.retry(backoff, on: clock)), equals: "a-|")
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func disposingDuringAPauseTakesTheTimerBack() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a#")
    var patience = backoff
    patience.initial = .seconds(4)
    expect(clock.play(source.retry(patience, on: clock), until: .seconds(2)), equals: "a")
    expect(clock.now, equals: Instant() + .seconds(2))
    expect(source.subscriptions, equals: ["^!"])
  }
}

@Suite struct RepeatTests {
  @Test func subscribesAgainAtEachCompletion() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-b|")
    expect(clock.play(source.repeat(2)), equals: "a-ba-b|")
    expect(source.subscriptions, equals: ["^--!", "---^--!"])
    expect(outcome { _ in Observable.from([1, 2]).repeat(2) }, equals: "1, 2, 1, 2, |")
  }

  @Test func noTimesIsEmpty() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a|")
    expect(clock.play(source.repeat(0)), equals: "|")
    #expect(source.subscriptions.isEmpty)
  }

  @Test func goesOnUntilSomebodyEndsIt() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-|")
    expect(clock.play(source.repeat().take(3)), equals: "a-a-(a|)")
    expect(source.subscriptions, equals: ["^-!", "--^-!", "----(^!)"])
  }

  @Test func aFailureEndsIt() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-#")
    expect(clock.play(source.repeat(3)), equals: "a-#")
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func manyTimesTakeNoStack() {
    expect(outcome { _ in Observable.just(1).repeat(20_000).reduce(0) { $0 + $1 } }, equals: "20000, |")
  }
}
