import Expectations
import Foundation
import Reactive
import ReactiveTesting
import TestScale
import Testing

@Suite struct TaskSourceTests {
  @Test func emitsWhatTheClosureReturns() async throws {
    try await expect(Observable.task { 6 * 7 }.value, equals: 42)
    await #expect(throws: Oops(number: 1)) { try await Observable<Int>.task { throw Oops(number: 1) }.value }
  }

  @Test func runsForEachSubscription() {
    let clock = VirtualScheduler()
    let calls = Tally()
    let source = Observable.task(on: clock) { () -> Int in
      calls.add()
      return calls.value
    }
    expect(clock.play(source.map { "\($0)" }), equals: "(1|)")
    expect(clock.play(source.map { "\($0)" }), equals: "(2|)")
  }

  @Test func theEndOfTheSubscriptionCancelsTheTask() {
    let clock = VirtualScheduler()
    let log = Journal<Bool>()
    let subject = PublishSubject<Int>()
    let subscription = Observable<Int>.task(on: clock) {
      for try await _ in subject.values {}
      log.note(Task.isCancelled)
      return 1
    }.subscribe(next: { _ in Issue.record("an element after dispose") })
    clock.run()
    #expect(log.entries.isEmpty)
    #expect(subject.hasObservers)
    subscription.dispose()
    clock.run()
    expect(log.entries, equals: [true])
    #expect(!subject.hasObservers)
  }

  @Test func aTaskThatHasNotBegunDoesNotRun() {
    let clock = VirtualScheduler()
    let calls = Tally()
    Observable.task(on: clock) { calls.add() }.subscribe().dispose()
    clock.run()
    expect(calls.value, equals: 0)
  }

  @Test func carriesTaskLocalValues() async throws {
    enum Trace {
      @TaskLocal static var id = 0
    }
    let source = Observable.task { Trace.id }
    try await expect(Trace.$id.withValue(7) { try await source.value }, equals: 7)
  }

  @Test func emitsAnAsynchronousSequence() async {
    let clock = VirtualScheduler()
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let recording = clock.record(Observable(stream).observe(on: clock))
    let other = clock.record(Observable.from(["x", "y"]).merge(with: Observable(["z"])))
    expect(other.drawing.line, equals: "(xyz|)")
    continuation.yield("a")
    continuation.finish()
    while recording.drawing.line != "(a|)" { await Task.yield(); clock.advance(by: .zero) }
  }

  @Test func failsWithWhatTheSequenceThrows() {
    expect(
      outcome { clock in
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
        continuation.yield(1)
        continuation.finish(throwing: Oops())
        return Observable.from(stream, on: clock)
      }, equals: "1, #")
  }

  @Test func aSlowReceiverSuspendsTheTask() async throws {
    let lane = SerialScheduler(name: "slow")
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    for number in 0..<3_000 { continuation.yield(number) }
    continuation.finish()
    let received = Observable.from(stream).observe(on: lane, capacity: 8)
      .do(next: { number in if number == 10 { Thread.sleep(forTimeInterval: 1.3) } })
    try await expect(received.toArray().value, equals: Array(0..<3_000))
  }

  @Test func manySlowReceiversLeaveThreadsForOtherTasks() async throws {
    let lane = SerialScheduler(name: "held up")
    let release = Flag()
    let bag = Bag()
    let over = Tally()
    lane.perform { while !release.isRaised { Thread.sleep(forTimeInterval: 0.001) } }
    for _ in 0..<20 {
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      for number in 0..<20 { continuation.yield(number) }
      continuation.finish()
      Observable.from(stream).observe(on: lane, capacity: 1).subscribe(complete: { over.add() }).disposed(
        by: bag)
    }
    // Twenty threads do not exist for tasks here: that this one gets its turns shows that none is held.
    for _ in 0..<100 { await Task.yield() }
    try await Task.sleep(for: .milliseconds(1_200))
    release.raise()
    #expect(await soon { over.value == 20 })
  }

  @Test func theEndOfTheSubscriptionEndsTheWaitForRoom() async throws {
    let lane = SerialScheduler(name: "held up")
    let (release, holds) = (Flag(), Tally())
    weak var kept: Canary?
    lane.perform { while !release.isRaised { Thread.sleep(forTimeInterval: 0.001) } }
    do {
      let canary = Canary()
      kept = canary
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      for number in 0..<20 { continuation.yield(number) }
      let subscription = Observable.from(stream).do(next: { _ in
        canary.chirp()
        holds.add()
      }).observe(on: lane, capacity: 1).subscribe()
      #expect(await soon { holds.value == 2 })
      try await Task.sleep(for: .milliseconds(20))
      expect(holds.value, equals: 2, "the second is over the limit, and the third has to wait")
      subscription.dispose()
    }
    #expect(await soon { kept == nil })
    release.raise()
  }

  @Test func aSequenceIsAskedForItsNextElementWhenAClosureHasEnded() async throws {
    let count = TestScale.count(2_000, atLeast: 100)
    let (asked, done) = (Tally(), Tally())
    let numbers = AsyncStream {
      asked.add(); return asked.value > count ? nil : asked.value
    }
    let mapped = Observable.from(numbers).map(backlog: 1) { number in
      #expect(asked.value - done.value <= 3)
      done.add()
      return number
    }
    try await expect(mapped.toArray().value, equals: Array(1...count))
  }

  @Test func aTaskOfTheUsersThatInheritsItsPlaceIsNoneOfTheModules() async throws {
    let lane = SerialScheduler(name: "held up")
    let (release, failed) = (Flag(), Flag())
    let subject = PublishSubject<Int>()
    lane.perform { while !release.isRaised { Thread.sleep(forTimeInterval: 0.001) } }
    let subscription = subject.observe(on: lane, capacity: 2).subscribe(fail: { error in
      #expect(error as? ReactiveError == .standstill(limit: 2))
      failed.raise()
    })
    try await expect(
      Observable.task {
        await Task { for number in 0..<10 { subject.next(number) } }.value
        return 1
      }.value, equals: 1)
    release.raise()
    #expect(await soon { failed.isRaised })
    subscription.dispose()
  }

  @Test func asksForTheNextElementWhenTheOneBeforeIsTaken() {
    struct Numbers: AsyncSequence, AsyncIteratorProtocol, Sendable {
      let asked: Tally
      func makeAsyncIterator() -> Numbers { self }
      mutating func next() async -> Int? {
        asked.add()
        await Task.yield()
        return asked.value
      }
    }
    let clock = VirtualScheduler()
    let asked = Tally()
    expect(
      clock.play(Observable.from(Numbers(asked: asked), on: clock).take(3).map { "\($0)" }), equals: "(123|)")
    expect(asked.value, equals: 3)
  }
}
