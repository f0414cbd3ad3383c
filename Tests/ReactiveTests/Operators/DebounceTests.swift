import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct DebounceTests {
  @Test func emitsWhatIsFollowedByQuietAndWhatWaitsAtCompletion() throws {
    try expectMarbles("-------c-----(d|)") { clock in
      try clock.hot("a-b-c-----d--|").debounce(for: .seconds(3), on: clock)
    }
    expect(outcome { Observable.from(1...3).debounce(for: .seconds(1), on: $0) }, equals: "3, |")
  }

  @Test func aStreamThatNeverPausesIsHeardWithMaxWait() throws {
    try expectMarbles("----e---(h|)") { clock in
      try clock.hot("abcdefgh|").debounce(for: .seconds(3), maxWait: .seconds(4), on: clock)
    }
  }

  @Test func aMaxWaitLongerThanTheQuietChangesNothingForSingleElements() throws {
    try expectMarbles("---a------b-|") { clock in
      try clock.hot("a------b----|").debounce(for: .seconds(3), maxWait: .seconds(9), on: clock)
    }
  }

  @Test func anElementExactlyAtTheDeadlineTakesThePlaceOfTheOneThatWaits() throws {
    try expectMarbles("----(b|)") { clock in
      try clock.hot("a--b|").debounce(for: .seconds(3), on: clock)
    }
  }

  @Test func aFailureDropsWhatWaits() throws {
    try expectMarbles("--#") { clock in
      try clock.hot("a-#").debounce(for: .seconds(3), on: clock)
    }
  }

  @Test func anEmptySourceCompletes() throws {
    try expectMarbles("--|") { clock in
      try clock.hot("--|").debounce(for: .seconds(3), on: clock)
    }
  }

  @Test func disposingTakesTheTimerBack() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a")
    #expect(
      clock.play(source.debounce(for: .seconds(9), on: clock), until: .seconds(2)).isEmpty)
    expect(clock.now, equals: Instant() + .seconds(2))
    expect(source.subscriptions, equals: ["^-!"])
  }
}

@Suite struct DebounceByKeyTests {
  @Test func eachKeyWaitsForItsOwnQuiet() throws {
    try expectMarbles("-------b-c-----|") { clock in
      try clock.hot("a-b-c----------|")
        .debounce(for: .seconds(5), on: clock) { $0 == "b" }
    }
    expect(
      outcome { Observable.from([1, 2, 11, 12]).debounce(for: .seconds(1), on: $0) { $0 / 10 } },
      equals: "2, 12, |")
  }

  @Test func aKeyTooManySendsOutTheOneQuietLongest() throws {
    try expectMarbles("--a---bc|") { clock in
      try clock.hot("abc-----|").debounce(for: .seconds(5), on: clock, bound: 2) { $0 }
    }
  }

  @Test func anElementMakesItsKeyTheNewest() throws {
    try expectMarbles("---b---A(c|)") { clock in
      try clock.hot("abAc----|")
        .debounce(for: .seconds(5), on: clock, bound: 2) { $0.lowercased() }
    }
  }

  @Test func aKeySqueezedOutMayWaitAgain() throws {
    try expectMarbles("-ab--a-|") { clock in
      try clock.hot("aba----|").debounce(for: .seconds(3), on: clock, bound: 1) { $0 }
    }
  }

  @Test func aKeyThatIsNeverQuietIsHeardWithMaxWait() throws {
    try expectMarbles("----a---(A|)") { clock in
      try clock.hot("aAaAaA--|")
        .debounce(for: .seconds(3), maxWait: .seconds(4), on: clock) { $0.lowercased() }
    }
  }

  @Test func whatWaitsAtCompletionGoesOutInTheOrderOfQuiet() throws {
    try expectMarbles("---(bA|)") { clock in
      try clock.hot("abA|").debounce(for: .seconds(9), on: clock) { $0.lowercased() }
    }
  }

  @Test func failsWhenTheClosureThrowsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-b-c|")
    let debounced = source.debounce(for: .seconds(9), on: clock) { text -> String in
      if text == "b" { throw Oops() }
      return text
    }
    expect(clock.play(debounced), equals: "--#")
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func whatWaitsIsKeptBackOnceSomebodyDownstreamHasFailed() throws {
    let clock = VirtualScheduler()
    let asked = Journal<String>()
    let failing = try clock.hot("ab|").debounce(for: .seconds(9), on: clock) { $0 }
      .map { text -> String in
        asked.note(text)
        throw Oops()
      }
    expect(clock.play(failing), equals: "--#")
    expect(asked.entries, equals: ["a"])
  }
}
