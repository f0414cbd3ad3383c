import Delivery
import Decode
import Engine
import JSON
import Language

/// A version of a list as the text of a file: sorted by key, one row a line.
struct GitVersion {
  /// The form of a file, by the ending of its name.
  enum Form {
    case json, csv

    init(path: String) { self = path.lowercased().hasSuffix(".csv") ? .csv : .json }

    /// The rows of a version; a field of a table is the value that its text is in JSON, or else that text.
    func rows(_ text: [UInt8]) throws -> [Value] {
      if self == .csv {
        return try Decoding(.csv).values(of: text).map { row in
          var read = Value.emptyObject
          for key in row.keys {
            guard let field = row.member(key) else { continue }
            read.setMember(key, field.string.flatMap { try? Value.parse(Array($0.utf8), .strict) } ?? field)
          }
          return read
        }
      }
      return try Value.parse(text).items ?? []
    }
  }

  let text: String
  /// A key that two rows have.
  let twin: String?

  init(_ rows: [(key: Value, row: Value)], as form: Form = .json) {
    let sorted = rows.sorted { $0.key < $1.key }
    let writer = Writer(WriteOptions(sortKeys: true))
    let names = sorted.map { Self.name($0.key) }
    twin = zip(names, names.dropFirst()).first { $0 == $1 }?.0
    if form == .csv {
      text = Self.table(sorted.map(\.row))
      return
    }
    text = sorted.isEmpty ? "[]\n" : "[\n\(sorted.map { writer.text($0.row) }.joined(separator: ",\n"))\n]\n"
  }

  /// The rows below a header with all their members, in the order in which they first occur.
  private static func table(_ rows: [Value]) -> String {
    var columns: [Key] = []
    var known: Set<String> = []
    for row in rows where row.kind == .object {
      for key in row.keys where known.insert(key.name).inserted { columns.append(key) }
    }
    if columns.isEmpty { return "" }
    let comma = UInt8(ascii: ",")
    let lines = rows.map { row in CSVText.row(columns.map { CSVText.field(row.member($0.name)) }, comma) }
    return String(
      decoding: ([CSVText.row(columns.map { Array($0.name.utf8) }, comma)] + lines).joined(), as: UTF8.self)
  }

  static func name(_ key: Value) -> String {
    key.string ?? Writer(WriteOptions(sortKeys: true)).text(key)
  }
}

/// A row of a version.
struct GitRow {
  let key: String
  /// The name in messages.
  let label: String
  let row: Value
}

/// The changes between two versions, for the message of a commit.
struct GitChanges {
  static let mostLines = 20

  private(set) var added: [String] = []
  private(set) var changed: [(label: String, fields: [String])] = []
  private(set) var removed: [String] = []

  /// Compares rows by their keys.
  init(from before: [GitRow], to after: [GitRow]) {
    let old = Dictionary(before.map { ($0.key, $0.row) }, uniquingKeysWith: { first, _ in first })
    let new = Set(after.map(\.key))
    for row in after {
      guard let was = old[row.key] else {
        added.append(row.label)
        continue
      }
      let fields = Value.differences(from: was, to: row.row).map { "\($0.path)" }
      if !fields.isEmpty { changed.append((row.label, fields)) }
    }
    removed = before.filter { !new.contains($0.key) }.map(\.label)
  }

  /// `3 added, 1 changed`; the row itself where it is only one.
  var summary: String {
    if added.count + changed.count + removed.count == 1 {
      if let label = added.first { return "\(label) added" }
      if let label = removed.first { return "\(label) removed" }
      if let (label, fields) = changed.first { return "\(label) changed (\(Self.list(fields)))" }
    }
    let counts = [(added.count, "added"), (changed.count, "changed"), (removed.count, "removed")]
    let parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return parts.isEmpty ? "another order or form" : parts.joined(separator: ", ")
  }

  /// A line for each change, up to a limit.
  var lines: [String] {
    let all =
      added.map { "+ \($0)" } + changed.map { "~ \($0.label): \(Self.list($0.fields))" }
      + removed.map { "- \($0)" }
    let rest = all.count - Self.mostLines
    return rest > 0 ? all.prefix(Self.mostLines) + ["… and \(rest) more"] : all
  }

  private static func list(_ fields: [String]) -> String {
    let shown = fields.prefix(5).map { $0.isEmpty ? "the whole row" : String($0.dropFirst()) }
    return shown.joined(separator: ", ") + (fields.count > 5 ? ", …" : "")
  }
}
