import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct WithLatestTests {
  @Test func joinsTheLatestOfTheOtherToEachElement() throws {
    let clock = VirtualScheduler()
    let letters = try clock.hot("a---b---c--|")
    let joined = try clock.hot("--1---2--|").withLatest(letters) { $0 + $1 }
    let recording = clock.record(joined)
    clock.run()
    expect(recording.drawing.line, equals: "--a---b--|")
    expect(recording.drawing.legend, equals: ["a = 1a", "b = 2b"])
    expect(letters.subscriptions, equals: ["^--------!"])
    expect(
      outcome { _ in Observable.from([1, 2]).withLatest(Observable.just("a")) { "\($0)\($1)" } },
      equals: "1a, 2a, |")
  }

  @Test func leavesOutElementsBeforeTheFirstOfTheOther() throws {
    try expectMarbles("---a-|", legend: ["a = 2x"]) {
      try $0.hot("-1-2-|").withLatest($0.hot("--x|")) { $0 + $1 }
    }
  }

  @Test func anOtherWithoutElementsLeavesOutAll() throws {
    try expectMarbles("----|") {
      try $0.hot("-1-2|").withLatest(Observable<String>.empty()) { $0 + $1 }
    }
  }

  @Test func aFailureOfTheOtherLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-1-2-3|")
    expect(clock.play(source.withLatest(try clock.hot("a-#")) { $0 + $1 }), equals: "-a#")
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func aFailureOfTheSourceLeavesTheOther() throws {
    let clock = VirtualScheduler()
    let other = try clock.hot("a-b-c|")
    expect(clock.play(try clock.hot("--#").withLatest(other) { $0 + $1 }), equals: "--#")
    expect(other.subscriptions, equals: ["^-!"])
  }

  @Test func failsWhenTheClosureThrows() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-1-2|")
    let joined = source.withLatest(.just("a")) { _, _ -> String in throw Oops() }
    expect(clock.play(joined), equals: "-#")
    expect(source.subscriptions, equals: ["^!"])
  }

  @Test func nothingIsAnElementToo() {
    let joined = Observable.just(1).withLatest(Observable<Int?>.just(nil)) { "\($0) \($1 ?? 0)" }
    expect(outcome { _ in joined }, equals: "1 0, |")
  }

  @Test func theLatestAlone() throws {
    try expectMarbles("--1---2-|") { clock in
      let digits = try clock.hot("-1---2")
      return try clock.hot("a-b---c-|").withLatestFrom(digits)
    }
  }
}
