@testable import Reactive
import Testing

@Suite struct RepeatTests {
  @Test func subscribesAgainAtEachCompletion() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-b|")
    #expect(clock.play(source.observable.repeat(2)) == "a-ba-b|")
    #expect(source.subscriptions == ["^--!", "---^--!"])
    #expect(outcome { _ in Observable.from([1, 2]).repeat(2) } == "1, 2, 1, 2, |")
  }

  @Test func noTimesIsEmpty() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a|")
    #expect(clock.play(source.observable.repeat(0)) == "|")
    #expect(source.subscriptions.isEmpty)
  }

  @Test func goesOnUntilSomebodyEndsIt() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-|")
    #expect(clock.play(source.observable.repeat().take(3)) == "a-a-(a|)")
    #expect(source.subscriptions == ["^-!", "--^-!", "----(^!)"])
  }

  @Test func aFailureEndsIt() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-#")
    #expect(clock.play(source.observable.repeat(3)) == "a-#")
    #expect(source.subscriptions == ["^-!"])
  }

  @Test func manyTimesTakeNoStack() {
    #expect(outcome { _ in Observable.just(1).repeat(20_000).reduce(0) { $0 + $1 } } == "20000, |")
  }
}
