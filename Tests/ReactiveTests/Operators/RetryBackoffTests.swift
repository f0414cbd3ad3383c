import Reactive
import Testing

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
    #expect(clock.play(source.observable.retry(patience, on: clock)) == "-----------#")
    #expect(source.subscriptions == ["(^!)", "-(^!)", "---(^!)", "-------(^!)", "-----------(^!)"])
  }

  @Test func anElementStartsTheRowOfPausesAnew() throws {
    try expectMarbles("---a---b|") { clock in
      row([
        try clock.cold("#").observable, try clock.cold("#").observable, try clock.cold("a#").observable,
        try clock.cold("#").observable, try clock.cold("b|").observable,
      ]).retry(backoff, on: clock)
    }
  }

  @Test func anElementAlsoGivesBackTheAttempts() throws {
    var patience = backoff
    patience.attempts = 1
    let once = patience
    try expectMarbles("-a-b-#") { clock in
      row([
        try clock.cold("#").observable, try clock.cold("a#").observable,
        try clock.cold("b#").observable, try clock.cold("#").observable, try clock.cold("c|").observable,
      ]).retry(once, on: clock)
    }
  }

  @Test func whatTheErrorAsksForGoesBeforeTheCap() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("#")
    var patience = backoff
    patience.attempts = 2
    patience.requested = { $0 is MarbleFailure ? .seconds(9) : nil }
    #expect(clock.play(source.observable.retry(patience, on: clock)) == "------------------#")
    #expect(source.subscriptions == ["(^!)", "---------(^!)", "------------------(^!)"])
  }

  @Test func noAttemptsPassTheFailureOn() throws {
    var patience = backoff
    patience.attempts = 0
    let none = patience
    try expectMarbles("a#") { try $0.cold("a#").observable.retry(none, on: $0) }
    #expect(
      outcome { clock in
        let backoff = Backoff(initial: .seconds(1), jitter: 0, attempts: 2)
        return Observable<Int>.fail(Oops()).retry(backoff, on: clock)
      } == "#")
  }

  @Test func aCompletionIsNotTriedAgain() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-|")
    #expect(clock.play(source.observable.retry(backoff, on: clock)) == "a-|")
    #expect(source.subscriptions == ["^-!"])
  }

  @Test func disposingDuringAPauseTakesTheTimerBack() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a#")
    var patience = backoff
    patience.initial = .seconds(4)
    #expect(clock.play(source.observable.retry(patience, on: clock), until: .seconds(2)) == "a")
    #expect(clock.now == Instant() + .seconds(2))
    #expect(source.subscriptions == ["^!"])
  }
}
