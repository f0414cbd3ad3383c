import Reactive
import Testing

/// Elements that travel several at a time are the same as elements that travel alone.
@Suite struct BatchTests {
  /// These listen to one source twice: the first listener gets a batch whole before the second does, so that what they
  /// make of both comes in another order.
  private static let twice: Set = ["Merge", "CombineLatest", "CombineLatestList"]

  @Test(arguments: Contract.all.filter { $0.hasSource && !twice.contains($0.name) })
  func aBatchIsTheSameAsItsElements(_ contract: Contract) {
    func run(batched: Bool) -> [String] {
      let clock = VirtualScheduler()
      let subject = PublishSubject<Int>()
      let witness = Witness()
      witness.watch(contract.build(subject, clock, { $0 }))
      for batch in [[1, 2, 3], [4], [], [5, 5, 6]] {
        if batched { subject.next(batch: batch) } else { batch.forEach(subject.next) }
        clock.advance(by: .seconds(2))
      }
      subject.complete()
      clock.run(limit: 1000)
      #expect(witness.breaches.isEmpty)
      return witness.elements + ["\(witness.terminals)"]
    }
    #expect(run(batched: true) == run(batched: false))
  }

  @Test(arguments: Contract.all.filter(\.throwing))
  func aBatchEndsWhereAClosureThrows(_ contract: Contract) {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    let calls = Tally()
    let witness = Witness()
    witness.watch(
      contract.build(
        subject, clock,
        { number in
          calls.add()
          if calls.value == 2 { throw Oops() }
          return number
        }))
    subject.next(batch: [1, 2, 3, 4])
    clock.run(limit: 1000)
    #expect(calls.value == 2)
    #expect(witness.failures.count == 1)
  }

  @Test func aBatchEndsWhereTheSubscriptionDoes() {
    let subject = PublishSubject<Int>()
    let seen = Tally()
    _ = subject.do(next: { _ in seen.add() }).take(2).subscribe()
    subject.next(batch: [1, 2, 3, 4])
    #expect(seen.value == 2)
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
    #expect(run(batched: true) == run(batched: false))
  }
}
