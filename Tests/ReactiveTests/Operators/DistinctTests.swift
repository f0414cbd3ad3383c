import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct DistinctTests {
  @Test func dropsRepeats() throws {
    try expectMarbles("a-b---c----|") { try $0.hot("a-b-a-c-b--|").distinct { $0 } }
    expect(outcome { _ in Observable.from([1, 2, 1, 3, 2]).distinct { $0 } }, equals: "1, 2, 3, |")
    expect(
      outcome { Observable.from([1, 1]).distinct(lifetime: .seconds(60), on: $0) { $0 } }, equals: "1, |")
  }

  @Test func forgetsTheKeySeenLongestAgoWhenThereAreTooMany() throws {
    try expectMarbles("abcab|") { try $0.hot("abcab|").distinct(bound: 2) { $0 } }
  }

  @Test func aRepeatMakesItsKeyTheNewest() throws {
    try expectMarbles("ab-cb|") { try $0.hot("abacb|").distinct(bound: 2) { $0 } }
  }

  @Test func aKeyIsNewAgainWhenItHasNotBeenSeenForItsLifetime() throws {
    try expectMarbles("a--------a-|") { clock in
      try clock.hot("a---a----a-|").distinct(lifetime: .seconds(5), on: clock) { $0 }
    }
  }

  @Test func aKeySeenJustBeforeItsLifetimeEndsIsARepeat() throws {
    try expectMarbles("a-----------|") { clock in
      try clock.hot("a---a---a---|").distinct(lifetime: .seconds(5), on: clock) { $0 }
    }
  }

  @Test func aBoundBelowOneIsOne() throws {
    try expectMarbles("a-ba|") { try $0.hot("aaba|").distinct(bound: 0) { $0 } }
  }

  @Test func failsWhenTheClosureThrowsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b|")
    expect(clock.play(source.distinct { _ -> Int in throw Oops() }), equals: "-#")
    expect(source.subscriptions, equals: ["^!"])
  }

  @Test func eachSubscriptionHasItsOwnMemory() {
    let source = Observable.from([1, 1, 2]).distinct { $0 }
    expect(outcome { _ in source }, equals: "1, 2, |")
    expect(outcome { _ in source }, equals: "1, 2, |")
  }
}
