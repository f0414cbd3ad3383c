@testable import Connectors
import JSON
import Store
import System
import TestSupport
import Trials

/// A table of a SQLite file, for a sink `it`.
struct SQLTrial {
  private let folder = Folder()
  var path: String { "\(folder.path)/it.db" }

  func make(_ sql: String) throws {
    try Database(foreign: path, to: .make, busyMilliseconds: 100).execute(sql)
  }

  func rows(_ query: String = "select * from t order by 1") throws -> String {
    let query = SQLQuery(text: SQLText(query), timeout: .seconds(5), limit: 1 << 20)
    return Value.array(try SQLite(path).read(query, stop: StopSign()).rows).description
  }

  func sink(_ options: String) -> String { "it: { sql: { url: 'sqlite:\(path)', table: t, \(options) } }" }

  func run(
    _ options: String, lines: [String] = [], polls: [[String]] = [], state: TemporaryState? = nil
  ) throws -> SinkBench.Seen {
    var bench = SinkBench()
    bench.state = state
    return try bench.run(sink(options), polls: polls, lines: lines)
  }
}
