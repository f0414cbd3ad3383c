@testable import Reactive
import Testing

@Suite struct DeferredTests {
  @Test func makesTheObservableAnewForEachSubscription() {
    let made = Journal<Int>()
    let source = Observable<Int>.deferred {
      made.note(made.count)
      return .just(made.count)
    }
    #expect(made.count == 0)
    #expect(outcome { _ in source } == "1, |")
    #expect(outcome { _ in source } == "2, |")
  }

  @Test func isWhatItMakes() throws {
    try expectMarbles("---a--b--|") { clock in
      let source = try clock.hot("---a--b--|")
      return .deferred { source.observable }
    }
    #expect(outcome { _ in Observable.deferred { Observable.just(6 * 7) } } == "42, |")
  }

  @Test func failsWhenTheClosureThrows() {
    #expect(outcome { _ in Observable<Int>.deferred { throw Oops() } } == "#")
  }

  @Test func disposingLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b-|")
    #expect(clock.play(Observable.deferred { source.observable }, until: .seconds(2)) == "-a")
    #expect(source.subscriptions == ["^-!"])
  }
}
