import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct SkipUntilTests {
  @Test func leavesOutElementsUntilTheOtherSpeaks() throws {
    let clock = VirtualScheduler()
    let start = try clock.hot("----x--y|")
    let source = try clock.hot("a--b--c--d--|")
    expect(clock.play(source.skip(until: start)), equals: "------c--d--|")
    expect(start.subscriptions, equals: ["^---!"])
    expect(outcome { _ in Observable.from(1...3).skip(until: Observable.just("now")) }, equals: "1, 2, 3, |")
  }

  @Test func anOtherThatEndsSilentlyLetsNothingThrough() throws {
    try expectMarbles("-----|") { try $0.hot("a-b-c|").skip(until: $0.hot("-|")) }
  }

  @Test func aFailureOfTheOtherLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a--b--|")
    expect(clock.play(source.skip(until: try clock.hot("--#"))), equals: "--#")
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func aFailureOfTheOtherAfterItHasSpokenIsNotHeard() throws {
    try expectMarbles("---b--|") { try $0.hot("a--b--|").skip(until: $0.hot("-x-#")) }
  }

  @Test func theEndOfTheSourceLeavesTheOther() throws {
    let clock = VirtualScheduler()
    let other = try clock.hot("-----x")
    expect(clock.play(try clock.hot("a-|").skip(until: other)), equals: "--|")
    expect(other.subscriptions, equals: ["^-!"])
  }

  @Test func anOtherThatFailsAtOnceStartsNoSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a|")
    expect(clock.play(source.skip(until: Observable<Int>.fail(Oops()))), equals: "#")
    #expect(source.subscriptions.isEmpty)
  }
}

@Suite struct SkipForTests {
  @Test func leavesOutWhatComesWithinTheTime() throws {
    try expectMarbles("------c--d--|") { clock in
      try clock.hot("a--b--c--d--|").skip(for: .seconds(5), on: clock)
    }
    expect(
      outcome { clock in
        Observable.interval(.seconds(1), on: clock).skip(for: .milliseconds(1500), on: clock).take(2)
      }, equals: "1, 2, |")
  }

  @Test func theTimeBeginsWithTheSubscription() throws {
    try expectMarbles("------c--d--|", from: .seconds(2)) { clock in
      try clock.hot("a--b--c--d--|").skip(for: .seconds(3), on: clock)
    }
  }

  @Test func anElementOfTheInstantTheTimeEndsComesFirstIfItWasSetFirst() throws {
    try expectMarbles("----b|") { clock in
      try clock.hot("---ab|").skip(for: .seconds(3), on: clock)
    }
    try expectMarbles("---ab|") { clock in
      try clock.cold("---ab|").skip(for: .seconds(3), on: clock)
    }
  }

  @Test func anEarlyEndTakesTheTimerBack() throws {
    let clock = VirtualScheduler()
    expect(clock.play(try clock.hot("a|").skip(for: .seconds(9), on: clock)), equals: "-|")
    expect(clock.now, equals: Instant() + .seconds(1))
  }

  @Test func passesAFailureOnWithinTheTime() throws {
    try expectMarbles("-#") { clock in
      try clock.hot("a#").skip(for: .seconds(9), on: clock)
    }
  }
}
