import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct SampleTests {
  @Test func emitsTheLatestAtEachTriggerIfItIsNew() throws {
    try expectMarbles("---b-----c--|") {
      try $0.hot("a-b---c-----|").sample($0.hot("---x-x---x-"))
    }
    expect(
      outcome { clock in
        Observable.interval(.seconds(2), on: clock).sample(Observable.interval(.seconds(5), on: clock)).take(
          2)
      }, equals: "1, 3, |")
  }

  @Test func whatWasNotSampledIsLostAtCompletion() throws {
    let clock = VirtualScheduler()
    let trigger = try clock.hot("--x----x")
    expect(clock.play(try clock.hot("a--b-|").sample(trigger)), equals: "--a--|")
    expect(trigger.subscriptions, equals: ["^----!"])
  }

  @Test func theEndOfTheTriggerEndsNothing() throws {
    try expectMarbles("-a----|") { try $0.hot("a--b--|").sample($0.hot("-x|")) }
  }

  @Test func aFailureOfTheTriggerLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a--b--|")
    expect(clock.play(source.sample(try clock.hot("-#"))), equals: "-#")
    expect(source.subscriptions, equals: ["^!"])
  }

  @Test func aFailureDropsWhatWasNotSampled() throws {
    try expectMarbles("-#") { try $0.hot("a#").sample($0.hot("--x")) }
  }

  @Test func aSourceThatEndsAtOnceStartsNoTrigger() throws {
    let clock = VirtualScheduler()
    let trigger = try clock.hot("x")
    expect(clock.play(Observable.just("a").sample(trigger)), equals: "|")
    #expect(trigger.subscriptions.isEmpty)
  }

  @Test func nothingIsAnElementToo() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a--|", ["a": Int?.none])
    let recording = clock.record(source.sample(try clock.hot("-x")))
    clock.run()
    expect(recording.elements, equals: [nil])
  }

  @Test func atIntervalsTheLatestIsEmittedIfItIsNew() throws {
    try expectMarbles("-----b----c-----|") {
      try $0.hot("a-b----c--------|").sample(every: .seconds(5), on: $0)
    }
    try expectMarbles("----(b|)") { try $0.hot("a-b-|").sample(every: .seconds(5), on: $0) }
    try expectMarbles("----#") { try $0.hot("a-b-#").sample(every: .seconds(5), on: $0) }
  }

  @Test func eachKeyHasItsLatest() throws {
    expect(
      outcome { Observable.from([1, 11, 2]).sample(every: .seconds(5), on: $0) { $0 / 10 } },
      equals: "11, 2, |")
    expect(
      outcome { Observable.from([1, 11, 2]).sample(every: .seconds(5), on: $0, bound: 1) { $0 / 10 } },
      equals: "1, 11, 2, |")
  }
}
