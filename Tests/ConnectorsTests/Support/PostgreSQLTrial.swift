@testable import Connectors
import JSON
import System
import TestSupport
import Trials

/// A database of a PostgreSQL server, for a source or a sink `it`.
struct PostgreSQLTrial {
  let server: PostgreSQLServer
  let database: String
  var address: String { server.address(database) }

  init(_ server: PostgreSQLServer? = nil) throws {
    self.server = try server ?? PostgreSQLServer.shared.get()
    database = try self.server.makeDatabase()
  }

  func make(_ sql: String) throws { try server.sql(sql, in: database) }

  /// The rows as psql writes them.
  func rows(_ query: String = "select * from t order by 1") throws -> String {
    try server.sql(query, in: database)
  }

  func sink(_ options: String) -> String { "it: { sql: { url: '\(address)', table: t, \(options) } }" }

  func run(
    _ options: String, lines: [String] = [], polls: [[String]] = [], state: TemporaryState? = nil
  ) throws -> SinkBench.Seen {
    var bench = SinkBench()
    bench.state = state
    return try bench.run(sink(options), polls: polls, lines: lines)
  }

  var connection: any SQLConnection {
    get throws {
      guard let address = SQLAddress(address) else { throw StepFailure() }
      return address.connection()
    }
  }

  private struct StepFailure: Error {}
}
