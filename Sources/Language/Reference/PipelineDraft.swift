import JSON

/// A pipeline for what an address, a file or a table contains: where its rows are, what identifies one, and what changes
/// at each request.
///
///     var sketch = PipelineDraft(name: "stations", of: source, response: value)
///     sketch.compare(with: later, after: "3 s")
///     sketch.text       // the file
///     sketch.findings   // what was found, for a person
public struct PipelineDraft {
  /// The node that reads it, and its options as YAML, in their order.
  public struct Source: Sendable {
    /// A form of a response.
    public enum Form: Sendable {
      /// Rows, or a value that contains them.
      case rows
      /// Entries of a feed, in one shape.
      case feed
      /// One text, in a member of a row or by itself.
      case text
      /// Events that come by themselves, on a connection that goes on.
      case events
    }

    public var kind: String
    public var options: [(name: String, yaml: String)]
    public var every: String
    public var form = Form.rows
    /// The members that identify a row, where that is known.
    public var key: [String] = []
    /// The options that read the other pages of the list, or that limit it, behind those for the rows.
    public var paging: [(name: String, yaml: String)] = []
    /// The findings about the pages, for a person.
    public var pages: [(label: String, text: String)] = []
    /// An expression for each row, before it is compared.
    public var map: String?
    /// Lines about it at the beginning of the file.
    public var comments: [String] = []
    /// Whether it has an option for the rows of a response; without one they need a step.
    public var hasRows: Bool { kind == "http" }

    public init(_ kind: String, _ options: [(name: String, yaml: String)], every: String) {
      (self.kind, self.options, self.every) = (kind, options, every)
    }
  }

  /// Rows beyond this are not looked at.
  private static let most = 1000

  private let name: String
  private let source: Source
  /// The expression for the rows; nil where the source finds them by itself.
  private let rowsExpression: String?
  private let program: Program?
  private let isOneRow: Bool
  private let rows: [JSON.Value]
  /// The key of rows that are the members of an object.
  private let entryKey: String?
  /// Fields that differed between two polls, each with the number of rows; nil without a second one.
  private var moved: [(path: [String], count: Int)]?
  private var compared = 0
  private var pause = ""
  /// The member that identifies a row; none where the rows are no objects.
  private var key: [String] = []

  public init(name: String, of source: Source, response: JSON.Value) {
    (self.name, self.source) = (name, source)
    let place = source.form == .text || source.form == .events ? nil : ResponseRows(in: response)
    isOneRow = place == nil
    entryKey = place?.named?.key
    let expression = place.map { $0.named?.expression ?? $0.expression } ?? "."
    // A list is what a source has anyway.
    rowsExpression = response.kind == .array ? nil : expression
    program = try? Program(response.kind == .array ? ".[]" : expression)
    rows = Self.rows(of: response, program)
    key = chosenKey
  }

  private static func rows(of response: JSON.Value, _ program: Program?) -> [JSON.Value] {
    Array(((try? program?.outputs(response)) ?? nil)?.prefix(most) ?? [])
  }

  // MARK: - What the rows show

  /// The members that each row has.
  private var members: [String] {
    guard let first = rows.first, first.kind == .object else { return [] }
    return first.keys.map(\.name).filter { name in
      rows.allSatisfy { $0.kind == .object && $0.member(name) != nil }
    }
  }

  private func values(_ name: String) -> [JSON.Value] { rows.compactMap { $0.member(name) } }

  /// A text or number as a text; nil for another value.
  private static func label(_ value: JSON.Value?) -> String? {
    guard let value, value.kind == .string || value.kind == .number else { return nil }
    return value.description
  }

  /// Whether each row has other texts or numbers there.
  private func isUnique(_ names: [String]) -> Bool {
    let labels = rows.compactMap { row in
      let parts = names.compactMap { Self.label(row.member($0)) }
      return parts.count == names.count ? parts.joined(separator: "\n") : nil
    }
    return labels.count == rows.count && Set(labels).count == labels.count
  }

