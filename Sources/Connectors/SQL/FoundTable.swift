import JSON
import System

/// A table of a database, for `flow new --from sqlite:FILE` or `--from postgres://…`.
package struct FoundTable {
  /// Rows beyond this are not read.
  private static let most = 1000

  /// The database, as messages have it.
  package let database: String
  /// The address for a file: without a password, and without the name of the table.
  package let url: String
  package let name: String
  /// The columns of its primary key.
  package let key: [String]
  /// The query of all its rows.
  package let query: String
  package let rows: Value
  /// The other tables and views of the database.
  package let others: [String]

  /// Whether a text is the address of a database.
  package static func isDatabase(_ text: String) -> Bool { SQLAddress(text) != nil }

  /// An address as messages have it.
  package static func shown(_ text: String) -> String { SQLAddress(text)?.name ?? text }

  /// Throws a sentence; nil where the database has no tables.
  ///
  /// - Parameters:
  ///   - text: The address; that of a server may name the table, as in `postgres://localhost/shop?table=items`.
  ///   - name: The table to read if there is one of that name; else the first one.
  package init?(at text: String, preferring name: String) throws {
    let (text, table) = Self.separated(text)
    guard let address = SQLAddress(text) else { return nil }
    let connection = address.connection()
    func rows(_ text: String, _ parameters: [(name: String, value: Value)] = []) throws -> [Value] {
      let query = SQLQuery(
        text: SQLText(text), parameters: parameters, timeout: .seconds(30), limit: 64 << 20)
      return try connection.read(query, stop: StopSign()).rows
    }
    let isFile = text.hasPrefix("sqlite:")
    let found = try rows(isFile ? Self.filesTables : Self.serversTables).compactMap { row in
      row.member("name")?.string.map { ($0, row.member("quoted")?.string ?? SQLText.quoted($0)) }
    }
    guard let first = found.first else { return nil }
    let wanted = table ?? name
    let chosen = found.first { $0.0 == wanted } ?? first
    if let table, chosen.0 != table { throw SQLFailure(address.name, "there is no table \(table)") }
    database = address.name
    url = isFile ? text : address.withoutPassword
    (self.name, query) = (chosen.0, "select * from \(chosen.1)")
    others = found.map(\.0).filter { $0 != chosen.0 }
    key = try rows(
      isFile ? Self.filesKey : Self.serversKey, [("table", .string(isFile ? chosen.0 : chosen.1))]
    ).compactMap { $0.member("name")?.string }
    self.rows = .array(try rows("\(query) limit \(Self.most)"))
  }

  /// An address of a server without the name of a table, and that name.
  private static func separated(_ text: String) -> (address: String, table: String?) {
    guard !text.hasPrefix("sqlite:"), let sign = text.firstIndex(of: "?") else { return (text, nil) }
    var (options, table): ([Substring], String?) = ([], nil)
    for option in text[text.index(after: sign)...].split(separator: "&") {
      if option.hasPrefix("table=") {
        table = String(option.dropFirst("table=".count))
      } else {
        options.append(option)
      }
    }
    return (text[..<sign] + (options.isEmpty ? "" : "?" + options.joined(separator: "&")), table)
  }

  private static let filesTables = """
    select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite^_%' escape '^'
    and name <> '\(SQLPlace.table)' order by type, rowid
    """
  private static let filesKey = "select name from pragma_table_info(:table) where pk > 0 order by pk"

  private static let serversTables = """
    select case when pg_table_is_visible(c.oid) then relname::text else nspname || '.' || relname end as name,
      c.oid::regclass::text as quoted
    from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind in ('r', 'p', 'v', 'm', 'f') and not relispartition and relname <> '\(SQLPlace.table)'
      and nspname <> 'information_schema' and nspname not like 'pg^_%' escape '^'
    order by relkind in ('v', 'm'), not pg_table_is_visible(c.oid), c.oid
    """
  private static let serversKey = """
    select attname as name from pg_index join pg_attribute on attrelid = indrelid and attnum = any(indkey)
    where indrelid = :table::regclass and indisprimary order by array_position(indkey::int2[], attnum)
    """
}
