import JSON
import System

/// A pipeline for the list that a web address answers with: where its rows are, what identifies one, and what changes
/// at each request.
///
///     ListSketch(name: "stations", address: "https://example.org/stations.json", response: value).text
///
/// All of it is inferred from one response; the comments in the file say what.
public struct ListSketch {
  /// Rows beyond this are not looked at.
  private static let most = 1000
  private static let deepest = 4

  private let name: String
  private let address: String
  /// The members that lead to the list; nil where the response is one row.
  private let path: [String]?
  private let rows: [JSON.Value]
  /// The address of the next page in the response, as an expression.
  private let next: String?

  public init(name: String, address: String, response: JSON.Value) {
    self.name = name
    self.address = address
    let list = ListSketch.largestList(in: response, [])
    path = list?.path
    rows = list.map { ListSketch.elements($0.list) } ?? [response]
    let link = response.kind == .object ? response.member("next")?.string : nil
    next = link?.has("://") == true ? ".next" : nil
  }

  // MARK: - What the response shows

  private static func elements(_ array: JSON.Value) -> [JSON.Value] {
    var elements: [JSON.Value] = []
    array.forEachElement { if elements.count < most { elements.append($0) } }
    return elements
  }

  /// The array of objects with the most elements; of equally long ones the outermost.
  private static func largestList(in value: JSON.Value, _ path: [String]) -> (
    path: [String], list: JSON.Value, count: Int
  )? {
    if value.kind == .array {
      let elements = elements(value)
      return elements.contains { $0.kind == .object } || path.isEmpty ? (path, value, elements.count) : nil
    }
    guard value.kind == .object, path.count < deepest else { return nil }
    var best: (path: [String], list: JSON.Value, count: Int)?
    for key in value.keys.map(\.name) {
      guard let member = value.member(key), let found = largestList(in: member, path + [key]) else {
        continue
      }
      if found.count > best?.count ?? 0 { best = found }
    }
    return best
  }

  /// The members that each row has, with a text, number or boolean in at least one.
  private var members: [String] {
    guard let first = rows.first, first.kind == .object else { return [] }
    return first.keys.map(\.name).filter { name in
      rows.allSatisfy { $0.kind == .object && $0.member(name) != nil }
    }
  }

  private func values(_ name: String) -> [JSON.Value] { rows.compactMap { $0.member(name) } }

  /// Whether each row has another text or number there.
  private func isUnique(_ name: String) -> Bool {
    let texts = values(name).map { $0.kind == .string || $0.kind == .number ? $0.description : "" }
    return !texts.contains("") && Set(texts).count == texts.count
  }

  private static let keyNames = [
    "id", "uuid", "guid", "key", "_id", "code", "slug", "number", "url", "href", "link",
  ]
  private static let titleNames = ["name", "title", "label", "headline", "subject", "summary", "full_name"]
  /// Parts of the names of members that change without news.
  private static let noise = [
    "updated", "modified", "fetched", "generated", "refreshed", "checked", "last_seen", "lastseen",
    "timestamp", "views",
    "downloads", "hits", "uptime", "age", "ttl", "etag",
  ]

  /// The member that identifies a row.
  private var key: String? {
    let unique = members.filter(isUnique)
    return Self.keyNames.lazy.compactMap { name in unique.first { $0.lowercased() == name } }.first
      ?? unique.first { $0.lowercased().hasSuffix("id") } ?? Self.titleNames.first(where: unique.contains)
      ?? unique.first
  }

  private var title: String? { Self.titleNames.first { name in members.contains(name) } ?? key }

  /// Members whose changes are hardly news.
  private var ignored: [String] {
    members.filter { member in
      let words = member.lowercased()
      return member != key && Self.noise.contains { words.has($0) && (words == $0 || $0.count > 3) }
    }
  }

  /// Members with times.
  private var times: [String] {
    members.filter { name in
      let texts = values(name).compactMap(\.string)
      return !texts.isEmpty && texts.allSatisfy { $0.utf8.count >= 10 && parseTimestamp($0) != nil }
    }
  }

  // MARK: - The file

  /// The member as a jq path: `.name`, or `.["last-seen"]`.
  private static func path(_ names: [String]) -> String {
    names.reduce("") { path, name in
      let isName =
        name.utf8.allSatisfy { isWordByte($0) || $0 == UInt8(ascii: "_") }
        && name.utf8.first.map { $0 > 0x39 } == true
      if isName { return path + ".\(name)" }
      return (path.isEmpty ? "." : path) + "[\(JSON.Value.string(name))]"
    }
  }

  private func yaml(_ expression: String) -> String {
    expression.has("[\"") ? "'\(expression.replacing("'", by: "''"))'" : expression
  }

  public var text: String {
    let file = fileName(of: name)
    let count = "\(rows.count) row\(rows.count == 1 ? "" : "s")"
    let expression = path.map { ($0.isEmpty ? "." : Self.path($0)) + "[]" } ?? "."
    var lines = [
      "# Reports what is added, changed or removed in the list at this address.",
      "#", "# Written by flow new from one response; the comments say what was inferred from it.", "",
      "name: \(FlowYAML.quoted(name))", "", "sources:", "  api:", "    http:",
      "      url: \(FlowYAML.quoted(address))",
      path == nil
        ? "      rows: .   # the response has no list of objects: it is one row"
        : "      rows: \(yaml(expression))   # \(count) in that response",
    ]
    if let next { lines.append("      next: \(next)   # the address of the next page") }
    lines += ["    every: 15m", "", "steps:", "  - changes:"]
    if path == nil {
      lines.append("      key: '\"all\"'   # there is one row")
    } else if let key {
      lines.append("      key: \(yaml(Self.path([key])))   # different in each row")
    } else {
      lines.append(
        "      key: tojson   # no member is different in each row: a changed row is removed and added")
    }
    let ignored = ignored
    if !ignored.isEmpty {
      let paths = ignored.map { yaml(Self.path([$0])) }.joined(separator: ", ")
      lines.append("      ignore: [\(paths)]   # these look as if they changed without news")
    }
    let times = times.filter { !ignored.contains($0) }
    if !times.isEmpty {
      let paths = times.map { yaml(Self.path([$0])) }
      lines.append("      # times in it: \(paths.joined(separator: ", ")); to ignore small shifts:")
      lines.append("      # tolerance: { \(paths[0]): 10m }")
    }
    let shown = title.map { " \\((.after // .before) | \(Self.path([$0])))" } ?? ""
    let template = "\\(.type)\(shown): \\([.diff[]?.path] | join(\", \"))"
    lines += [
      "", "sinks:", "  screen: { console: '\(template.replacing("'", by: "''"))' }",
      "  log: { jsonl: out/\(file).jsonl }",
    ]
    return lines.joined(separator: "\n") + "\n"
  }
}

/// A name as a part of a file name: letters, digits, dots, dashes and underscores.
func fileName(of name: String) -> String {
  let bytes = name.utf8.map { isWordByte($0) || [0x2D, 0x2E, 0x5F].contains($0) ? $0 : UInt8(ascii: "-") }
  let text = String(decoding: bytes.drop { $0 == UInt8(ascii: ".") }, as: UTF8.self)
  return text.isEmpty ? "events" : text
}
