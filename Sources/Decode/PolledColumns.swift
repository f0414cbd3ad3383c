import JSON

/// The columns of a polled table, by which a message in its place is not taken for a table without rows.
package final class PolledColumns {
  /// The columns of the last table, also of an earlier run.
  private var known: [String]
  /// The columns of the text that is read; nil before they are known, empty where there is no header.
  var found: [String]?

  package init(_ position: Value?) {
    known = position?.member("memory")?.items?.compactMap(\.string) ?? []
  }

  /// The columns as they are stored.
  package var memory: Value? { known.isEmpty ? nil : .array(known.map { .string($0) }) }

  /// Why a text from which some rows were read is no such table.
  ///
  /// A table may get other columns; but then it has rows, and more than one column if it had several.
  func flaw(rows: Int) -> String? {
    guard let found else { return "the text ends before the table begins" }
    if found.isEmpty { return nil }
    if !known.isEmpty, rows == 0 || found.count == 1 && known.count > 1,
      Set(known).isDisjoint(with: found)
    {
      let names = known.prefix(5).joined(separator: ", ")
      return "the header has none of the columns that the table had, \(names)"
    }
    if rows > 0 || found.count > 1 { known = found }
    return nil
  }
}
