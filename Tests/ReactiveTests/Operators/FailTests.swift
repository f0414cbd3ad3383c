@testable import Reactive
import Testing

@Suite struct FailTests {
  @Test func failsAtOnceWithTheError() {
    let recording = VirtualScheduler().record(Observable<Int>.fail(Oops(number: 4)))
    #expect(recording.drawing.line == "#")
    #expect(recording.error as? Oops == Oops(number: 4))
  }

  @Test func failsForEachSubscriber() throws {
    try expectMarbles("--#", from: .seconds(2)) { _ in Observable<Int>.fail(Oops()) }
  }

  @Test func leavesTheSubscriptionDisposed() {
    #expect(Observable<Int>.fail(Oops()).subscribe().isDisposed)
  }
}
