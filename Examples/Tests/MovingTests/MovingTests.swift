import Moving
import Reactive
import RxNames
import Testing

@Suite struct MovingTests {
  private struct Oops: Error {}

  @Test func aStreamOfTheOtherLibraryIsOneOfThis() {
    let taps = RxNames.PublishSubject<Int>()
    let sums = Reactive::BehaviorRelay(0)
    let bag = Bag()
    taps.asReactive().scan(0) { $0 + $1 }.subscribe(next: { sums.next($0) }).disposed(by: bag)
    taps.onNext(1)
    taps.onNext(2)
    #expect(sums.value == 3)
  }

  @Test func itsErrorIsPassedOn() {
    let taps = RxNames.PublishSubject<Int>()
    let sums = Reactive::BehaviorRelay(0)
    let subscription = taps.asReactive().catch(emitting: 42).subscribe(next: { sums.next($0) })
    taps.onNext(1)
    taps.onError(Oops())
    #expect(sums.value == 42)
    #expect(subscription.isDisposed)
    #expect(!taps.hasObservers)
  }

  @Test func theSubscriptionLeavesIt() {
    let taps = RxNames.PublishSubject<Int>()
    let subscription = taps.asReactive().subscribe()
    #expect(taps.hasObservers)
    subscription.dispose()
    #expect(!taps.hasObservers)
  }
}