  private static let keyNames = [
    "id", "uuid", "guid", "key", "_id", "code", "slug", "number", "url", "href", "link",
  ]
  private static let titleNames = ["name", "title", "label", "headline", "subject", "summary", "full_name"]
  /// Parts of the names of members that change without news.
  private static let noise = [
    "updated", "modified", "fetched", "generated", "refreshed", "checked", "last_seen", "lastseen",
    "timestamp",
    "views", "downloads", "hits", "uptime", "age", "ttl", "etag",
  ]

  /// The member that is different in each row, or two that are so together.
  private var chosenKey: [String] {
    if !source.key.isEmpty { return source.key }
    if let entryKey { return [entryKey] }
    let unique = members.filter { isUnique([$0]) }
    if let name = Self.keyNames.lazy.compactMap({ name in unique.first { $0.lowercased() == name } }).first
      ?? unique.first(where: { $0.lowercased().hasSuffix("id") })
      ?? Self.titleNames.first(where: unique.contains) ?? unique.first
    {
      return [name]
    }
    let names = members.prefix(12).filter { name in values(name).allSatisfy { $0.kind == .string } }
    for (index, one) in names.enumerated() {
      if let other = names[(index + 1)...].first(where: { isUnique([one, $0]) }) { return [one, other] }
    }
    return []
  }

  /// The key as an expression.
  private var keyExpression: String {
    if isOneRow || rows.count == 1 && key.isEmpty && rows[0].kind == .object { return "$meta.source" }
    if let only = key.first {
      return key.count == 1 ? jqPath([only]) : "[\(key.map { jqPath([$0]) }.joined(separator: ", "))]"
    }
    let labels = rows.compactMap { Self.label($0) }
    return !rows.isEmpty && labels.count == rows.count && Set(labels).count == labels.count ? "." : "tojson"
  }

  private var title: String? { Self.titleNames.first { members.contains($0) && !key.contains($0) } }

  /// Members whose changes are hardly news by their names.
  private var noisy: [String] {
    members.filter { member in
      let words = member.lowercased()
      return !key.contains(member) && Self.noise.contains { words.has($0) && (words == $0 || $0.count > 3) }
    }
  }

  /// Members with times.
  private var times: [String] {
    members.filter { name in
      let texts = values(name).compactMap(\.string)
      return !texts.isEmpty && texts.allSatisfy { $0.utf8.count >= 10 && parseTimestamp($0) != nil }
    }
  }

  /// Members of a table that are numbers, all of which are texts there.
  private var numbers: [String] {
    guard
      source.options.contains(where: { $0.name == "decode" && ($0.yaml.has("csv") || $0.yaml.has("tsv")) })
    else { return [] }
    return members.filter { name in
      let texts = values(name).compactMap(\.string).filter { !$0.isEmpty }
      return !key.contains(name) && !texts.isEmpty
        && texts.allSatisfy {
          Double($0.replacing(",", by: ".")) != nil && $0.utf8.first.map { $0 < 0x3a } == true
        }
    }
  }

  // MARK: - Two polls

  /// Compares the rows with those of a later response: what always changes is ignored.
  public mutating func compare(with later: JSON.Value, after pause: String) {
    let before = Dictionary(
      rows.compactMap { row in identity(of: row).map { ($0, row) } }, uniquingKeysWith: { $1 })
    self.pause = pause
    var counts: [[String]: Int] = [:]
    var order: [[String]] = []
    for row in Self.rows(of: later, program) {
      guard let identity = identity(of: row), let old = before[identity] else { continue }
      compared += 1
      var paths: [[String]] = []
      for difference in JSON.Value.differences(from: old, to: row) {
        let path = Self.members(difference.path.steps, in: row)
        if !paths.contains(path) { paths.append(path) }
      }
      for path in paths {
        if counts[path] == nil { order.append(path) }
        counts[path, default: 0] += 1
      }
    }
    moved = order.map { ($0, counts[$0] ?? 0) }
  }

