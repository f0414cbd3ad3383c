@testable import Reactive
import Testing

@Suite struct ConcatMapTests {
  @Test func emitsOneStreamAfterAnother() throws {
    let clock = VirtualScheduler()
    let first = try clock.cold("-1--2|")
    let second = try clock.cold("-3--4|")
    let outer = try clock.hot("a-b------|")
    let mapped = outer.observable.concatMap { $0 == "a" ? first.observable : second.observable }
    #expect(clock.play(mapped) == "-1--2-3--4|")
    #expect(first.subscriptions == ["^----!"])
    #expect(second.subscriptions == ["-----^----!"])
    #expect(
      outcome { _ in Observable.from(1...2).concatMap { Observable.from([$0, -$0]) } } == "1, -1, 2, -2, |")
  }

  @Test func anInnerFailureEndsAllAndForgetsWhatWaits() throws {
    let clock = VirtualScheduler()
    let outer = try clock.hot("ab-----|")
    let inner = try clock.cold("-x-#")
    #expect(clock.play(outer.observable.concatMap { _ in inner.observable }) == "-x-#")
    #expect(outer.subscriptions == ["^--!"])
    #expect(inner.subscriptions == ["^--!"])
  }

  @Test func anOuterFailureEndsTheInnerStream() throws {
    let clock = VirtualScheduler()
    let inner = try clock.cold("-x-y-z|")
    #expect(clock.play(try clock.hot("a--#").observable.concatMap { _ in inner.observable }) == "-x-#")
    #expect(inner.subscriptions == ["^--!"])
  }

  @Test func failsWhenMoreWaitThanTheBacklogHolds() throws {
    let clock = VirtualScheduler()
    let outer = try clock.hot("abc-|")
    let recording = clock.record(outer.observable.concatMap(backlog: 1) { _ in Observable<Int>.never() })
    clock.run()
    #expect(recording.drawing.line == "--#")
    #expect(recording.error as? ReactiveError == .overflow(what: "the backlog of flatMap", limit: 1))
    #expect(outer.subscriptions == ["^-!"])
  }

  @Test func completesAfterWhatWaitsWhenTheOuterStreamEndsFirst() throws {
    try expectMarbles("--x--x--x|") { clock in
      let inner = try clock.cold("--x|")
      return try clock.hot("(abc|)").observable.concatMap { _ in inner.observable }
    }
  }
}
