@testable import Reactive
import Testing

@Suite struct TakeForTests {
  @Test func emitsWhatComesWithinTheTimeAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a--b--c--d--|")
    #expect(clock.play(source.observable.take(for: .seconds(7), on: clock)) == "a--b--c|")
    #expect(source.subscriptions == ["^------!"])
    #expect(
      outcome { clock in
        Observable.interval(.seconds(1), on: clock).take(for: .milliseconds(2500), on: clock)
      } == "0, 1, |")
  }

  @Test func anEarlierEndTakesTheTimerBack() throws {
    let clock = VirtualScheduler()
    #expect(clock.play(try clock.hot("a-|").observable.take(for: .seconds(9), on: clock)) == "a-|")
    #expect(clock.now == Instant() + .seconds(2))
  }

  @Test func passesAFailureOn() throws {
    try expectMarbles("a-#") { clock in try clock.hot("a-#").observable.take(for: .seconds(9), on: clock) }
  }

  @Test func anElementOfTheInstantTheTimeEndsComesFirstIfItWasSetFirst() throws {
    try expectMarbles("---(a|)") { clock in
      try clock.hot("---ab|").observable.take(for: .seconds(3), on: clock)
    }
    try expectMarbles("---|") { clock in
      try clock.cold("---ab|").observable.take(for: .seconds(3), on: clock)
    }
  }
}
