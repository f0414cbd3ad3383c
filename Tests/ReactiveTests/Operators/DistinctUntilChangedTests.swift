import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct DistinctUntilChangedTests {
  @Test func dropsWhatEqualsTheElementBefore() throws {
    try expectMarbles("a---b---a--|") { try $0.hot("a-a-b-b-a--|").distinctUntilChanged() }
    expect(
      outcome { _ in Observable.from([1, 1, 2, 2, 1]).distinctUntilChanged { $0 } }, equals: "1, 2, 1, |")
    expect(outcome { _ in Observable.from([1, 1, 2]).distinctUntilChanged() }, equals: "1, 2, |")
  }

  @Test func comparesKeys() throws {
    try expectMarbles("a-b-|") { try $0.hot("aAbB|").distinctUntilChanged { $0.lowercased() } }
  }

  @Test func nothingIsAKeyLikeOthers() {
    let values: [Int?] = [nil, nil, 1, nil]
    expect(
      outcome { _ in Observable.from(values).distinctUntilChanged { $0 } }, equals: "nil, Optional(1), nil, |"
    )
  }

  @Test func passesAFailureOn() throws {
    try expectMarbles("a-#") { try $0.hot("aa#").distinctUntilChanged() }
  }

  @Test func failsWhenTheClosureThrowsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b|")
    expect(clock.play(source.distinctUntilChanged { _ -> Int in throw Oops() }), equals: "-#")
    expect(source.subscriptions, equals: ["^!"])
  }

  @Test func comparesWithTheLastThatWasEmitted() throws {
    expect(
      outcome { _ in Observable.from([1, 2, 3, 5, 4]).distinctUntilChanged(by: { abs($0 - $1) < 2 }) },
      equals: "1, 3, 5, |")
    expect(
      outcome { _ in Observable.from([1, 2]).distinctUntilChanged(by: { _, _ in throw Oops() }) },
      equals: "1, #")
  }
}
