import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct CompactMapTests {
  @Test func dropsWhatBecomesNothing() throws {
    try expectMarbles("1-----3--|") { try $0.hot("1--x--3--|").compactMap { Int($0) } }
    expect(outcome { _ in Observable.from(["1", "x", "3"]).compactMap { Int($0) } }, equals: "1, 3, |")
  }

  @Test func passesAFailureOn() throws {
    try expectMarbles("1--#") { try $0.hot("1--#").compactMap { Int($0) } }
  }

  @Test func completesWhenNothingIsLeft() throws {
    try expectMarbles("----|") { try $0.hot("x-y-|").compactMap { Int($0) } }
  }

  @Test func failsWhenTheClosureThrowsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b|")
    expect(clock.play(source.compactMap { _ -> Int? in throw Oops() }), equals: "-#")
    expect(source.subscriptions, equals: ["^!"])
  }
}
