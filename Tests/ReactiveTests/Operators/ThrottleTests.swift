import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct ThrottleTests {
  @Test func anElementAtTheEndOfAWindowDoesNotTakeThePlaceOfTheOneThatIsDue() throws {
    try expectMarbles("a----c----(d|)") { clock in
      try clock.hot("a--c-d----|").throttle(for: .seconds(5), on: clock)
    }
  }

  @Test func withoutLatestOnlyTheFirstOfEachWhileGetsThrough() throws {
    try expectMarbles("a---------d------|") {
      try $0.hot("a-b-c-----d-e----|").throttle(for: .seconds(5), latest: false, on: $0)
    }
    expect(
      outcome { Observable.from(1...3).throttle(for: .seconds(5), latest: false, on: $0) }, equals: "1, |")
  }

  @Test func withLatestTheLastOneFollows() throws {
    try expectMarbles("a----c----d----e-|") {
      try $0.hot("a-b-c-----d-e----|").throttle(for: .seconds(5), on: $0)
    }
  }

  @Test func theOneThatFollowsOpensAWhileOfItsOwn() throws {
    try expectMarbles("a----b----c-----|") {
      try $0.hot("a-b----c--------|").throttle(for: .seconds(5), on: $0)
    }
  }

  @Test func whatWaitsIsEmittedAtCompletion() throws {
    try expectMarbles("a-(b|)") { try $0.hot("ab|").throttle(for: .seconds(5), on: $0) }
    try expectMarbles("a-|") {
      try $0.hot("ab|").throttle(for: .seconds(5), latest: false, on: $0)
    }
  }

  @Test func aFailureDropsWhatWaits() throws {
    try expectMarbles("a-#") { try $0.hot("ab#").throttle(for: .seconds(5), on: $0) }
  }

  @Test func anElementExactlyAtTheEndGetsThrough() throws {
    try expectMarbles("a----b--|") {
      try $0.hot("a----b--|").throttle(for: .seconds(5), latest: false, on: $0)
    }
  }

  @Test func anEmptySourceCompletes() throws {
    try expectMarbles("-|") { try $0.hot("-|").throttle(for: .seconds(5), on: $0) }
  }

  @Test func disposingTakesTheTimerBack() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("ab")
    expect(clock.play(source.throttle(for: .seconds(9), on: clock), until: .seconds(2)), equals: "a")
    expect(clock.now, equals: Instant() + .seconds(2))
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func nothingIsAnElementToo() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("abb-|", ["a": 1, "b": Int?.none])
    let recording = clock.record(source.throttle(for: .seconds(9), on: clock))
    clock.run()
    expect(recording.elements, equals: [1, nil])
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func keepsElementsThePeriodApartAndLosesNotTheLast(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let text = String((0..<60).map { _ in random.below(3) == 0 ? "x" : "-" } + ["|"])
    let clock = VirtualScheduler()
    let source = try clock.hot(text).scan(0) { count, _ in count + 1 }
    let all = clock.record(source)
    let thinned = clock.record(source.throttle(for: .seconds(4), on: clock))
    clock.run()
    expect(thinned.elements.first, equals: all.elements.first)
    expect(thinned.elements.last, equals: all.elements.last)
    let times = thinned.records.map(\.time).dropLast(2)
    for (earlier, later) in zip(times, times.dropFirst()) { #expect(later - earlier >= .seconds(4)) }
  }

  @Test func eachKeyIsThrottledByItself() throws {
    expect(
      outcome { Observable.from([1, 11, 2, 12]).throttle(for: .seconds(5), on: $0) { $0 / 10 } },
      equals: "1, 11, 2, 12, |")
    expect(
      outcome { Observable.from([1, 11, 2]).throttle(for: .seconds(5), latest: false, on: $0) { $0 / 10 } },
      equals: "1, 11, |")
  }
}
