@testable import Reactive
import Testing

@Suite struct DebounceTests {
  @Test func emitsWhatIsFollowedByQuietAndWhatWaitsAtCompletion() throws {
    try expectMarbles("-------c-----(d|)") { clock in
      try clock.hot("a-b-c-----d--|").observable.debounce(for: .seconds(3), on: clock)
    }
    #expect(outcome { Observable.from(1...3).debounce(for: .seconds(1), on: $0) } == "3, |")
  }

  @Test func aStreamThatNeverPausesIsHeardWithMaxWait() throws {
    try expectMarbles("----e---(h|)") { clock in
      try clock.hot("abcdefgh|").observable.debounce(for: .seconds(3), maxWait: .seconds(4), on: clock)
    }
  }

  @Test func aMaxWaitLongerThanTheQuietChangesNothingForSingleElements() throws {
    try expectMarbles("---a------b-|") { clock in
      try clock.hot("a------b----|").observable.debounce(for: .seconds(3), maxWait: .seconds(9), on: clock)
    }
  }

  @Test func anElementExactlyAtTheDeadlineTakesThePlaceOfTheOneThatWaits() throws {
    try expectMarbles("----(b|)") { clock in
      try clock.hot("a--b|").observable.debounce(for: .seconds(3), on: clock)
    }
  }

  @Test func aFailureDropsWhatWaits() throws {
    try expectMarbles("--#") { clock in
      try clock.hot("a-#").observable.debounce(for: .seconds(3), on: clock)
    }
  }

  @Test func anEmptySourceCompletes() throws {
    try expectMarbles("--|") { clock in
      try clock.hot("--|").observable.debounce(for: .seconds(3), on: clock)
    }
  }

  @Test func disposingTakesTheTimerBack() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a")
    #expect(
      clock.play(source.observable.debounce(for: .seconds(9), on: clock), until: .seconds(2)).isEmpty)
    #expect(clock.now == Instant() + .seconds(2))
    #expect(source.subscriptions == ["^-!"])
  }
}
