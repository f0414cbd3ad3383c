@testable import Reactive
import Testing

@Suite struct RetryTests {
  @Test func subscribesAgainWhenTheStreamFails() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-#")
    #expect(clock.play(source.observable.retry(1)) == "a-a-#")
    #expect(source.subscriptions == ["^-!", "--^-!"])
    #expect(outcome { _ in Observable.just(1).concat(.fail(Oops())).retry(1) } == "1, 1, #")
  }

  @Test func aCompletionIsNotTriedAgain() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-|")
    #expect(clock.play(source.observable.retry(3)) == "a-|")
    #expect(source.subscriptions == ["^-!"])
  }

  @Test func noTimesPassesTheFailureOn() throws {
    try expectMarbles("a-#") { try $0.cold("a-#").observable.retry(0) }
  }

  @Test func theLastErrorGoesOn() {
    let clock = VirtualScheduler()
    let tries = Journal<Int>()
    let recording = clock.record(
      Observable<Int>.deferred {
        tries.note(0)
        return .fail(Oops(number: tries.count))
      }.retry(2))
    #expect(recording.error as? Oops == Oops(number: 3))
  }

  @Test func disposingEndsTheTrying() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-#")
    #expect(clock.play(source.observable.retry(.max), until: .seconds(3)) == "a-a")
    #expect(source.subscriptions == ["^-!", "--^!"])
  }

  @Test func manyTimesTakeNoStack() {
    #expect(outcome { _ in Observable<Int>.fail(Oops()).retry(20_000) } == "#")
  }
}
