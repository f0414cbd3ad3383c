import JSON
import System

/// A table of a SQLite file, for `flow new --from sqlite:FILE`.
package struct SQLiteTable {
  /// Rows beyond this are not read.
  private static let most = 1000

  package let name: String
  /// The columns of its primary key.
  package let key: [String]
  /// The query of all its rows.
  package let query: String
  package let rows: Value
  /// The other tables and views of the file.
  package let others: [String]

  /// Throws a sentence; nil where the file has no tables.
  ///
  /// - Parameter name: The table to read if there is one of that name; else the first one.
  package init?(in path: String, preferring name: String?) throws {
    func rows(_ text: String, _ parameters: [(name: String, value: Value)] = []) throws -> [Value] {
      let query = SQLQuery(
        text: SQLText(text), parameters: parameters, timeout: .seconds(30), limit: 64 << 20)
      return try SQLite(path).read(query, stop: StopSign()).rows
    }
    let names = try rows(
      """
      select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite^_%' escape '^'
      and name <> '\(SQLPlace.table)' order by type, rowid
      """
    ).compactMap { $0.member("name")?.string }
    guard let first = names.first else { return nil }
    let table = names.first { $0 == name } ?? first
    self.name = table
    others = names.filter { $0 != table }
    key = try rows(
      "select name from pragma_table_info(:table) where pk > 0 order by pk", [("table", .string(table))]
    )
    .compactMap { $0.member("name")?.string }
    query = "select * from \(SQLText.quoted(table))"
    self.rows = .array(try rows("\(query) limit \(Self.most)"))
  }
}
