import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct PublishTests {
  @Test func startsOnceForAllWhenConnected() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("--a--b--c--|")
    let shared = source.publish()
    let first = clock.record(shared)
    let second = clock.record(shared)
    _ = clock.schedule(after: .seconds(1)) { shared.connect() }
    clock.run()
    expect(first.drawing.line, equals: "---a--b--c--|")
    expect(second.drawing.line, equals: "---a--b--c--|")
    expect(source.subscriptions, equals: ["-^----------!"])
  }

  @Test func aLateSubscriberMissesWhatWasBefore() throws {
    let clock = VirtualScheduler()
    let shared = try clock.hot("--a--b--c--|").publish()
    let early = clock.record(shared)
    let late = clock.record(shared, from: .seconds(4))
    shared.connect()
    clock.run()
    expect(early.drawing.line, equals: "--a--b--c--|")
    expect(late.drawing.line, equals: "-----b--c--|")
  }

  @Test func aSecondConnectGivesTheSameSubscription() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a|")
    let shared = source.publish()
    #expect(shared.connect() === shared.connect())
    clock.run()
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func disposingTheConnectionLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-b-c|")
    let shared = source.publish()
    let recording = clock.record(shared)
    let connection = shared.connect()
    clock.advance(to: Instant() + .seconds(3))
    connection.dispose()
    clock.run()
    expect(recording.drawing.line, equals: "a-b")
    expect(source.subscriptions, equals: ["^--!"])
  }

  @Test func aDisposedConnectionCanBeMadeAgain() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-b-c|")
    let shared = source.publish()
    let recording = clock.record(shared)
    shared.connect().dispose()
    _ = clock.schedule(after: .seconds(2)) { shared.connect() }
    clock.run()
    expect(recording.drawing.line, equals: "----c|")
    expect(source.subscriptions, equals: ["(^!)", "--^--!"])
  }

  @Test func replayGivesALateSubscriberTheLastElements() throws {
    let clock = VirtualScheduler()
    let shared = try clock.hot("abc--d|").replay(2)
    let late = clock.record(shared, from: .seconds(4))
    let tooLate = clock.record(shared, from: .seconds(8))
    shared.connect()
    clock.run()
    expect(late.drawing.line, equals: "----(bc)d|")
    expect(tooLate.drawing.line, equals: "--------(cd|)")
  }

  @Test func autoconnectStartsWithTheFirstAndStays() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b-c-|")
    let shared = source.publish().autoconnect()
    let first = clock.record(shared, from: .seconds(2), until: .seconds(4))
    let second = clock.record(shared, from: .seconds(4))
    clock.run()
    expect(first.drawing.line, equals: "---b")
    expect(second.drawing.line, equals: "-----c-|")
    expect(source.subscriptions, equals: ["--^----!"])
    expect(outcome { _ in Observable.from(1...2).publish().autoconnect() }, equals: "1, 2, |")
    expect(outcome { _ in Observable.from(1...3).replay(2).autoconnect() }, equals: "1, 2, 3, |")
  }

  @Test func autoconnectStopsWithTheSubscriptionItIsGiven() {
    let subject = PublishSubject<Int>()
    let connection = Subscription()
    let shared = subject.publish().autoconnect(in: connection)
    for _ in 0..<3 { shared.subscribe().dispose() }
    #expect(subject.hasObservers)
    connection.dispose()
    #expect(!subject.hasObservers)
  }

  @Test func aChainHoldsTheSourceAndOneOfTheStreamAloneDoesNot() {
    func kept(_ chain: (ConnectableObservable<Int>) -> Observable<Int>) -> Bool {
      weak var source: PublishSubject<Int>?
      let held: Observable<Int>
      do {
        let subject = PublishSubject<Int>()
        source = subject
        let polls = subject.publish()
        polls.connect()
        held = chain(polls)
      }
      return withExtendedLifetime(held) { source != nil }
    }
    #expect(kept { $0.map { $0 } })
    #expect(!kept { $0.observable.map { $0 } })
  }

  @Test func refCountLeavesWithTheLastAndStartsAgain() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b-c-d-|")
    let shared = source.publish().refCount()
    let first = clock.record(shared, until: .seconds(2))
    let second = clock.record(shared, from: .seconds(1), until: .seconds(4))
    let third = clock.record(shared, from: .seconds(6))
    clock.run()
    expect(first.drawing.line, equals: "-a")
    expect(second.drawing.line, equals: "---b")
    expect(third.drawing.line, equals: "-------d-|")
    expect(source.subscriptions, equals: ["^---!", "------^--!"])
  }

  @Test func aFailureReachesThoseWhoComeAfterItToo() throws {
    let clock = VirtualScheduler()
    let shared = try clock.hot("-a#").publish()
    let first = clock.record(shared)
    let late = clock.record(shared, from: .seconds(5))
    shared.connect()
    clock.run()
    expect(first.drawing.line, equals: "-a#")
    expect(late.drawing.line, equals: "-----#")
  }

  @Test func aSubjectMayBeShared() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-b|")
    let subject = PublishSubject<String>()
    let before = clock.record(subject)
    let connectable = source.multicast(subject)
    subject.next("x")
    connectable.connect()
    clock.run()
    expect(before.drawing.line, equals: "(xa)-b|")
    let replayed = source.multicast(ReplaySubject(limit: 1))
    replayed.connect()
    clock.run()
    expect(clock.record(replayed).elements, equals: ["b"])
    let present = BehaviorSubject("-")
    _ = source.multicast(present).connect()
    expect(present.value, equals: "-")
    clock.advance(by: .seconds(1))
    expect(present.value, equals: "a")
  }

  @Test func aSubjectThatIsOverIsNotConnectedTo() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-b|")
    let subject = PublishSubject<String>()
    subject.complete()
    #expect(source.multicast(subject).connect().isDisposed)
    #expect(source.subscriptions.isEmpty)
  }
}
