import Expectations
import Reactive
import ReactiveTesting
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
