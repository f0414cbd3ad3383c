import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct FilterTests {
  @Test func letsThroughWhatSatisfiesTheCondition() throws {
    try expectMarbles("---2-----4--|") { try $0.hot("1--2--3--4--|").filter { "24".contains($0) } }
    expect(outcome { _ in Observable.from(1...4).filter { $0.isMultiple(of: 2) } }, equals: "2, 4, |")
  }

  @Test func passesAFailureOn() throws {
    try expectMarbles("--#") { try $0.hot("a-#").filter { _ in false } }
  }

  @Test func anEmptySourceStaysEmpty() throws {
    try expectMarbles("-|") { try $0.hot("-|").filter { _ in true } }
  }

  @Test func failsWhenTheClosureThrowsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b|")
    expect(clock.play(source.filter { _ in throw Oops() }), equals: "-#")
    expect(source.subscriptions, equals: ["^!"])
  }
}

@Suite struct IgnoreElementsTests {
  @Test func letsOnlyTheCompletionThrough() throws {
    try expectMarbles("------|") { try $0.hot("a--b--|").ignoreElements() }
    expect(outcome { _ in Observable.from(1...3).ignoreElements() }, equals: "|")
  }

  @Test func letsAFailureThrough() throws {
    try expectMarbles("--#") { try $0.hot("a-#").ignoreElements() }
  }

  @Test func disposingLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-b-|")
    #expect(clock.play(source.ignoreElements(), until: .seconds(2)).isEmpty)
    expect(source.subscriptions, equals: ["^-!"])
  }
}
