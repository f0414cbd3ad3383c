import Expectations
import Reactive
import ReactiveTesting
import Testing

/// Elements that travel several at a time are the same as elements that travel alone.
@Suite struct NextBatchTests {
  @Test func aBatchEndsWhereTheSubscriptionDoes() {
    let subject = PublishSubject<Int>()
    let seen = Tally()
    _ = subject.do(next: { _ in seen.add() }).take(2).subscribe()
    subject.next(batch: [1, 2, 3, 4])
    expect(seen.value, equals: 2)
  }

  @Test(arguments: Overflow.allCases)
  func aMailboxTreatsABatchAsItsElements(_ overflow: Overflow) {
    func run(batched: Bool) -> String {
      let clock = VirtualScheduler()
      let subject = PublishSubject<Int>()
      let counters = MailboxCounters()
      let recording = clock.record(
        subject.observe(on: clock, capacity: 4, overflow: overflow, counters: counters))
      let numbers = Array(0..<10)
      if batched { subject.next(batch: numbers) } else { numbers.forEach(subject.next) }
      subject.complete()
      clock.run()
      return
        "\(recording.elements) \(recording.drawing.line.last ?? " ") \(counters.acceptedCount) \(counters.droppedCount)"
    }
    expect(run(batched: true), equals: run(batched: false))
  }
}
