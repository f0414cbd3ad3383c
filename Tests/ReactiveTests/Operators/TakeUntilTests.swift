import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct TakeUntilTests {
  @Test func emitsUntilTheOtherSpeaksAndLeavesBoth() throws {
    let clock = VirtualScheduler()
    let stop = try clock.hot("-------x--")
    let source = try clock.hot("a--b--c--d--|")
    expect(clock.play(source.take(until: stop)), equals: "a--b--c|")
    expect(source.subscriptions, equals: ["^------!"])
    expect(stop.subscriptions, equals: ["^------!"])
    expect(outcome { _ in Observable.from(1...3).take(until: Observable<Int>.never()) }, equals: "1, 2, 3, |")
  }

  @Test func anOtherThatEndsSilentlyEndsNothing() throws {
    try expectMarbles("a-b-c|") { try $0.hot("a-b-c|").take(until: $0.hot("-|")) }
  }

  @Test func aFailureOfTheOtherIsAFailure() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a--b--|")
    expect(clock.play(source.take(until: try clock.hot("--#"))), equals: "a-#")
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func theEndOfTheSourceLeavesTheOther() throws {
    let clock = VirtualScheduler()
    let stop = try clock.hot("-----x")
    expect(clock.play(try clock.hot("a-#").take(until: stop)), equals: "a-#")
    expect(stop.subscriptions, equals: ["^-!"])
  }

  @Test func anOtherThatSpeaksAtOnceStartsNoSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a|")
    expect(clock.play(source.take(until: Observable.just(1))), equals: "|")
    #expect(source.subscriptions.isEmpty)
  }
}

@Suite struct TakeForTests {
  @Test func emitsWhatComesWithinTheTimeAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a--b--c--d--|")
    expect(clock.play(source.take(for: .seconds(7), on: clock)), equals: "a--b--c|")
    expect(source.subscriptions, equals: ["^------!"])
    expect(
      outcome { clock in
        Observable.interval(.seconds(1), on: clock).take(for: .milliseconds(2500), on: clock)
      }, equals: "0, 1, |")
  }

  @Test func anEarlierEndTakesTheTimerBack() throws {
    let clock = VirtualScheduler()
    expect(clock.play(try clock.hot("a-|").take(for: .seconds(9), on: clock)), equals: "a-|")
    expect(clock.now, equals: Instant() + .seconds(2))
  }

  @Test func passesAFailureOn() throws {
    try expectMarbles("a-#") { clock in try clock.hot("a-#").take(for: .seconds(9), on: clock) }
  }

  @Test func anElementOfTheInstantTheTimeEndsComesFirstIfItWasSetFirst() throws {
    try expectMarbles("---(a|)") { clock in
      try clock.hot("---ab|").take(for: .seconds(3), on: clock)
    }
    try expectMarbles("---|") { clock in
      try clock.cold("---ab|").take(for: .seconds(3), on: clock)
    }
  }
}
