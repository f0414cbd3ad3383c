import Engine
import Fetch
import JSON
import Language
import System

/// The address of a database, as the option `url` has it: `sqlite:shop.db`.
struct SQLAddress: Sendable {
  let path: String

  /// A connection, which is made when it is first used.
  func connection() -> any SQLConnection { SQLite(path) }

  static let type = OptionType<SQLAddress>(
    "address of a database", sample: "sqlite:shop.db", schema: .record([("type", "string")])
  ) { node, checker in
    guard let text = OptionType<String>.text.decode(node, checker) else { return nil }
    let path = String(text.dropFirst("sqlite:".count))
    // SQLite takes :memory: and file: for databases that are gone with their connection, or with other settings.
    let isOther = [":", "file:", "//"].contains { path.hasPrefix($0) }
    if text.hasPrefix("sqlite:"), !path.isEmpty, !isOther, !path.utf8.contains(0) {
      return SQLAddress(path: path)
    }
    checker.report(
      "this is not the address of a database", at: node.place,
      hint: "write sqlite: and the path of a file, as in sqlite:shop.db or sqlite:/srv/shop.db")
    return nil
  }
}

/// A query of a source, as a connection is given it.
struct SQLQuery {
  var text: SQLText
  var parameters: [(name: String, value: Value)] = []
  /// The column by which rows are read in order, and the value from which on; nil for all that is not null.
  var after: (column: String, from: Value?)?
  var timeout: Duration
  /// The most bytes of the rows: more is an error or, where they are in an order, the rest is left.
  var limit: Int
}

/// What a query has given.
struct SQLRows {
  var rows: [Value] = []
  /// The value of the column `after` in each row, as the database compares it.
  var positions: [Value] = []
  /// Whether there is more behind the last row.
  var isCut = false
}

/// A connection to a database: the one protocol between sources and sinks and the drivers.
protocol SQLConnection: AnyObject {
  /// Runs a query that changes nothing.
  func read(_ query: SQLQuery, stop: StopSign) throws(SQLFailure) -> SQLRows
  /// Throws where the table cannot have rows with the columns of a batch; not where it is still to be made.
  func check(_ batch: SQLBatch, for table: SQLTable, stop: StopSign) throws(SQLFailure)
  /// Writes batches in one transaction, each that was not written before; the rows that the database refuses.
  ///
  /// With the place it stores what was refused before and is not yet in the state.
  func write(
    _ batches: [SQLBatch], refused: [Value], to table: SQLTable, stop: StopSign
  ) throws(SQLFailure) -> [SQLRefusal]
  /// The last epoch that a sink has written, by the life of its state.
  func epochs(of sink: String, in table: SQLTable, stop: StopSign) throws(SQLFailure) -> [String: Int64]
}

/// Why a database did not do what it was to: a sentence with its reason.
struct SQLFailure: Error, CustomStringConvertible {
  var description: String
  /// Whether the same may succeed later: the database is locked, full or away.
  var mayPass = false
  /// Whether a run may start and wait for it: another program holds the database, or the disk is full.
  var mayBeAwaited = false

  init(_ address: String, _ reason: String, mayPass: Bool = false) {
    description = "\(address): \(reason)"
    self.mayPass = mayPass
  }
}
