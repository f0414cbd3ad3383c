import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct TimeoutTests {
  @Test func failsWhenNothingComesForAWhile() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a--b-------c-|")
    let recording = clock.record(source.timeout(after: .seconds(5), on: clock))
    clock.run()
    expect(recording.drawing.line, equals: "a--b----#")
    #expect(recording.error as? ReactiveError == .timedOut(after: .seconds(5)))
    expect(source.subscriptions, equals: ["^-------!"])
  }

  @Test func waitsForTheFirstElementToo() throws {
    try expectMarbles("---#") { try $0.hot("-----a|").timeout(after: .seconds(3), on: $0) }
  }

  @Test func goesOnWithTheOtherStream() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-----b|")
    let other = try clock.cold("-x----y|")
    let patient = source.timeout(after: .seconds(3), on: clock, else: other)
    expect(clock.play(patient), equals: "a---x----y|")
    expect(source.subscriptions, equals: ["^--!"])
    expect(other.subscriptions, equals: ["---^------!"])
    expect(
      outcome { Observable<Int>.never().timeout(after: .seconds(5), on: $0, else: Observable.just(0)) },
      equals: "0, |")
  }

  @Test func theOtherStreamMayFail() throws {
    try expectMarbles("--#") {
      try $0.hot("-----a|").timeout(after: .seconds(2), on: $0, else: .fail(Oops()))
    }
  }

  @Test func aStreamInTimeKeepsItsEndAndTheTimerGoes() throws {
    let clock = VirtualScheduler()
    expect(clock.play(try clock.hot("a-b-|").timeout(after: .seconds(3), on: clock)), equals: "a-b-|")
    expect(clock.now, equals: Instant() + .seconds(4))
    try expectMarbles("a-#") { try $0.hot("a-#").timeout(after: .seconds(3), on: $0) }
  }

  @Test func anElementExactlyAtTheDeadlineIsInTime() throws {
    try expectMarbles("a---b|") { try $0.hot("a---b|").timeout(after: .seconds(4), on: $0) }
  }

  @Test func disposingEndsTheOtherStream() throws {
    let clock = VirtualScheduler()
    let other = try clock.cold("-x-y|")
    let patient = Observable.never().timeout(after: .seconds(2), on: clock, else: other)
    expect(clock.play(patient, until: .seconds(4)), equals: "---x")
    expect(other.subscriptions, equals: ["--^-!"])
  }
}
