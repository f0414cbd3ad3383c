import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct JustTests {
  @Test func emitsOneElementAndCompletes() throws {
    try expectMarbles("(a|)") { _ in Observable.just("a") }
    expect(outcome { _ in Observable.just(7) }, equals: "7, |")
  }

  @Test func emitsItToEachSubscriber() throws {
    try expectMarbles("--(a|)", from: .seconds(2)) { _ in Observable.just("a") }
  }

  @Test func doesNotCompleteOnceDisposedFromInsideTheElement() {
    let log = Journal<String>()
    let subscription = Subscription()
    Observable.just(1).subscribe(
      in: subscription, next: { _ in subscription.dispose() }, complete: { log.note("complete") })
    #expect(log.entries.isEmpty)
  }

  @Test func saysNothingToADisposedSubscription() {
    let log = Journal<Int>()
    let subscription = Subscription()
    subscription.dispose()
    Observable.just(1).subscribe(in: subscription, next: { log.note($0) })
    #expect(log.entries.isEmpty)
  }
}

@Suite struct FromTests {
  @Test func emitsTheElementsAndCompletes() throws {
    try expectMarbles("(abc|)") { _ in Observable.from(["a", "b", "c"]) }
    expect(outcome { _ in Observable.from(["a", "b"]) }, equals: "a, b, |")
  }

  @Test func anEmptySequenceCompletes() {
    expect(outcome { _ in Observable.from([Int]()) }, equals: "|")
  }

  @Test func startsAnewForEachSubscriber() {
    let source = Observable.from(1...2)
    expect(outcome { _ in source.concat(source) }, equals: "1, 2, 1, 2, |")
  }

  @Test func stopsWhenNobodyListensAnyMore() {
    expect(outcome { _ in Observable.from(0...).take(3) }, equals: "0, 1, 2, |")
    let subscription = Subscription()
    let log = Journal<Int>()
    Observable.from(0...).subscribe(
      in: subscription,
      next: { value in
        log.note(value)
        if value == 1 { subscription.dispose() }
      })
    expect(log.entries, equals: [0, 1])
  }
}

@Suite struct EmptyTests {
  @Test func completesAtOnce() {
    expect(outcome { _ in Observable<Int>.empty() }, equals: "|")
  }

  @Test func completesAtOnceForALateSubscriberToo() throws {
    try expectMarbles("---|", from: .seconds(3)) { _ in Observable<Int>.empty() }
  }

  @Test func leavesTheSubscriptionDisposed() {
    #expect(Observable<Int>.empty().subscribe().isDisposed)
  }
}

@Suite struct NeverTests {
  @Test func saysNothing() throws {
    try expectMarbles("") { _ in Observable<Int>.never() }
    expect(outcome { Observable<Int>.never().take(for: .seconds(1), on: $0) }, equals: "|")
  }

  @Test func staysOpenUntilDisposed() {
    let subscription = Observable<Int>.never().subscribe()
    #expect(!subscription.isDisposed)
    subscription.dispose()
    #expect(subscription.isDisposed)
  }

  @Test func keepsAConcatenationFromGoingOn() throws {
    let clock = VirtualScheduler()
    let second = try clock.cold("a|")
    #expect(clock.play(Observable.never().concat(second)).isEmpty)
    #expect(second.subscriptions.isEmpty)
  }
}

@Suite struct FailTests {
  @Test func failsAtOnceWithTheError() {
    let recording = VirtualScheduler().record(Observable<Int>.fail(Oops(number: 4)))
    expect(recording.drawing.line, equals: "#")
    #expect(recording.error as? Oops == Oops(number: 4))
  }

  @Test func failsForEachSubscriber() throws {
    try expectMarbles("--#", from: .seconds(2)) { _ in Observable<Int>.fail(Oops()) }
  }

  @Test func leavesTheSubscriptionDisposed() {
    #expect(Observable<Int>.fail(Oops()).subscribe().isDisposed)
  }
}

@Suite struct DeferredTests {
  @Test func makesTheObservableAnewForEachSubscription() {
    let made = Journal<Int>()
    let source = Observable<Int>.deferred {
      made.note(made.count)
      return .just(made.count)
    }
    expect(made.count, equals: 0)
    expect(outcome { _ in source }, equals: "1, |")
    expect(outcome { _ in source }, equals: "2, |")
  }

  @Test func isWhatItMakes() throws {
    try expectMarbles("---a--b--|") { clock in
      let source = try clock.hot("---a--b--|")
      return .deferred { source }
    }
    expect(outcome { _ in Observable.deferred { Observable.just(6 * 7) } }, equals: "42, |")
  }

  @Test func failsWhenTheClosureThrows() {
    expect(outcome { _ in Observable<Int>.deferred { throw Oops() } }, equals: "#")
  }

  @Test func disposingLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b-|")
    expect(clock.play(Observable.deferred { source }, until: .seconds(2)), equals: "-a")
    expect(source.subscriptions, equals: ["^-!"])
  }
}
