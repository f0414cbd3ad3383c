import Expectations
import Testing
import Trials

@testable import Nodes

/// The sink `metrics` behind a source that is polled: which values are too old to be shown.
@Suite struct MetricsTests {
  private let good = [#"{"id": "a", "level": 1}"#, #"{"id": "b", "level": 2}"#]
  private let bad = [#"{"id": "a", "level": 1}"#, #"{"id": "b", "level": "?"}"#]

  /// The labels that a gauge has half a second after the last poll, or later.
  private func labels(
    _ polls: [[String]], _ options: String = "", steps: String = "", later: Double = 0.5,
    in state: TemporaryState? = nil
  ) throws -> [String] {
    var bench = SinkBench(afterwards: .seconds(later))
    (bench.state, bench.steps) = (state, steps)
    let value = steps.isEmpty ? ".level" : ".after.level"
    let label = steps.isEmpty ? ".id" : ".key"
    let seen = try bench.run(
      #"it: { metrics: { gauge: level, value: \#(value), labels: { id: '\(\#(label))' }\#(options) } }"#,
      polls: polls)
    return seen.measured.flatMap(\.series).compactMap { $0.labels.first?.value }
  }

  @Test("a gauge goes after three periods without a good poll, and comes back with the next one")
  func polls() throws {
    let failed = [SinkBench.failedPoll]
    try expect(labels([good, failed, failed]), equals: ["a", "b"])
    try expect(labels([good, failed, failed, failed]), equals: [])
    try expect(labels([good, failed, failed, failed, good]), equals: ["a", "b"])
    try expect(labels([good, failed, failed, failed, failed], ", keep: always"), equals: ["a", "b"])
  }

  @Test("a gauge of a row goes when three polls have not read it")
  func rows() throws {
    try expect(labels([good, bad, bad]), equals: ["a", "b"])
    try expect(labels([good, bad, bad, bad]), equals: ["a"])
    try expect(labels([good, bad, bad, bad, good]), equals: ["a", "b"])
  }

  @Test("behind changes a gauge stays as long as there are good polls, whether the value changes or not")
  func changes() throws {
    let steps = "changes: { key: .id, first: emit }"
    try expect(labels([good, good, good, good, good], steps: steps), equals: ["a", "b"])
    try expect(labels([good], steps: steps, later: 3.5), equals: [])
  }

  @Test("what an earlier run has measured counts from the start of this one")
  func restart() throws {
    let state = try TemporaryState()
    let failed = [SinkBench.failedPoll]
    try expect(labels([good], in: state), equals: ["a", "b"])
    try expect(labels([failed, failed], in: state), equals: ["a", "b"])
    try expect(labels([failed, failed, failed, failed], in: state), equals: [])
  }
}
