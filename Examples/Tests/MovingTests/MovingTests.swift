import Moving
import Reactive
import RxNames
import Testing

@Suite struct MovingTests {
  @Test func aStreamOfTheOtherLibraryIsOneOfThis() {
    let taps = RxNames.PublishSubject<Int>()
    let sums = Reactive::BehaviorRelay(0)
    let bag = Bag()
    taps.asReactive().scan(0) { $0 + $1 }.subscribe(next: { sums.next($0) }).disposed(by: bag)
    taps.onNext(1)
    taps.onNext(2)
    #expect(sums.value == 3)
  }
}
