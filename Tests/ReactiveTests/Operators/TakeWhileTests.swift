import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct TakeWhileTests {
  @Test func emitsAsLongAsTheConditionHoldsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("1--2--3--4--|")
    expect(clock.play(source.take(while: { $0 < "3" })), equals: "1--2--|")
    expect(source.subscriptions, equals: ["^-----!"])
    expect(outcome { _ in Observable.from(1...9).take(while: { $0 < 3 }) }, equals: "1, 2, |")
  }

  @Test func inclusiveEmitsTheOneThatEndsItToo() throws {
    try expectMarbles("1--2--(3|)") {
      try $0.hot("1--2--3--4--|").take(while: { $0 < "3" }, inclusive: true)
    }
  }

  @Test func mayBeOverWithTheFirst() {
    expect(outcome { _ in Observable.from(1...9).take(while: { _ in false }) }, equals: "|")
  }

  @Test func endsWithTheSource() throws {
    try expectMarbles("1-|") { try $0.hot("1-|").take(while: { _ in true }) }
    try expectMarbles("1-#") { try $0.hot("1-#").take(while: { _ in true }) }
  }

  @Test func failsWhenTheClosureThrowsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b|")
    expect(clock.play(source.take(while: { _ in throw Oops() })), equals: "-#")
    expect(source.subscriptions, equals: ["^!"])
  }

  @Test func aConditionMayEndIt() throws {
    try expectMarbles("a-b-|") { try $0.hot("a-b-c-d|").take(until: { $0 == "c" }) }
    try expectMarbles("a-b-(c|)") {
      try $0.hot("a-b-c-d|").take(until: { $0 == "c" }, inclusive: true)
    }
  }
}
