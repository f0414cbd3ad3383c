import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct SkipWhileTests {
  @Test func leavesOutElementsUntilOneDoesNotSatisfyTheCondition() throws {
    try expectMarbles("------3--1--|") { try $0.hot("1--2--3--1--|").skip(while: { $0 < "3" }) }
    expect(outcome { _ in Observable.from([1, 2, 3, 1]).skip(while: { $0 < 3 }) }, equals: "3, 1, |")
  }

  @Test func doesNotAskAgainAfterThat() throws {
    let asked = Journal<Int>()
    let source = Observable.from([1, 5, 1, 6]).skip(while: { number in
      asked.note(number)
      return number < 3
    })
    expect(outcome { _ in source }, equals: "5, 1, 6, |")
    expect(asked.entries, equals: [1, 5])
  }

  @Test func theEndComesEvenIfAllAreLeftOut() throws {
    try expectMarbles("---|") { try $0.hot("a-b|").skip(while: { _ in true }) }
    try expectMarbles("---#") { try $0.hot("a-b#").skip(while: { _ in true }) }
  }

  @Test func failsWhenTheClosureThrowsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b|")
    expect(clock.play(source.skip(while: { _ in throw Oops() })), equals: "-#")
    expect(source.subscriptions, equals: ["^!"])
  }
}
