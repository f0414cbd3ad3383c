@testable import Reactive
import Testing

@Suite struct NeverTests {
  @Test func saysNothing() throws {
    try expectMarbles("") { _ in Observable<Int>.never() }
    #expect(outcome { Observable<Int>.never().take(for: .seconds(1), on: $0) } == "|")
  }

  @Test func staysOpenUntilDisposed() {
    let subscription = Observable<Int>.never().subscribe()
    #expect(!subscription.isDisposed)
    subscription.dispose()
    #expect(subscription.isDisposed)
  }

  @Test func keepsAConcatenationFromGoingOn() throws {
    let clock = VirtualScheduler()
    let second = try clock.cold("a|")
    #expect(clock.play(Observable.never().concat(second.observable)).isEmpty)
    #expect(second.subscriptions.isEmpty)
  }
}
