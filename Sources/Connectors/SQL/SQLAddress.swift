import Engine
import Fetch
import JSON
import Language
import System

/// The address of a database, as the option `url` has it: `sqlite:shop.db` or `postgres://flow@db.example.org/shop`.
struct SQLAddress: Sendable {
  /// As messages have it: the path of a file, or the address of a server without its password and options.
  let name: String
  /// The address for libpq; nil for a file.
  let url: String?

  /// Nil where the text is not the address of a database.
  init?(_ text: String) {
    if text.utf8.contains(0) { return nil }
    if text.hasPrefix("sqlite:") {
      (name, url) = (String(text.dropFirst("sqlite:".count)), nil)
      // SQLite takes :memory: and file: for databases that are gone with their connection, or with other settings.
      if name.isEmpty || [":", "file:", "//"].contains(where: { name.hasPrefix($0) }) { return nil }
      return
    }
    guard let scheme = ["postgres://", "postgresql://"].first(where: { text.hasPrefix($0) }) else {
      return nil
    }
    let rest = text.dropFirst(scheme.count).prefix { $0 != "?" }
    if rest.isEmpty { return nil }
    let login = rest.prefix { $0 != "@" && $0 != "/" }
    var shown = String(rest)
    if rest[login.endIndex...].first == "@" {
      shown = String(login.prefix { $0 != ":" }) + String(rest[login.endIndex...])
    }
    (name, url) = (scheme + shown, text)
  }

  /// The address of a server with its options, but not its password.
  var withoutPassword: String {
    guard let url, let sign = url.firstIndex(of: "?") else { return name }
    let options = url[url.index(after: sign)...].split(separator: "&").filter { !$0.hasPrefix("password=") }
    return options.isEmpty ? name : "\(name)?\(options.joined(separator: "&"))"
  }

  /// A connection, which is made when it is first used.
  ///
  /// - Parameter silence: Called while a server does not answer.
  func connection(
    on disk: any Disk = SystemDisk(), log: NodeLog? = nil, silence: @escaping () -> Void = {}
  ) -> any SQLConnection {
    url.map { PostgreSQL(name, $0, log: log, silence: silence) } ?? SQLite(name, on: disk)
  }

  /// The details on servers in the documentation of the source and the sink.
  static let details = """
    A PostgreSQL server (12 or newer) has the address that libpq takes: `postgres://USER@HOST:PORT/DATABASE?sslmode=…`, with \
    several hosts too. What it lacks comes from libpq's environment, PGPASSWORD among it, and ~/.pgpass; `${NAME}` in it from \
    that of the run. Messages have no password and no options. libpq is loaded when it is first needed.
    """

  static let type = OptionType<SQLAddress>(
    "address of a database", sample: "sqlite:shop.db", schema: .record([("type", "string")])
  ) { node, checker in
    guard let text = OptionType<String>.text.decode(node, checker) else { return nil }
    if let address = SQLAddress(text) { return address }
    checker.report(
      "this is not the address of a database", at: node.place,
      hint: "write sqlite: and the path of a file, as in sqlite:shop.db, or postgres://USER@HOST/DATABASE")
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

  /// The problem with the columns that it gives.
  func problem(with columns: [String]) -> String? {
    if columns.isEmpty { return "the query gives no rows" }
    var names: Set<String> = []
    for column in columns where !names.insert(column).inserted {
      return "two columns are named \(quoted(column)): name one of them with AS"
    }
    guard let after, !names.contains(after.column) else { return nil }
    return
      "the query has no column \(quoted(after.column)), which after names: it has \(columns.joined(separator: ", "))"
  }

  var tooLarge: String {
    "the rows are larger than max_size, \(limit) bytes: select fewer of them, or raise it"
  }
}

/// The rows of a query.
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
  /// The last epoch that a sink has written, by the id of its state.
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
