import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct RetryWhenTests {
  @Test func subscribesAgainAtEachTrigger() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-#")
    let retried = source.retry(when: { $0.delay(for: .seconds(3), on: clock) })
    expect(clock.play(retried, until: .seconds(8)), equals: "a----a")
    expect(source.subscriptions, equals: ["^-!", "-----^-!"])
  }

  @Test func theHandlerGetsEachError() {
    let errors = Journal<Int>()
    let calls = Tally()
    let source = Observable<Int>.deferred {
      calls.add()
      return calls.value < 4 ? .fail(Oops(number: calls.value)) : .just(0)
    }
    expect(
      outcome { _ in
        source.retry(when: { $0.do(next: { errors.note(($0 as? Oops)?.number ?? 0) }) })
      }, equals: "0, |")
    expect(errors.entries, equals: [1, 2, 3])
  }

  @Test func theEndOfTheTriggersIsThatOfTheNextFailure() throws {
    let clock = VirtualScheduler()
    let (source, triggers) = (try clock.cold("a---b#"), try clock.hot("--|"))
    expect(clock.play(source.retry(when: { _ in triggers })), equals: "a---b|")
    expect(source.subscriptions, equals: ["^----!"])
    try expectMarbles("a---b#") { clock in
      let triggers = try clock.hot("-#")
      return try clock.cold("a---b#").retry(when: { _ in triggers })
    }
    try expectMarbles("a---b|") { clock in
      let triggers = try clock.hot("-#")
      return try clock.cold("a---b|").retry(when: { _ in triggers })
    }
    try expectMarbles("------|") { clock in
      let triggers = try clock.hot("------|")
      return try clock.cold("-#").retry(when: { _ in triggers })
    }
    expect(
      outcome { _ in Observable<Int>.just(1).retry(when: { _ -> Observable<Int> in throw Oops() }) },
      equals: "#")
  }

  @Test func aTriggerWithoutAFailureStartsNothing() throws {
    let clock = VirtualScheduler()
    let (source, triggers) = (try clock.cold("a---b-|"), try clock.hot("--x"))
    expect(clock.play(source.retry(when: { _ in triggers })), equals: "a---b-|")
    expect(source.subscriptions, equals: ["^-----!"])
    expect(triggers.subscriptions, equals: ["^-----!"])
  }

  @Test func takesNoStackHoweverOften() {
    let calls = Tally()
    let isBack = onSmallStack {
      _ = Observable<Int>.deferred {
        calls.add()
        return calls.value < 100_000 ? .fail(Oops()) : .just(0)
      }.retry(when: { $0 }).subscribe()
    }
    #expect(isBack)
    expect(calls.value, equals: 100_000)
  }
}
