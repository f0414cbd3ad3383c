import Engine
import JSON
import Language

// The errors of `changes`.

/// A row without a key.
struct NoKey: Error, CustomStringConvertible {
  let key: String
  let row: Value

  var description: String {
    let rows = row.kind == .object ? ResponseRows(in: row)?.expression ?? "" : ""
    return "the key \(key) of this row is null"
      + (rows.isEmpty
        ? "" : "; is it the whole response? Its rows are \(rows): write rows: \(rows) at the source")
  }
}

/// Several different rows of a poll with one key.
struct RepeatedKey: Error, CustomStringConvertible {
  let key: Value
  let rows: [PolledRow]

  var description: String {
    let first = rows[0].event.value
    let paths =
      rows.lazy.map { Value.differences(from: first, to: $0.event.value) }.first { !$0.isEmpty }?
      .map(\.path.description) ?? []
    let fields = paths.prefix(3).filter { !$0.isEmpty }.joined(separator: ", ")
    return
      "\(rows.count) rows of this poll have the key \(excerpt(of: key))"
      + (fields.isEmpty ? "" : "; they differ in \(fields)")
      + "; a key must be unique: add a field to it, or set duplicates"
  }
}

/// A row with one key more than are kept.
struct NoRoom: Error, CustomStringConvertible {
  let bound: Int

  var description: String { "there are more than \(bound) keys; raise bound, or look at key" }
}
