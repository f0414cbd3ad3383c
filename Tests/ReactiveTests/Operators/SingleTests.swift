import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct SingleTests {
  @Test func emitsTheOnlyElementAtTheEnd() throws {
    try expectMarbles("---(a|)") { try $0.hot("a--|").single() }
    try expectMarbles("----(b|)") { try $0.hot("a-b-|").single(where: { $0 == "b" }) }
  }

  @Test func failsAtOnceForASecondOneAndLeaves() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-b-c|")
    let recording = clock.record(source.single())
    clock.run()
    expect(recording.drawing.line, equals: "--#")
    #expect(recording.error as? ReactiveError == .severalElements)
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func failsWithoutOne() throws {
    let clock = VirtualScheduler()
    let recording = clock.record(try clock.hot("---|").single())
    clock.run()
    #expect(recording.error as? ReactiveError == .noElement)
    try expectMarbles("-#") { try $0.hot("a#").single() }
  }

  @Test func anElementByItsPosition() throws {
    try expectMarbles("--(b|)") { try $0.hot("a-b-c|").element(at: 1) }
    try expectMarbles("(a|)") { try $0.hot("a-b-c|").element(at: 0) }
    try expectMarbles("#") { try $0.hot("a-b-c|").element(at: -1) }
    let clock = VirtualScheduler()
    let recording = clock.record(try clock.hot("a-b|").element(at: 2))
    clock.run()
    expect(recording.drawing.line, equals: "---#")
    #expect(recording.error as? ReactiveError == .noElement)
  }
}
