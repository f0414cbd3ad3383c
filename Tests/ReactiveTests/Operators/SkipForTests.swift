@testable import Reactive
import Testing

@Suite struct SkipForTests {
  @Test func leavesOutWhatComesWithinTheTime() throws {
    try expectMarbles("------c--d--|") { clock in
      try clock.hot("a--b--c--d--|").observable.skip(for: .seconds(5), on: clock)
    }
    #expect(
      outcome { clock in
        Observable.interval(.seconds(1), on: clock).skip(for: .milliseconds(1500), on: clock).take(2)
      } == "1, 2, |")
  }

  @Test func theTimeBeginsWithTheSubscription() throws {
    try expectMarbles("------c--d--|", from: .seconds(2)) { clock in
      try clock.hot("a--b--c--d--|").observable.skip(for: .seconds(3), on: clock)
    }
  }

  @Test func anElementOfTheInstantTheTimeEndsComesFirstIfItWasSetFirst() throws {
    try expectMarbles("----b|") { clock in
      try clock.hot("---ab|").observable.skip(for: .seconds(3), on: clock)
    }
    try expectMarbles("---ab|") { clock in
      try clock.cold("---ab|").observable.skip(for: .seconds(3), on: clock)
    }
  }

  @Test func anEarlyEndTakesTheTimerBack() throws {
    let clock = VirtualScheduler()
    #expect(clock.play(try clock.hot("a|").observable.skip(for: .seconds(9), on: clock)) == "-|")
    #expect(clock.now == Instant() + .seconds(1))
  }

  @Test func passesAFailureOnWithinTheTime() throws {
    try expectMarbles("-#") { clock in
      try clock.hot("a#").observable.skip(for: .seconds(9), on: clock)
    }
  }
}
