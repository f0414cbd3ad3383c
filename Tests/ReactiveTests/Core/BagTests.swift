import Expectations
import Reactive
import Testing

@Suite struct BagTests {
  @Test func endsWhatIsInItWhenItIsReleased() {
    let subject = PublishSubject<Int>()
    do {
      let bag = Bag()
      subject.subscribe().disposed(by: bag)
      subject.subscribe().disposed(by: bag)
      #expect(subject.hasObservers)
    }
    #expect(!subject.hasObservers)
  }

  @Test func aStreamThatEndsLeavesTheOthers() {
    let bag = Bag()
    let log = Journal<Int>()
    let first = PublishSubject<Int>()
    let second = PublishSubject<Int>()
    weak var over: Subscription?
    do {
      let subscription = first.subscribe()
      over = subscription
      bag.add(subscription)
    }
    second.subscribe(next: { log.note($0) }).disposed(by: bag)
    first.complete()
    second.next(1)
    expect(log.entries, equals: [1])
    expectNil(over)
  }

  @Test func endsWhatIsPutInAfterItsEnd() {
    let bag = Bag()
    bag.dispose()
    let subscription = Observable<Int>.never().subscribe()
    bag.add(subscription)
    #expect(subscription.isDisposed)
  }
}
