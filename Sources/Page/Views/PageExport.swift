import JSON
import Language

/// The rows of a view in other formats, at the same address with an ending.
package struct PageExport: Sendable {
  package enum Format: String, CaseIterable, Sendable {
    case json, jsonl, csv, atom

    var name: String {
      switch self {
      case .json: "JSON"
      case .jsonl: "JSON lines"
      case .csv: "CSV"
      case .atom: "Atom feed"
      }
    }

    package var type: String {
      switch self {
      case .json: "application/json"
      case .jsonl: "application/x-ndjson"
      case .csv: "text/csv; charset=utf-8"
      case .atom: "application/atom+xml"
      }
    }
  }

  let view: PageView
  let now: Double
  /// Where a feed says that it is.
  let origin: String

  package init(_ view: PageView, now: Double, origin: String) {
    (self.view, self.now, self.origin) = (view, now, origin)
  }

  package func bytes(_ format: Format, _ query: PageQuery) -> [UInt8] {
    let rows = query.rows(of: view.snapshot, view.form)
    switch format {
    case .json: return Value.array(rows.map(record)).json + [UInt8(ascii: "\n")]
    case .jsonl: return rows.flatMap { record($0).json + [UInt8(ascii: "\n")] }
    case .csv: return csv(rows)
    case .atom: return atom(rows)
    }
  }

  private func record(_ row: PageRow) -> Value {
    var record = Value.record([("key", row.key)])
    record.merge(row.content)
    return record
  }

  // MARK: - CSV (RFC 4180)

  private func csv(_ rows: [PageRow]) -> [UInt8] {
    var columns = ["key", "title", "subtitle", "time", "status", "link"]
    let fixed = columns.count
    for row in rows {
      for part in ["facets", "detail"] {
        for (name, _) in row.members(part) where !columns.contains(name) { columns.append(name) }
      }
    }
    var text = columns.map(Self.cell).joined(separator: ",") + "\r\n"
    for row in rows {
      var cells = [
        row.key.shown, row.title, row.subtitle ?? "", row.time?.machine ?? "", row.status?.word ?? "",
        row.link?.text ?? "",
      ]
      for column in columns.dropFirst(fixed) {
        let value =
          row.content.member("detail")?.member(column) ?? row.content.member("facets")?.member(column)
        cells.append(value?.shown ?? "")
      }
      text += cells.map(Self.cell).joined(separator: ",") + "\r\n"
    }
    return Array(text.utf8)
  }

  /// A cell in quotes where it needs them; one that a spreadsheet would take for a formula begins with an apostrophe.
  private static func cell(_ text: String) -> String {
    let isFormula = "=+-@\t\r".contains(text.first ?? " ") && Double(text) == nil
    let text = isFormula ? "'" + text : text
    guard text.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }) else {
      return text
    }
    var quoted = "\""
    for character in text.unicodeScalars {
      quoted.unicodeScalars.append(character)
      if character == "\"" { quoted += "\"" }
    }
    return quoted + "\""
  }

  // MARK: - Atom (RFC 4287)

  private func atom(_ rows: [PageRow]) -> [UInt8] {
    var xml = HTML()
    let path = view.path.joined(separator: "/")
    let base = "tag:flow,2026:\(path)"
    let recent = rows.sorted { ($0.commit, $0.id) > ($1.commit, $1.id) }.prefix(100)
    let updated = recent.map(\.changedAt).max() ?? view.snapshot.polledAt ?? now
    xml.feed {
      $0.tag("title") { $0.text(view.form.name) }
      $0.tag("id") { $0.text(base) }
      $0.tag("updated") { $0.text(timestamp(updated.rounded())) }
      $0.tag("author") { $0.tag("name") { $0.text("flow") } }
      for row in recent {
        $0.tag("entry") { entry in
          entry.tag("title") { $0.text(row.title) }
          entry.tag("id") { $0.text("\(base)/\(row.id)") }
          entry.tag("updated") { $0.text(timestamp(row.changedAt.rounded())) }
          if let page = Link(web: "\(origin)/v/\(path)/\(row.id)") { entry.tag("link", .href(page)) }
          let parts = [row.subtitle, row.status?.word, row.time?.text].compactMap { $0 }
          entry.tag("summary") { $0.text(parts.joined(separator: " · ")) }
        }
      }
    }
    return xml.bytes
  }
}
