import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct CatchTests {
  @Test func goesOnWithTheOtherStream() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a--#")
    let other = try clock.cold("b--|")
    expect(clock.play(source.catch { _ in other }), equals: "a--b--|")
    expect(source.subscriptions, equals: ["^--!"])
    expect(other.subscriptions, equals: ["---^--!"])
  }

  @Test func aCompletionNeedsNoOther() throws {
    let clock = VirtualScheduler()
    let other = try clock.cold("b|")
    expect(clock.play(try clock.hot("a-|").catch { _ in other }), equals: "a-|")
    #expect(other.subscriptions.isEmpty)
  }

  @Test func isToldTheErrorAndDoesNotCatchTheSecondOne() {
    let clock = VirtualScheduler()
    let asked = Journal<Oops?>()
    let recording = clock.record(
      Observable<Int>.fail(Oops(number: 1)).catch { error in
        asked.note(error as? Oops)
        return .fail(Oops(number: 2))
      })
    expect(asked.entries, equals: [Oops(number: 1)])
    #expect(recording.error as? Oops == Oops(number: 2))
  }

  @Test func aHandlerThatThrowsFailsWithItsOwnError() {
    let clock = VirtualScheduler()
    let recording = clock.record(Observable<Int>.fail(Oops(number: 1)).catch { _ in throw Oops(number: 3) })
    #expect(recording.error as? Oops == Oops(number: 3))
  }

  @Test func emitsOneLastElement() throws {
    try expectMarbles("a--(z|)") { try $0.hot("a--#").catch(emitting: "z") }
    expect(outcome { _ in Observable<Int>.fail(Oops()).catch { _ in Observable.just(0) } }, equals: "0, |")
    expect(outcome { _ in Observable<Int>.fail(Oops()).catch(emitting: 0) }, equals: "0, |")
  }

  @Test func catchesWhatAClosureUpstreamThrows() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-b-c|")
    let checked = source.do(next: { if $0 == "b" { throw Oops() } })
    expect(clock.play(checked.catch(emitting: "z")), equals: "a-(z|)")
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func anErrorBecomesAnother() throws {
    let clock = VirtualScheduler()
    let recording = clock.record(
      Observable<Int>.fail(Oops(number: 1)).mapError { error in
        Oops(number: (error as? Oops)?.number == 1 ? 2 : 0)
      })
    #expect(recording.error as? Oops == Oops(number: 2))
    let other = clock.record(Observable<Int>.fail(Oops(number: 1)).mapError { _ in throw Oops(number: 3) })
    #expect(other.error as? Oops == Oops(number: 3))
    try expectMarbles("a-|") { try $0.hot("a-|").mapError { $0 } }
  }
}
