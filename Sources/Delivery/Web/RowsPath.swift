import JSON
import Language

/// The members that an expression for rows begins with, as in `.data.items[]`: explains rows that cannot be meant.
package struct RowsPath {
  /// The rows of a document where none are given.
  package static let defaultRows = #"if type == "array" then .[] else . end"#

  private let text: String
  package let names: [String]
  /// Whether the expression is nothing but the members.
  private let isWhole: Bool

  /// Nil for an expression that begins otherwise.
  package init?(_ text: String) {
    let trimmed = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    var rest = trimmed[...]
    var names: [String] = []
    while rest.first == ".", let first = rest.dropFirst().first, first.isLetter || first == "_" {
      let name = rest.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      names.append(String(name))
      rest = rest[name.endIndex...]
    }
    if names.isEmpty { return nil }
    self.text = trimmed
    self.names = names
    isWhole = rest.isEmpty
  }

  /// The flaw of the rows of a response; nil for rows that may be meant.
  package func flaw(of rows: [Value], in response: Value) -> String? {
    guard rows.count == 1, let row = rows.first else { return nil }
    if row.kind == .null { return missing(in: response) }
    guard row.kind == .array, isWhole else { return nil }
    return
      "the row is an array of \(elements(row)): did you mean \(text)[]? (for one row, write rows: (\(text)))"
  }

  /// The first of the members that the response does not have, and what it has instead.
  package func missing(in response: Value) -> String? {
    var value = response
    var path = ""
    for name in names {
      let place = path.isEmpty ? "the response" : path
      if value.kind == .array {
        return "\(place) is an array of \(elements(value)): did you mean \(path.isEmpty ? "." : path)[]?"
      }
      guard value.kind == .object else { return nil }
      guard let member = value.member(name) else {
        let keys = value.keys.map(\.name)
        let shown = keys.prefix(12).map { printable(String($0.prefix(40))) }.joined(separator: ", ")
        let contents = keys.isEmpty ? "is empty" : "contains \(shown)\(keys.count > 12 ? ", …" : "")"
        let near = nearest(to: name, among: keys).map { "; did you mean \(path).\(printable($0))?" } ?? ""
        return "\(place) has no \(quoted(name)); it \(contents)\(near)"
      }
      value = member
      path += ".\(name)"
    }
    return nil
  }

  private func elements(_ array: Value) -> String {
    var count = 0
    array.forEachElement { _ in count += 1 }
    return "\(count) element\(count == 1 ? "" : "s")"
  }
}
