import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct RateLimitTests {
  @Test func spacesOutWhatComesTooFast() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("abc---------|")
    expect(clock.play(source.rateLimit(1, per: .seconds(3), on: clock)), equals: "a--b--c-----|")
    expect(outcome { Observable.from(1...3).rateLimit(2, per: .seconds(1), on: $0) }, equals: "1, 2, 3, |")
  }

  @Test func spreadsACountEvenlyOverThePeriod() throws {
    try expectMarbles("a-b-c-|") { try $0.hot("abc---|").rateLimit(2, per: .seconds(4), on: $0) }
  }

  @Test func letsABurstThrough() throws {
    try expectMarbles("ab-c---|") {
      try $0.hot("abc----|").rateLimit(1, per: .seconds(3), burst: 2, on: $0)
    }
  }

  @Test func savesUpNoMoreThanTheBurst() throws {
    try expectMarbles("a---------bc-(d|)") {
      try $0.hot("a---------bcd|").rateLimit(1, per: .seconds(3), burst: 2, on: $0)
    }
  }

  @Test func aBurstWithoutEndHoldsNothingBack() throws {
    try expectMarbles("(abc)d|") {
      try $0.hot("(abc)d|").rateLimit(1, per: .seconds(3), burst: .max, on: $0)
    }
  }

  @Test func completesAfterWhatWaits() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("ab|")
    expect(clock.play(source.rateLimit(1, per: .seconds(3), on: clock)), equals: "a--(b|)")
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func theEndWaitsForNoPermission() throws {
    try expectMarbles("a|") { try $0.hot("a|").rateLimit(1, per: .seconds(3), on: $0) }
  }

  @Test func aFailureOvertakesWhatWaits() throws {
    try expectMarbles("a-#") { try $0.hot("ab#").rateLimit(1, per: .seconds(3), on: $0) }
  }

  @Test func failsWhenMoreWaitThanTheBacklogHolds() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("abc--|")
    let recording = clock.record(source.rateLimit(1, per: .seconds(3), on: clock, backlog: 1))
    clock.run()
    expect(recording.drawing.line, equals: "a-#")
    #expect(recording.error as? ReactiveError == .overflow(what: "the backlog of rateLimit", limit: 1))
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func anEmptySourceCompletes() throws {
    try expectMarbles("-|") { try $0.hot("-|").rateLimit(1, per: .seconds(3), on: $0) }
  }

  @Test func nothingIsAnElementToo() {
    let values: [Int?] = [nil, nil, 1]
    expect(
      outcome { Observable.from(values).rateLimit(1, per: .seconds(1), on: $0) },
      equals: "nil, nil, Optional(1), |")
  }
}
