import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct SubscribeTests {
  @Test func handsWhatComesToTheClosures() {
    let log = Journal<String>()
    let numbers = Observable.from(1...4).filter { $0.isMultiple(of: 2) }.map { $0 * 10 }
    _ = numbers.subscribe(next: { log.note("\($0)") }, complete: { log.note("done") })
    expect(log.entries, equals: ["20", "40", "done"])
  }

  @Test func nothingComesAfterTheEnd() {
    let log = Journal<String>()
    let wild = Observable<Int>(attaching: { observer, _ in
      observer.next(1)
      observer.complete()
      observer.next(2)
      observer.fail(Oops())
      observer.complete()
    })
    let subscription = wild.subscribe(
      next: { log.note("\($0)") }, fail: { _ in log.note("#") }, complete: { log.note("|") })
    expect(log.entries, equals: ["1", "|"])
    #expect(subscription.isDisposed)
  }

  @Test func disposedFromInsideAnElementItIsSilent() {
    let log = Journal<Int>()
    let subscription = Subscription()
    Observable.from(1...9).subscribe(
      in: subscription,
      next: { value in
        log.note(value)
        if value == 3 { subscription.dispose() }
      }, complete: { log.note(0) })
    expect(log.entries, equals: [1, 2, 3])
  }

  @Test func aDisposedSubscriptionStartsNothing() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a|")
    let subscription = Subscription()
    subscription.dispose()
    source.subscribe(in: subscription)
    #expect(source.subscriptions.isEmpty)
  }

  @Test func feedsAnObserver() {
    let subject = ReplaySubject<Int>(limit: 9)
    _ = Observable.from(1...3).subscribe(subject)
    expect(outcome { _ in subject }, equals: "1, 2, 3, |")
  }

  @Test func theEndLetsGoOfWhatTheClosuresHold() {
    final class Thing: Sendable {}
    weak var seen: Thing?
    let subject = PublishSubject<Int>()
    do {
      let thing = Thing()
      seen = thing
      _ = subject.subscribe(next: { _ in _ = thing })
    }
    #expect(seen != nil)
    subject.complete()
    expectNil(seen)
  }
}