  private func identity(of row: JSON.Value) -> String? {
    if isOneRow { return "" }
    return key.isEmpty
      ? row.description : key.map { row.member($0)?.description ?? "" }.joined(separator: "\n")
  }

  /// The beginning of a path that leads through objects alone.
  private static func members(_ steps: [String], in row: JSON.Value) -> [String] {
    var value: JSON.Value? = row
    return Array(
      steps.prefix { step in
        guard value?.kind == .object else { return false }
        value = value?.member(step)
        return true
      })
  }

  /// Fields that differ at each poll, in all rows.
  private var restless: [[String]] {
    let all = (moved ?? []).filter { $0.count == compared && !$0.path.isEmpty }.map(\.path)
    // Where everything moves, that is the news.
    let others = members.filter { name in !key.contains(name) && !all.contains { $0.first == name } }
    return others.isEmpty ? [] : all
  }

  private var ignored: [[String]] {
    if source.form != .rows { return [] }
    let restless = restless
    return restless + noisy.map { [$0] }.filter { name in !restless.contains { $0.first == name.first } }
  }

  // MARK: - What was found

  /// The findings, each with a word for it.
  public var findings: [(label: String, text: String)] {
    if source.form == .events {
      return [("stream", "one connection is read, and each event is one of the pipeline; there are no polls")]
    }
    var found: [(String, String)] = []
    let count = "\(rows.count)\(rows.count == Self.most ? " or more" : "") row\(rows.count == 1 ? "" : "s")"
    if source.form == .text {
      found.append(("text", "one row; what changes in it is reported line by line"))
    } else if isOneRow {
      found.append(("rows", "the response is one row"))
    } else {
      found.append(("rows", rowsExpression.map { "\($0), \(count)" } ?? count))
      let expression = keyExpression
      let why =
        switch (expression, key.count) {
        case _ where !source.key.isEmpty: "the primary key"
        case ("tojson", _) where rows.isEmpty:
          "as there are no rows yet: set the member that identifies a row"
        case ("tojson", _): "no field is different in each row: a changed row is one removed and one added"
        case (".", _): "the rows are no objects"
        case ("$meta.source", _): "there is one row"
        case (_, 2): "different in each row, which no single field is"
        default: entryKey == nil ? "different in each row" : "the name of the member"
        }
      found.append(("key", "\(expression), \(why)"))
    }
    found += source.pages
    let times = times.filter { name in source.form == .rows && !ignored.contains([name]) }
    if !times.isEmpty {
      let paths = times.map { jqPath([$0]) }
      found.append(
        (
          "times",
          "\(paths.joined(separator: ", ")); tolerance: { \(yaml(paths[0])): 10m } ignores small shifts"
        ))
    }
    if !numbers.isEmpty {
      let comma = numbers.contains { values($0).contains { $0.string?.contains(",") == true } }
      let types = numbers.prefix(8).map { "\(FlowYAML.quoted($0)): number" }.joined(separator: ", ")
      found.append(
        (
          "numbers",
          "texts in a table, unless decode has types: { \(types) }\(comma ? ", decimal_comma: true" : "")"
        ))
    }
    let named = noisy.map { jqPath([$0]) }
    if source.form == .rows, !named.isEmpty {
      found.append(("ignored", "\(named.joined(separator: ", ")), which by name change without news"))
    }
    if let moved { found.append(("two polls", difference(moved))) }
    return found
  }

  private func difference(_ moved: [(path: [String], count: Int)]) -> String {
    if moved.isEmpty { return "nothing changed in \(pause)" }
    if source.form == .text {
      return
        "the text changed in \(pause): text: { ignore: 'REGULAR EXPRESSION' } of changes leaves such parts out"
    }
    let restless = restless
    let parts = moved.prefix(8).map { path, count in
      let place = path.isEmpty ? "the row" : jqPath(path)
      return "\(place) in \(count == compared && count > 1 ? "all" : "\(count)") of \(compared)"
    }
    let end = restless.isEmpty ? "" : "; ignored: \(restless.map(jqPath).joined(separator: ", "))"
    return "changed in \(pause): \(parts.joined(separator: ", "))\(moved.count > 8 ? ", …" : "")\(end)"
  }

