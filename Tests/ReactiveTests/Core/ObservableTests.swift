import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct ObservableTests {
  @Test func isMadeFromARecipe() {
    let answer = Observable<Int>(attaching: { observer, _ in
      observer.next(42)
      observer.complete()
    })
    expect(outcome { _ in answer }, equals: "42, |")
  }

  @Test func startsForEachSubscriberAnew() {
    let starts = Journal<Int>()
    let source = Observable<Int>(attaching: { observer, _ in
      starts.note(0)
      observer.complete()
    })
    expect(starts.count, equals: 0)
    _ = source.subscribe()
    _ = source.subscribe()
    expect(starts.count, equals: 2)
  }

  @Test func oneSubscriptionGoesDownTheWholeChain() {
    let seen = Journal<Subscription>()
    let source = Observable<Int>(attaching: { _, subscription in seen.note(subscription) })
    let subscription = source.map { $0 }.filter { _ in true }.scan(0) { $0 + $1 }.subscribe()
    #expect(seen.entries.first === subscription)
  }

  @Test func severalElementsAtOnceComeOneByOne() {
    let source = Observable<Int>(attaching: { observer, _ in
      observer.next(batch: [1, 2, 3])
      observer.complete()
    })
    expect(outcome { _ in source }, equals: "1, 2, 3, |")
    expect(outcome { _ in source.map { $0 * 2 } }, equals: "2, 4, 6, |")
    expect(outcome { _ in source.take(2) }, equals: "1, 2, |")
    expect(outcome { _ in source.concat(source) }, equals: "1, 2, 3, 1, 2, 3, |")
    expect(outcome { _ in source.share() }, equals: "1, 2, 3, |")
  }
}
