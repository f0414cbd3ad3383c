import Expectations
import ReactiveTesting
@testable import Reactive
import Testing

@Suite struct DoTests {
  private func noted(_ source: Observable<String>, _ log: Journal<String>) -> Observable<String> {
    source.do(
      next: { log.note("next \($0)") }, fail: { _ in log.note("fail") }, complete: { log.note("complete") },
      subscribe: { log.note("subscribe") }, dispose: { log.note("dispose") })
  }

  @Test func callsTheClosuresOnTheWay() throws {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    expect(clock.play(noted(try clock.hot("a--b--|"), log)), equals: "a--b--|")
    expect(log.entries, equals: ["subscribe", "next a", "next b", "complete", "dispose"])
    expect(outcome { _ in Observable.from(1...2).do(next: { _ in }) }, equals: "1, 2, |")
  }

  @Test func callsThemBeforeTheObserver() {
    let log = Journal<String>()
    _ = Observable.just("a").do(next: { log.note("do \($0)") }).subscribe(next: { log.note("next \($0)") })
    expect(log.entries, equals: ["do a", "next a"])
  }

  @Test func tellsOfAFailure() throws {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    expect(clock.play(noted(try clock.hot("a-#"), log)), equals: "a-#")
    expect(log.entries, equals: ["subscribe", "next a", "fail", "dispose"])
  }

  @Test func tellsOfADisposeWithoutAnEnd() throws {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    expect(clock.play(noted(try clock.hot("a-b-|"), log), until: .seconds(1)), equals: "a")
    expect(log.entries, equals: ["subscribe", "next a", "dispose"])
  }

  @Test func failsWhenAClosureThrowsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b|")
    expect(clock.play(source.do(next: { _ in throw Oops() })), equals: "-#")
    expect(source.subscriptions, equals: ["^!"])
  }

  @Test func noOperatorCompletesAfterAnElementThatEndedTheSubscription() throws {
    let clock = VirtualScheduler()
    let source = Observable.from(1...3)
    let waiting = try clock.cold("(ab|)").flatMap(limit: 1) { text -> Observable<Int> in
      text == "a" ? Observable.timer(after: .seconds(1), on: clock).ignoreElements() : .just(1)
    }
    let streams: [Observable<Int>] = [
      .just(1), source.take(1), source.take(while: { $0 < 1 }, inclusive: true), source.takeLast(1),
      source.buffer(5).map(\.count), source.throttle(for: .seconds(1), on: clock).skip(1),
      source.debounce(for: .seconds(1), on: clock), source.reduce(0) { $0 + $1 },
      source.materialize().filter(\.isTerminal).map { _ in 1 }, .timer(after: .seconds(1), on: clock),
      .zip([Observable.just(1)]).map(\.count), Observable.just(1).delay(for: .seconds(1), on: clock),
      source.rateLimit(1, per: .seconds(1), on: clock).skip(2), source.observe(on: clock).skip(2), waiting,
    ]
    for (index, stream) in streams.enumerated() {
      let log = Journal<String>()
      let failing = stream.do(
        next: { _ in throw Oops() }, fail: { _ in log.note("fail") }, complete: { log.note("complete") })
      let recording = clock.record(failing)
      clock.run()
      #expect(recording.error is Oops, "stream \(index)")
      #expect(log.entries.isEmpty, "stream \(index)")
    }
  }
}

@Suite struct DebugTests {
  @Test func writesALineAboutEachThing() throws {
    let clock = VirtualScheduler()
    let lines = Journal<String>()
    expect(clock.play(try clock.hot("a--b--|").debug("polls", to: { lines.note($0) })), equals: "a--b--|")
    expect(
      lines.entries,
      equals: [
        "polls: subscribe", "polls: next a", "polls: next b", "polls: complete", "polls: dispose",
      ])
  }

  @Test func letsEverythingThrough() {
    expect(outcome { _ in Observable.just(1).debug("one", to: { _ in }) }, equals: "1, |")
  }

  @Test func tellsTheError() {
    let lines = Journal<String>()
    _ = Observable<Int>.fail(Oops(number: 7)).debug("x", to: { lines.note($0) }).subscribe()
    expect(lines.entries, equals: ["x: subscribe", "x: fail Oops(number: 7)", "x: dispose"])
  }

  @Test func tellsOfADisposeWithoutAnEnd() {
    let lines = Journal<String>()
    Observable<Int>.never().debug("x", to: { lines.note($0) }).subscribe().dispose()
    expect(lines.entries, equals: ["x: subscribe", "x: dispose"])
  }
}
