@testable import Connectors
import TestSupport
import Trials

/// A table `t` of a database for trials, and a sink `it` that writes to it.
protocol SQLTrialTable {
  var url: String { get }
  var connection: any SQLConnection { get throws }
  func make(_ sql: String) throws
  /// The rows, a line each, their values with `|` between them and nothing for null.
  func lines(_ query: String) throws -> String
}

extension SQLTrialTable {
  func lines() throws -> String { try lines("select * from t order by 1") }

  func sink(_ options: String) -> String { "it: { sql: { url: '\(url)', table: t, \(options) } }" }

  func run(
    _ options: String, lines: [String] = [], polls: [[String]] = [], state: TemporaryState? = nil
  ) throws -> SinkBench.Seen {
    var bench = SinkBench()
    bench.state = state
    return try bench.run(sink(options), polls: polls, lines: lines)
  }
}
