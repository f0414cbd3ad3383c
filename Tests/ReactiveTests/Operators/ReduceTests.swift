import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct ReduceTests {
  @Test func foldsAllIntoOne() throws {
    try expectMarbles("---------(6|)") {
      try $0.hot("1--2--3--|").reduce(0) { $0 + (Int($1) ?? 0) }
    }
    expect(outcome { _ in Observable.from(1...4).reduce(0) { $0 + $1 } }, equals: "10, |")
  }

  @Test func foldsInPlace() {
    expect(
      outcome { _ in Observable.from(1...3).reduce(into: [Int]()) { $0.append($1) } }, equals: "[1, 2, 3], |")
  }

  @Test func anEmptySourceGivesTheInitialValue() throws {
    try expectMarbles("--(x|)") { try $0.hot("--|").reduce("x") { $0 + $1 } }
  }

  @Test func aFailureDropsTheValue() throws {
    try expectMarbles("--#") { try $0.hot("a-#").reduce("") { $0 + $1 } }
  }

  @Test func failsWhenTheClosureThrowsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b|")
    expect(clock.play(source.reduce(0) { _, _ in throw Oops() }), equals: "-#")
    expect(source.subscriptions, equals: ["^!"])
  }

  @Test func eachSubscriptionFoldsForItself() {
    let sum = Observable.from(1...3).reduce(0) { $0 + $1 }
    expect(outcome { _ in sum.concat(sum) }, equals: "6, 6, |")
  }
}
