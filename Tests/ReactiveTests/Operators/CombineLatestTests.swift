import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct CombineLatestTests {
  @Test func combinesTheLatestOfBoth() throws {
    try expectMarbles("--a-b-c--|", legend: ["a = a1", "b = a2", "c = b2"]) {
      try $0.hot("a-----b--|").combineLatest($0.hot("--1-2----|")) { $0 + $1 }
    }
    expect(
      outcome { _ in Observable.just(1).combineLatest(Observable.from([10, 20])) { $0 + $1 } },
      equals: "11, 21, |")
  }

  @Test func goesOnWithTheLastElementOfAStreamThatHasEnded() throws {
    try expectMarbles("--a-b|", legend: ["a = a1", "b = a2"]) {
      try $0.hot("a|").combineLatest($0.hot("--1-2|")) { $0 + $1 }
    }
  }

  @Test func completesWithTheNextElementWhenOneHasEndedWithoutAny() throws {
    let clock = VirtualScheduler()
    let left = try clock.hot("--|")
    let right = try clock.hot("-1-2-|")
    expect(clock.play(left.combineLatest(right) { $0 + $1 }), equals: "---|")
    expect(right.subscriptions, equals: ["^--!"])
  }

  @Test func theRightOneMayBeTheEmptyOne() throws {
    let clock = VirtualScheduler()
    let left = try clock.hot("-1-2-|")
    expect(clock.play(left.combineLatest(Observable<String>.empty()) { $0 + $1 }), equals: "-|")
    expect(left.subscriptions, equals: ["^!"])
  }

  @Test func completesWithTheSecondOfTwoWithoutElements() throws {
    try expectMarbles("---|") { try $0.hot("-|").combineLatest($0.hot("---|")) { $0 + $1 } }
    try expectMarbles("-----|") { try $0.hot("a----|").combineLatest($0.hot("---|")) { $0 + $1 } }
  }

  @Test func aFailureOfEitherLeavesTheOther() throws {
    let clock = VirtualScheduler()
    let left = try clock.hot("-a-#")
    let right = try clock.hot("--1--2--|")
    let recording = clock.record(left.combineLatest(right) { $0 + $1 })
    clock.run()
    expect(recording.drawing.line, equals: "--a#")
    expect(left.subscriptions, equals: ["^--!"])
    expect(right.subscriptions, equals: ["^--!"])
  }

  @Test func failsWhenTheClosureThrows() throws {
    let clock = VirtualScheduler()
    let left = try clock.hot("-a-b|")
    let failing = left.combineLatest(.just("1")) { _, _ -> String in throw Oops() }
    expect(clock.play(failing), equals: "-#")
    expect(left.subscriptions, equals: ["^!"])
  }
}
