import Engine
import Fetch
import JSON
import Language
import System

/// The address of a database, as the option `url` has it: `sqlite:shop.db`, `postgres://user@host/name`.
enum SQLAddress: Sendable, Equatable {
  case sqlite(path: String)
  case postgres(String)

  init?(_ text: String) {
    if text.hasPrefix("sqlite:"), text.utf8.count > 7, !text.utf8.contains(0) {
      self = .sqlite(path: String(text.dropFirst(7)))
    } else if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
      self = .postgres(text)
    } else {
      return nil
    }
  }

  /// The address without its password and its parameters, for messages.
  var shown: String {
    switch self {
    case .sqlite(let path): return path
    case .postgres(let text):
      guard let start = text.place(of: "://")?.upperBound else { return "postgres" }
      var rest = String(text[start...].prefix { $0 != "?" })
      if let at = rest.lastIndex(of: "@"), let colon = rest[..<at].firstIndex(of: ":") {
        rest.removeSubrange(colon..<at)
      }
      return "postgres://\(rest)"
    }
  }

  /// The password in it.
  private var password: String? {
    guard case .postgres(let text) = self, let start = text.place(of: "://")?.upperBound,
      let at = text[start...].lastIndex(of: "@"), let colon = text[start..<at].firstIndex(of: ":")
    else { return nil }
    return String(text[text.index(after: colon)..<at])
  }

  /// A connection, which is made when it is first used.
  func connection() -> any SQLConnection {
    switch self {
    case .sqlite(let path): SQLite(path)
    case .postgres: SQLite("")
    }
  }

  static let type = OptionType<SQLAddress>(
    "address of a database", sample: "sqlite:shop.db", schema: .record([("type", "string")])
  ) { node, checker in
    guard let text = OptionType<String>.text.decode(node, checker) else { return nil }
    guard let address = SQLAddress(text) else {
      checker.report(
        "this is not the address of a database", at: node.place,
        hint: "write sqlite: and the path of a file, as in sqlite:shop.db, or postgres://user@host/name")
      return nil
    }
    if let password = address.password { checker.secrets.insert(password) }
    return address
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
}

/// Why a database did not do what it was to: a sentence with its reason.
struct SQLFailure: Error, CustomStringConvertible {
  var description: String
  /// Whether the same may succeed later: the database is locked, full or away.
  var mayPass = false

  init(_ address: String, _ reason: String, mayPass: Bool = false) {
    description = "\(address): \(reason)"
    self.mayPass = mayPass
  }
}
