import Reactive
import Testing

@Suite struct RelaysTests {
  @Test func whatFeedsARelayMayEnd() {
    let relay = PublishRelay<Int>()
    let clock = VirtualScheduler()
    let recording = clock.record(relay.observable)
    _ = Observable.from(1...2).subscribe(relay)
    _ = Observable.just(3).subscribe(relay)
    relay.next(4)
    #expect(recording.drawing.line == "(1234)")
  }

  @Test func aBehaviorRelayHasAPresentValue() {
    let relay = BehaviorRelay("TBD")
    _ = Observable.just("Go").subscribe(relay)
    #expect(relay.value == "Go")
    let clock = VirtualScheduler()
    let recording = clock.record(relay.observable)
    relay.next("Hold")
    #expect(recording.elements == ["Go", "Hold"])
    #expect(!recording.subscription.isDisposed)
  }

  @Test func aReplayRelayHasTheLastOnes() {
    let relay = ReplayRelay<Int>(limit: 2)
    _ = Observable.from(1...3).subscribe(relay)
    let clock = VirtualScheduler()
    #expect(clock.record(relay.observable).elements == [2, 3])
  }
}
