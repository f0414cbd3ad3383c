import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct TestSourceTests {
  @Test func aHotSourceRunsHeardOrNot() throws {
    try expectMarbles("----c|", from: .seconds(3)) { try $0.hot("a-b-c|") }
  }

  @Test func aColdSourceStartsForEachSubscriberAnew() throws {
    try expectMarbles("---a-b-c|", from: .seconds(3)) { try $0.cold("a-b-c|") }
  }

  @Test func notesWhoWasSubscribedWhen() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-b-c---")
    let recordings = [
      clock.record(source, from: .seconds(2), until: .seconds(6)),
      clock.record(source, from: .seconds(1)),
      clock.record(source, until: .seconds(1)),
    ]
    recordings[2].subscription.dispose()
    clock.run()
    expect(source.subscriptions, equals: ["(^!)", "-^", "--^---!"])
  }

  @Test func marksMayStandForAnything() throws {
    let clock = VirtualScheduler()
    let recording = clock.record(try clock.cold("a-b|", ["a": 10, "b": 20]))
    clock.run()
    expect(recording.elements, equals: [10, 20])
  }

  @Test func aStepMayBeShorter() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-|", step: .milliseconds(5))
    let recording = clock.record(source)
    clock.run()
    expect(recording.records.map(\.time), equals: [5, 15].map { Instant() + .milliseconds($0) })
    expect(source.subscriptions, equals: ["^--!"])
  }

  @Test func disposingStopsAGroupInTheMiddle() throws {
    try expectMarbles("-(ab|)") { try $0.cold("-(abc|)").take(2) }
  }
}
