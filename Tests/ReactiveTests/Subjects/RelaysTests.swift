import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct RelaysTests {
  @Test func whatFeedsARelayMayEnd() {
    let relay = PublishRelay<Int>()
    let clock = VirtualScheduler()
    let recording = clock.record(relay)
    _ = Observable.from(1...2).subscribe(relay)
    _ = Observable.just(3).subscribe(relay)
    relay.next(4)
    expect(recording.drawing.line, equals: "(1234)")
  }

  @Test func aBehaviorRelayHasAPresentValue() {
    let relay = BehaviorRelay("TBD")
    _ = Observable.just("Go").subscribe(relay)
    expect(relay.value, equals: "Go")
    let clock = VirtualScheduler()
    let recording = clock.record(relay)
    relay.next("Hold")
    expect(recording.elements, equals: ["Go", "Hold"])
    #expect(!recording.subscription.isDisposed)
  }

  @Test func aBatchGoesOnAsOne() {
    let relay = PublishRelay<Int>()
    let taker = BatchTaker()
    #expect(!relay.hasObservers)
    let subscription = Subscription()
    relay.attach(taker, in: subscription)
    #expect(relay.hasObservers)
    Observable(attaching: { observer, subscription in observer.take([1, 2], in: subscription) })
      .attach(relay, in: subscription)
    relay.next(batch: [3])
    expect(taker.batches.entries, equals: [[1, 2], [3]])
    subscription.dispose()
    #expect(!relay.hasObservers)
  }

  private final class BatchTaker: Observer {
    let batches = Journal<[Int]>()
    var takesBatches: Bool { true }
    func next(_ value: Int) { batches.note([value]) }
    func next(batch: [Int]) { batches.note(batch) }
    func fail(_ error: any Error) {}
    func complete() {}
  }

  @Test func aReplayRelayHasTheLastOnes() {
    let relay = ReplayRelay<Int>(limit: 2)
    _ = Observable.from(1...3).subscribe(relay)
    let clock = VirtualScheduler()
    expect(clock.record(relay).elements, equals: [2, 3])
  }
}
