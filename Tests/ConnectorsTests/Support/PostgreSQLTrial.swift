@testable import Connectors
import JSON
import System
import TestSupport
import Trials

/// A database of a PostgreSQL server, for a source or a sink `it`.
struct PostgreSQLTrial: SQLTrialTable {
  let server: PostgreSQLServer
  let database: String
  var address: String { server.address(database) }
  var url: String { address }

  init(_ server: PostgreSQLServer? = nil) throws {
    self.server = try server ?? PostgreSQLServer.shared.get()
    database = try self.server.makeDatabase()
  }

  func make(_ sql: String) throws { try server.sql(sql, in: database) }

  /// The rows as psql writes them.
  func lines(_ query: String) throws -> String {
    try server.sql(query, in: database)
  }

  var connection: any SQLConnection {
    get throws {
      guard let address = SQLAddress(address) else { throw StepFailure() }
      return address.connection()
    }
  }

  private struct StepFailure: Error {}
}
