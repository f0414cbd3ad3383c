import Expectations
import Reactive
import Testing

@MainActor @Suite struct MainSchedulerTests {
  /// What belongs to the main actor, and is no `Sendable`.
  private final class Label {
    var texts: [String] = []
  }

  @Test func closuresOnTheMainActorGetWhatOtherThreadsSend() async {
    let label = Label()
    let subject = PublishSubject<Int>()
    await withCheckedContinuation { continuation in
      let subscription = subject.observable.subscribe(
        onMain: { label.texts.append("\($0)") }, complete: { continuation.resume() })
      #expect(!subscription.isDisposed)
      inThreads(1) { _ in
        for number in 1...3 { subject.next(number) }
        subject.complete()
      }
      #expect(label.texts.isEmpty, "the main actor is busy here")
    }
    expect(label.texts, equals: ["1", "2", "3"])
  }

  @Test func anErrorComesThereToo() async {
    let label = Label()
    await withCheckedContinuation { continuation in
      Observable<Int>.fail(Oops()).subscribe(
        onMain: { _ in },
        fail: { error in
          label.texts.append("\(error)")
          continuation.resume()
        }
      ).disposed(by: Bag.kept)
    }
    expect(label.texts, equals: ["\(Oops())"])
  }

  @Test func nothingComesAfterDispose() async throws {
    let label = Label()
    let subject = PublishSubject<Int>()
    let subscription = subject.observable.subscribe(onMain: { label.texts.append("\($0)") })
    subject.next(1)
    subscription.dispose()
    _ = try await Observable.just(0).observe(on: .main).value
    #expect(label.texts.isEmpty)
  }

  @Test func workComesInItsOrderAndNeverInside() async {
    let log = Journal<Int>()
    await withCheckedContinuation { continuation in
      let main: any Scheduler = .main
      for number in 1...3 { main.perform { log.note(number) } }
      main.perform {
        MainActor.assertIsolated()
        #expect(main.isCurrent)
        main.perform { continuation.resume() }
        log.note(4)
      }
      #expect(log.entries.isEmpty)
    }
    expect(log.entries, equals: [1, 2, 3, 4])
  }

  @Test func timersRunThere() async throws {
    let tick = Observable.timer(after: .milliseconds(1), on: MainScheduler.main)
      .do(next: { _ in MainActor.assertIsolated() })
    try await expect(tick.value, equals: 0)
    let log = Journal<Int>()
    let timer = MainScheduler.main.schedule(after: .milliseconds(1)) { log.note(1) }
    timer.dispose()
    try await expect(tick.value, equals: 0)
    #expect(log.entries.isEmpty)
  }
}

extension Bag {
  /// For subscriptions that end by themselves.
  fileprivate static let kept = Bag()
}
