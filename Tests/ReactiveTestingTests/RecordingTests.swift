import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct RecordingTests {
  @Test func keepsEventsWithTheirTimes() throws {
    let clock = VirtualScheduler()
    let recording = clock.record(try clock.hot("-a--b|"))
    clock.advance(to: Instant() + .seconds(2))
    expect(recording.elements, equals: ["a"])
    clock.run()
    expect(recording.elements, equals: ["a", "b"])
    expect(recording.records.map(\.time), equals: [1, 4, 5].map { Instant() + .seconds($0) })
    expect(recording.records.last?.event.isTerminal, equals: true)
  }

  @Test func startsLaterAndEndsEarlier() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a-b-c-d|")
    let recording = clock.record(source, from: .seconds(2), until: .seconds(6))
    clock.run()
    expect(recording.drawing.line, equals: "--a-b")
    expect(source.subscriptions, equals: ["--^---!"])
  }

  @Test func isDrawnAsInItsExample() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a--b-|")
    let recording = clock.record(source.map { $0.uppercased() })
    clock.run()
    expect(recording.drawing.line, equals: "-A--B-|")
  }
}