  // MARK: - The file

  /// An expression as a YAML value within brackets.
  private func yaml(_ expression: String) -> String {
    let isPlain =
      expression.utf8.allSatisfy { isWordByte($0) || "._$-".utf8.contains($0) } && expression != "."
    return isPlain ? expression : "'\(expression.replacing("'", by: "''"))'"
  }

  /// The same on a line of its own.
  private func plain(_ expression: String) -> String {
    expression.first == "." && !["'", "\"", ": ", " #"].contains(where: expression.has)
      || expression.hasPrefix("to_entries") && !expression.has(": ") ? expression : yaml(expression)
  }

  private var sourceLines: [String] {
    var options = source.options
    if let rowsExpression, source.form == .rows, source.hasRows {
      options.append(("rows", plain(rowsExpression)))
    }
    options += source.paging
    let isName = fileName(of: name) == name && !name.contains(".") && name != "errors"
    let head = ["sources:", "  \(isName ? FlowYAML.quoted(name) : "input"):"]
    if options.count == 1, options[0].name == "url" {
      return head + ["    \(source.kind): \(options[0].yaml)"] + schedule
    }
    return head + ["    \(source.kind):"] + options.map { "      \($0.name): \($0.yaml)" }
      + (source.form == .events ? [] : schedule)
  }

  /// When it is polled, and after how many of its periods without a good answer that is a problem.
  private var schedule: [String] { ["    every: \(source.every)", "    fresh: 3"] }

  private var changesLine: String {
    var options = ["key: \(yaml(keyExpression))"]
    if source.form == .feed { options += ["types: [added]", "sudden_loss: 'off'", "removed_after: 365d"] }
    let ignored = ignored
    if !ignored.isEmpty {
      options.append("ignore: [\(ignored.map { yaml(jqPath($0)) }.joined(separator: ", "))]")
    }
    return "  - changes: { \(options.joined(separator: ", ")) }"
  }

  /// The line on the screen for a change.
  private var template: String {
    switch source.form {
    case .feed: return #"\(.after.title): \(.after.link)"#
    case .text: return #"\(.diff[] | .lines // "\(.before) → \(.after)")"#
    case .events: return #"\($meta.event) \(.)"#
    case .rows: break
    }
    let fields = #"\(.diff | map(" \(.path[1:]) \(.before) → \(.after)") | join(","))"#
    if isOneRow { return #"\(.type)"# + fields }
    let label = title.map {
      #"\((.after // .before)"# + (jqPath([$0]).hasPrefix(".[") ? " | " : "") + jqPath([$0]) + ")"
    }
    return #"\(.type) "# + (label ?? #"\(.key)"#) + fields
  }

  public var text: String {
    var lines = source.comments.map { "# \($0)" } + ["name: \(FlowYAML.quoted(name))"] + sourceLines
    if source.form != .events {
      lines.append("steps:")
      if let rowsExpression, !source.hasRows, !isOneRow { lines.append("  - map: \(plain(rowsExpression))") }
      if let map = source.map { lines.append("  - map: \(plain(map))") }
      if source.form == .rows, !restless.isEmpty {
        lines.append("  # Ignored, since it changed in \(pause): to watch it, remove it from ignore.")
      }
      lines.append(changesLine)
    }
    lines += ["sinks:", "  screen: { console: '\(template.replacing("'", by: "''"))' }"]
    lines.append("  log: { jsonl: out/\(fileName(of: name)).jsonl }")
    return lines.joined(separator: "\n") + "\n"
  }
}

/// A name as a part of a file name: letters, digits, dots, dashes and underscores.
func fileName(of name: String) -> String {
  let bytes = name.utf8.map { isWordByte($0) || [0x2D, 0x2E, 0x5F].contains($0) ? $0 : UInt8(ascii: "-") }
  let text = String(decoding: bytes.drop { $0 == UInt8(ascii: ".") }, as: UTF8.self)
  return text.isEmpty ? "events" : text
}
