@testable import Reactive
import Testing

@Suite struct IgnoreElementsTests {
  @Test func letsOnlyTheCompletionThrough() throws {
    try expectMarbles("------|") { try $0.hot("a--b--|").observable.ignoreElements() }
    #expect(outcome { _ in Observable.from(1...3).ignoreElements() } == "|")
  }

  @Test func letsAFailureThrough() throws {
    try expectMarbles("--#") { try $0.hot("a-#").observable.ignoreElements() }
  }

  @Test func disposingLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-b-|")
    #expect(clock.play(source.observable.ignoreElements(), until: .seconds(2)).isEmpty)
    #expect(source.subscriptions == ["^-!"])
  }
}
