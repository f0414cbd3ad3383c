@testable import Reactive
import Testing

@Suite struct JustTests {
  @Test func emitsOneElementAndCompletes() throws {
    try expectMarbles("(a|)") { _ in Observable.just("a") }
    #expect(outcome { _ in Observable.just(7) } == "7, |")
  }

  @Test func emitsItToEachSubscriber() throws {
    try expectMarbles("--(a|)", from: .seconds(2)) { _ in Observable.just("a") }
  }

  @Test func doesNotCompleteOnceDisposedFromInsideTheElement() {
    let log = Journal<String>()
    let subscription = Subscription()
    Observable.just(1).subscribe(
      in: subscription, next: { _ in subscription.dispose() }, complete: { log.note("complete") })
    #expect(log.entries.isEmpty)
  }

  @Test func saysNothingToADisposedSubscription() {
    let log = Journal<Int>()
    let subscription = Subscription()
    subscription.dispose()
    Observable.just(1).subscribe(in: subscription, next: { log.note($0) })
    #expect(log.entries.isEmpty)
  }
}
