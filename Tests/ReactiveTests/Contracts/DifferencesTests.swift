import Expectations
import Reactive
import ReactiveTesting
import Testing

/// What means something else in RxSwift: the table of the page “Coming from RxSwift”, row by row.
@Suite struct DifferencesTests {
  @Test func zipOfAListEndsWhenAllHave() throws {
    try expectMarbles("a-----|", legend: ["a = ax"]) { clock in
      let short = try clock.hot("x-|")
      return Observable.zip([try clock.hot("a----b|"), short]).map { $0.joined() }
    }
  }

  @Test func aClosureWithoutALabelGetsElements() {
    let log = Journal<Int>()
    _ = Observable.from([1, 2]).subscribe { log.note($0) }
    expect(log.entries, equals: [1, 2])
  }

  @Test func singleEmitsAtTheEnd() throws {
    try expectMarbles("---(a|)") { try $0.hot("a--|").single() }
    try expectMarbles("--#") { try $0.hot("a-b|").single() }
  }

  @Test func aDisposeIsCarriedOutWhereItIsCalled() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-a-a")
    let subscription = source.subscribe(on: clock).subscribe()
    clock.advance(by: .seconds(1))
    subscription.dispose()
    expect(source.subscriptions, equals: ["^!"])
  }

  @Test func throttleEmitsWhatWaitsAtTheEnd() throws {
    try expectMarbles("a--(c|)") { clock in
      try clock.hot("abc|").throttle(for: .seconds(9), on: clock)
    }
  }

  @Test func bufferCountsItsTimeFromTheFirstElement() throws {
    try expectMarbles("-------a--(c|)", legend: ["a = ab"]) { clock in
      try clock.hot("-----ab--c|").buffer(9, or: .seconds(2), on: clock).map { $0.joined() }
    }
  }

  @Test func nothingIsEmittedForAnEmptyBuffer() throws {
    try expectMarbles("-a-b|", legend: ["a = ab", "b = cd"]) {
      try $0.hot("abcd|").buffer(2).map { $0.joined() }
    }
    try expectMarbles("-2-2|") {
      try $0.hot("abcd|").window(2).concatMap { $0.reduce(0) { count, _ in count + 1 } }
    }
  }

  @Test func concatMapCallsItsClosureWhenTheTurnHasCome() throws {
    try expectMarbles("---x--#") { clock in
      let inner = try clock.cold("---x--|")
      return try clock.hot("ab").concatMap { mark in
        if mark == "b" { throw Oops() }
        return inner
      }
    }
  }

  @Test func aDisposeInsideNextStopsASourceThatIsStillInside() {
    let started = Tally()
    let subscription = Subscription()
    Observable.from(1...4).do(next: { _ in started.add() })
      .subscribe(in: subscription, next: { if $0 == 2 { subscription.dispose() } })
    expect(started.value, equals: 2)
  }

  @Test func theValueStaysAfterAnError() {
    let subject = BehaviorSubject(1)
    subject.next(2)
    subject.fail(Oops())
    expect(subject.value, equals: 2)
  }

  @Test func retryCountsRepeats() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("#")
    expect(clock.play(source.retry(times: 2)), equals: "#")
    expect(source.subscriptions.count, equals: 3)
  }

  @Test func skipUntilEndsWithItsSource() throws {
    try expectMarbles("--|") { try $0.hot("a-|").skip(until: Observable<Int>.never()) }
  }

  @Test func sampleGoesByItsSource() throws {
    try expectMarbles("-a----|") { clock in
      let trigger = try clock.hot("-x-|")
      return try clock.hot("a---b-|").sample(trigger)
    }
  }

  @Test func groupsEndWithTheSubscription() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-a-a")
    let ended = Tally()
    let subscription = source.group { $0 }.subscribe(next: { group in
      _ = group.subscribe(complete: { ended.add() })
    })
    clock.advance(by: .seconds(2))
    subscription.dispose()
    expect(ended.value, equals: 1)
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func aConnectedStreamThatHasEndedStaysSo() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a|")
    let shared = source.publish()
    shared.connect()
    clock.run()
    shared.connect()
    expect(clock.record(shared).drawing.line, equals: "-|")
    expect(source.subscriptions.count, equals: 1)
  }

  @Test func whatIsSentInsideADeliveryComesAfterIt() {
    let subject = PublishSubject<Int>()
    let log = Journal<String>()
    let bag = Bag()
    subject.subscribe(next: { number in
      if number == 1 { subject.next(2) }
      log.note("a\(number)")
    }).disposed(by: bag)
    subject.subscribe(next: { log.note("b\($0)") }).disposed(by: bag)
    subject.next(1)
    expect(log.entries, equals: ["a1", "b1", "a2", "b2"])
  }

  @Test func aSubscriptionThatIsDisposedAtOnceDoesNotStart() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a|")
    source.subscribe(on: clock).subscribe().dispose()
    clock.run()
    #expect(source.subscriptions.isEmpty)
  }
}
