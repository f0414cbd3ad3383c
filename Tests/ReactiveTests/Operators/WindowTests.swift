import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct WindowTests {
  /// Each window as one text, when it is over.
  private func joined(_ windows: Observable<Observable<String>>) -> Observable<String> {
    windows.flatMap { window in window.reduce("") { $0 + $1 } }
  }

  @Test func cutsTheStreamIntoStreams() throws {
    try expectMarbles("---a-----(c|)", legend: ["a = ab"]) {
      joined(try $0.hot("a--b--c--|").window(2))
    }
    try expectMarbles("x-----x--|") { try $0.hot("a--b--c--|").window(2).map { _ in "x" } }
    expect(
      outcome { _ in Observable.from(1...3).window(2).concatMap { $0.reduce(0) { $0 + $1 } } },
      equals: "3, 3, |")
  }

  @Test func whatComesGoesStraightIntoTheWindow() throws {
    try expectMarbles("a--b--c--|") { try $0.hot("a--b--c--|").window(2).flatMap { $0 } }
  }

  @Test func aWindowAlsoEndsSomeTimeAfterItsFirstElement() throws {
    try expectMarbles("-----a-----c--|", legend: ["a = ab"]) { clock in
      joined(try clock.hot("a--b--c-------|").window(9, or: .seconds(5), on: clock))
    }
    expect(
      outcome { clock in
        Observable.from(1...3).window(9, or: .seconds(1), on: clock).concatMap { $0.takeLast(1) }
      }, equals: "3, |")
  }

  @Test func theTimeOfAFullWindowDoesNotEndTheNext() throws {
    try expectMarbles("a------c----|", legend: ["a = ab"]) { clock in
      joined(try clock.hot("(ab)--c--------|").window(2, or: .seconds(4), on: clock))
    }
  }

  @Test func aFailureGoesToTheOpenWindowAndOn() throws {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    let windows = try clock.hot("a-#").window(2).do(next: { window in
      _ = window.subscribe(next: { log.note($0) }, fail: { _ in log.note("#") })
    })
    expect(clock.play(windows.map { _ in "x" }), equals: "x-#")
    expect(log.entries, equals: ["a", "#"])
  }

  @Test func disposingCompletesTheOpenWindow() throws {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    let source = try clock.hot("a-b|")
    let windows = source.window(9, or: .seconds(99), on: clock).do(next: { window in
      _ = window.subscribe(next: { log.note($0) }, complete: { log.note("|") })
    })
    expect(clock.play(windows.map { _ in "x" }, until: .seconds(1)), equals: "x")
    expect(log.entries, equals: ["a", "|"])
    expect(source.subscriptions, equals: ["^!"])
  }

  @Test func anEmptySourceHasNoWindows() throws {
    try expectMarbles("-|") { try $0.hot("-|").window(2).map { _ in "x" } }
  }

  @Test func aCountBelowOneIsOne() throws {
    try expectMarbles("x-x|") { try $0.hot("a-b|").window(0).map { _ in "x" } }
  }

  @Test func aWindowThatEndsTheSubscriptionAtItsEndIsNotFollowedByACompletion() {
    let log = Journal<String>()
    let sums = Observable.from(1...3).window(9).do(complete: { log.note("complete") })
      .flatMap { $0.reduce(0) { $0 + $1 }.map { _ -> Int in throw Oops() } }
    expect(outcome { _ in sums }, equals: "#")
    #expect(log.entries.isEmpty)
  }
}
