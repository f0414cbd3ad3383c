import Expectations
import JSON
import Engine
import Language
import Testing

@Suite("Polls that come by several ways")
struct PollMergeTests {
  private func polls(_ rows: [[Value]]) -> [ScriptedAnswer] {
    rows.enumerated().map { ScriptedAnswer(at: Double($0.offset), .poll($0.element)) }
  }

  private func row(_ id: Int, _ n: Int) -> Value { .record([("id", .number(id)), ("n", .number(n))]) }

  @Test("a poll that was split and put together again ends once, when all of it is there")
  func splitAndMerged() throws {
    let bench = try LaneBench(
      """
      sources: { api: stdin }
      streams:
        low: { from: api, steps: [filter: .id < 2] }
        high: { from: api, steps: [filter: .id >= 2, delay: 100ms] }
        all: { from: [low, high], steps: [changes: .id, map: '{type, key}'] }
      sinks: { out: { null: , from: all } }
      """)
    let heard = try bench.run([
      "api": polls([[row(1, 1), row(2, 1)], [row(1, 1), row(2, 1)], [row(1, 2), row(2, 1)], [row(1, 2)]])
    ])
    expect(heard.events["out"], equals: [#"{"type":"changed","key":1}"#, #"{"type":"removed","key":2}"#])
  }

  @Test("a source beside a stream of the same source")
  func sourceAndItsStream() throws {
    let bench = try LaneBench(
      """
      sources: { api: stdin, other: stdin }
      streams:
        twice: { from: api, steps: [map: '{id: (.id * 10), n}'] }
        all: { from: [api, twice, other], steps: [changes: .id, map: '{type, key}'] }
      sinks: { out: { null: , from: all } }
      """)
    let heard = try bench.run([
      "api": polls([[row(1, 1)], [row(1, 2)], []]), "other": polls([[row(1, 5)], [row(1, 5)], [row(1, 6)]]),
    ])
    expect(
      heard.events["out"]?.sorted(),
      equals: [
        #"{"type":"changed","key":10}"#, #"{"type":"changed","key":1}"#, #"{"type":"changed","key":1}"#,
        #"{"type":"removed","key":10}"#, #"{"type":"removed","key":1}"#,
      ])
  }

  @Test("a way that has ended is not waited for")
  func endedWay() throws {
    let bench = try LaneBench(
      """
      sources: { api: stdin }
      streams:
        first: { from: api, steps: [take: { count: 1, per: stream }] }
        rest: { from: api, steps: [skip: { count: 1, per: stream }] }
        all: { from: [first, rest], steps: [sort: .n] }
      sinks: { out: { null: , from: all } }
      """)
    let heard = try bench.run(["api": polls([[row(1, 3), row(2, 1)], [row(1, 2), row(2, 1)]])])
    expect(
      heard.events["out"],
      equals: [
        #"{"id":2,"n":1}"#, #"{"id":1,"n":3}"#, #"{"id":2,"n":1}"#, #"{"id":1,"n":2}"#,
      ])
  }
}
