@testable import Reactive
import Testing

@Suite struct SubscribeOnTests {
  @Test func startsTheSourceOnTheScheduler() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a--b--|")
    let recording = clock.record(source.observable.subscribe(on: clock))
    #expect(source.subscriptions.isEmpty)
    clock.run()
    #expect(recording.drawing.line == "---b--|")  // a was said before the work got its turn
    #expect(source.subscriptions == ["^-----!"])
  }

  @Test func emitsWhatTheSourceDoes() throws {
    try expectMarbles("a--b--|") { try $0.cold("a--b--|").observable.subscribe(on: $0) }
    try expectMarbles("a-#") { try $0.cold("a-#").observable.subscribe(on: $0) }
    #expect(outcome { Observable.from(1...2).subscribe(on: $0) } == "1, 2, |")
  }

  @Test func disposedBeforeItsTurnItDoesNotStart() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a|")
    let recording = clock.record(source.observable.subscribe(on: clock))
    recording.subscription.dispose()
    clock.run()
    #expect(recording.records.isEmpty)
    #expect(source.subscriptions.isEmpty)
  }
}
