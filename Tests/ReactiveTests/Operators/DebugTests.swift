@testable import Reactive
import Testing

@Suite struct DebugTests {
  @Test func writesALineAboutEachThing() throws {
    let clock = VirtualScheduler()
    let lines = Journal<String>()
    #expect(
      clock.play(try clock.hot("a--b--|").observable.debug("polls", to: { lines.note($0) })) == "a--b--|")
    #expect(
      lines.entries == [
        "polls: subscribe", "polls: next a", "polls: next b", "polls: complete", "polls: dispose",
      ])
  }

  @Test func letsEverythingThrough() {
    #expect(outcome { _ in Observable.just(1).debug("one", to: { _ in }) } == "1, |")
  }

  @Test func tellsTheError() {
    let lines = Journal<String>()
    Observable<Int>.fail(Oops(number: 7)).debug("x", to: { lines.note($0) }).subscribe()
    #expect(lines.entries == ["x: subscribe", "x: fail Oops(number: 7)", "x: dispose"])
  }

  @Test func tellsOfADisposeWithoutAnEnd() {
    let lines = Journal<String>()
    Observable<Int>.never().debug("x", to: { lines.note($0) }).subscribe().dispose()
    #expect(lines.entries == ["x: subscribe", "x: dispose"])
  }
}
