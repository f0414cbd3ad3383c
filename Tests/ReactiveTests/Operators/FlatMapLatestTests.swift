import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct FlatMapLatestTests {
  @Test func leavesTheOlderStreamForTheNewer() throws {
    let clock = VirtualScheduler()
    let first = try clock.cold("-1--2|")
    let second = try clock.cold("-3--4|")
    let outer = try clock.hot("a-b------|")
    let mapped = outer.flatMapLatest { $0 == "a" ? first : second }
    expect(clock.play(mapped), equals: "-1-3--4--|")
    expect(first.subscriptions, equals: ["^-!"])
    expect(second.subscriptions, equals: ["--^----!"])
    expect(
      outcome { clock in
        Observable.from(1...3).flatMapLatest { Observable.just($0 * 10).delay(for: .seconds(1), on: clock) }
      }, equals: "30, |")
  }

  @Test func completesAfterTheLastInnerStream() throws {
    try expectMarbles("--x-|") { clock in
      let inner = try clock.cold("--x-|")
      return try clock.hot("a|").flatMapLatest { _ in inner }
    }
  }

  @Test func completesWithTheOuterStreamWhenNoInnerOneRuns() throws {
    try expectMarbles("-x--|") { clock in
      let inner = try clock.cold("-x|")
      return try clock.hot("a---|").flatMapLatest { _ in inner }
    }
    try expectMarbles("-|") { try $0.hot("-|").flatMapLatest { Observable.just($0) } }
  }

  @Test func anInnerFailureLeavesTheOuterStream() throws {
    let clock = VirtualScheduler()
    let outer = try clock.hot("a-----|")
    let inner = try clock.cold("-x-#")
    expect(clock.play(outer.flatMapLatest { _ in inner }), equals: "-x-#")
    expect(outer.subscriptions, equals: ["^--!"])
  }

  @Test func aStreamThatWasLeftCannotFailItAnyMore() throws {
    try expectMarbles("--x-|") { clock in
      let failing = try clock.cold("--#")
      let good = try clock.cold("-x|")
      return try clock.hot("ab--|").flatMapLatest {
        $0 == "a" ? failing : good
      }
    }
  }

  @Test func anOuterFailureEndsTheInnerStream() throws {
    let clock = VirtualScheduler()
    let inner = try clock.cold("-x-y-z|")
    expect(clock.play(try clock.hot("a--#").flatMapLatest { _ in inner }), equals: "-x-#")
    expect(inner.subscriptions, equals: ["^--!"])
  }

  @Test func failsWhenTheClosureThrowsAndLeavesEverything() throws {
    let clock = VirtualScheduler()
    let outer = try clock.hot("a-b--|")
    let inner = try clock.cold("-x-y-|")
    let mapped = outer.flatMapLatest { text in
      if text == "b" { throw Oops() }
      return inner
    }
    expect(clock.play(mapped), equals: "-x#")
    expect(outer.subscriptions, equals: ["^-!"])
    expect(inner.subscriptions, equals: ["^-!"])
  }

  @Test func anInnerElementMayFeedTheOuterStream() {
    let subject = PublishSubject<Int>()
    let log = Journal<Int>()
    _ = subject.flatMapLatest { Observable.from([$0, $0 + 1]) }.subscribe(next: { value in
      log.note(value)
      if value == 1 { subject.next(10) }
    })
    subject.next(1)
    expect(log.entries, equals: [1, 2, 10, 11])
  }
}

@Suite struct OverFlatMapLatestTests {
  @Test func anElementOfTheOuterStreamFromWithinTheFailureIsNotSubscribedTo() {
    let log = Journal<String>()
    let outer = PublishSubject<Int>()
    let first = PublishSubject<String>()
    outer.flatMapLatest { number in
      number == 0
        ? first
        : Observable.create { emitter in
          log.note("asked again")
          emitter.next("answer")
        }
    }
    .do(next: { log.note("next \($0)") })
    .subscribe(next: { log.note($0) }, fail: { _ in outer.next(1) }).onDispose { log.note("end") }
    outer.next(0)
    first.fail(Oops())
    expect(log.entries, equals: ["end"])
  }

  @Test func aDeepNestIsDisposedWithoutRecursion() {
    let outer = PublishSubject<Int>()
    @Sendable func nest() -> Observable<Int> { outer.take(1).flatMapLatest { _ in nest() } }
    let subscription = nest().subscribe(next: { _ in })
    for number in 0..<15_000 { outer.next(number) }
    subscription.dispose()
    #expect(!outer.hasObservers)
  }
}

@Suite struct SwitchLatestTests {
  @Test func emitsTheNewestOfTheStreams() throws {
    let clock = VirtualScheduler()
    let first = try clock.cold("-1--2|")
    let second = try clock.cold("-3--4|")
    let outer = try clock.hot("A-B------|", ["A": first, "B": second])
    expect(clock.play(outer.switchLatest()), equals: "-1-3--4--|")
    expect(first.subscriptions, equals: ["^-!"])
    expect(second.subscriptions, equals: ["--^----!"])
    expect(
      outcome { _ in Observable.from([Observable.just(1), Observable.just(2)]).switchLatest() },
      equals: "1, 2, |")
  }

  @Test func completesAfterTheLastInnerStream() throws {
    try expectMarbles("---1|") { clock in
      let inner = try clock.cold("--1|")
      return try clock.hot("-A|", ["A": inner]).switchLatest()
    }
  }

  @Test func anInnerFailureLeavesTheOuterStream() throws {
    let clock = VirtualScheduler()
    let inner = try clock.cold("-1#")
    let outer = try clock.hot("A-----|", ["A": inner])
    expect(clock.play(outer.switchLatest()), equals: "-1#")
    expect(outer.subscriptions, equals: ["^-!"])
  }
}
