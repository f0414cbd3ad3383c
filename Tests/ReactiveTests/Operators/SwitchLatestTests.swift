@testable import Reactive
import Testing

@Suite struct SwitchLatestTests {
  @Test func emitsTheNewestOfTheStreams() throws {
    let clock = VirtualScheduler()
    let first = try clock.cold("-1--2|")
    let second = try clock.cold("-3--4|")
    let outer = try clock.hot("A-B------|", ["A": first.observable, "B": second.observable])
    #expect(clock.play(outer.observable.switchLatest()) == "-1-3--4--|")
    #expect(first.subscriptions == ["^-!"])
    #expect(second.subscriptions == ["--^----!"])
    #expect(
      outcome { _ in Observable.from([Observable.just(1), Observable.just(2)]).switchLatest() } == "1, 2, |")
  }

  @Test func completesAfterTheLastInnerStream() throws {
    try expectMarbles("---1|") { clock in
      let inner = try clock.cold("--1|")
      return try clock.hot("-A|", ["A": inner.observable]).observable.switchLatest()
    }
  }

  @Test func anInnerFailureLeavesTheOuterStream() throws {
    let clock = VirtualScheduler()
    let inner = try clock.cold("-1#")
    let outer = try clock.hot("A-----|", ["A": inner.observable])
    #expect(clock.play(outer.observable.switchLatest()) == "-1#")
    #expect(outer.subscriptions == ["^-!"])
  }
}
