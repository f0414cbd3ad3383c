import JSON
import Language
import Markup
import System

/// The picks in a page, and the pipeline for them: the answers to the script of the page that picks.
///
/// The script keeps what has been picked and sends it whole each time.
struct Picking: Sendable {
  private static let shownRows = 8
  private static let mostFields = 6

  let page: RenderedPage
  let new: NewRequest
  let name: String
  /// The page as it is served, without a browser; nil where it cannot be had.
  let served: [UInt8]?

  /// The boxes of the elements with the one around each, what is alike, and the likeliest lists.
  func scene(for target: String?) -> Value {
    let outline = page.outline
    let boxes = page.survey.boxes.enumerated().map { number, box in
      Value.array(
        outline.label(of: number) == nil ? [] : (box + [outline.parents[number] ?? -1]).map { .number($0) })
    }
    let kinds = outline.kinds(atMost: 5).map { kind in
      Value.record([
        ("select", .string(kind.selector)), ("count", .number(kind.elements.count)),
        ("label", .string(kind.label)),
      ])
    }
    return .record([
      ("address", .string(new.request.masked("\(page.survey.address)"))),
      ("target", target.map { .string($0) } ?? .null),
      ("width", .number(page.survey.width)), ("height", .number(page.height)), ("boxes", .array(boxes)),
      ("labels", .array(boxes.indices.map { .string(outline.label(of: $0) ?? "") })),
      ("groups", .array(outline.groups.map { Self.list($0.elements) })), ("kinds", .array(kinds)),
    ])
  }

  private static func list(_ numbers: [Int]) -> Value { .array(numbers.map { .number($0) }) }

  /// The answer to what has been picked: `{ select, fields, element, add }`, of which the last two are elements.
  func draft(of picks: Value) throws -> Value {
    func number(_ name: String) -> Int? { picks.member(name)?.double.flatMap { Int(exactly: $0) } }
    let outline = page.outline
    var selector = picks.member("select")?.string ?? ""
    if let element = number("element") {
      guard let kind = outline.kind(at: element) else {
        throw Sentence("nothing else in the page is like this")
      }
      selector = kind.selector
    }
    guard let kind = try? outline.kind(selector) else {
      return try answer(Picked(selector: selector, fields: fields(picks) ?? []), error: "no selector")
    }
    let parts = outline.parts(of: kind).map { FoundField($0) }
    var picked = Picked(
      selector: selector, kind: kind, fields: fields(picks) ?? Array(parts.prefix(Self.mostFields)))
    if let element = number("add") {
      guard let part = outline.part(at: element, of: kind) else {
        throw Sentence("this is outside of the entries")
      }
      var field = FoundField(part)
      field.name = PageOutline.unused(field.name, among: picked.fields.map(\.name))
      picked.fields.append(field)
    }
    picked.more = parts.filter { part in
      !picked.fields.contains { $0.field == part.field || $0.name == part.name }
    }
    return try answer(picked)
  }

  /// The pipeline for what has been picked.
  func text(of picks: Value) throws -> String {
    guard let selector = picks.member("select")?.string, let kind = try? page.outline.kind(selector) else {
      throw Sentence("no entries are picked")
    }
    return try reading(Picked(selector: selector, kind: kind, fields: fields(picks) ?? [])).text
  }

  private struct Picked {
    var selector: String
    var kind: PageOutline.Kind?
    var fields: [FoundField]
    /// Other fields that could be picked.
    var more: [FoundField] = []
  }

  private struct Reading {
    var rows: [Value] = []
    /// The same before numbers and dates are made of their texts.
    var texts: [Value] = []
    var text = ""
  }

  private func fields(_ picks: Value) -> [FoundField]? {
    picks.member("fields")?.items.map { items in
      items.compactMap { item in
        guard let name = item.member("name")?.string, let field = item.member("field")?.string else {
          return nil
        }
        let kind = item.member("kind")?.string.flatMap { FoundField.Kind(rawValue: $0) } ?? .text
        return FoundField(name: name.isEmpty ? "field" : name, field: Self.field(field, as: kind), kind: kind)
      }
    }
  }

  /// A field of another kind: a link or a picture is an attribute, anything else the text.
  private static func field(_ field: String, as kind: FoundField.Kind) -> String {
    let end = field.lastIndex(of: "@").map { field[$0...] } ?? ""
    let element = ["@href", "@src"].contains(end) ? String(field.dropLast(end.count)) : field
    switch kind {
    case .link: return end == "@href" || end == "" ? "\(element == "." ? "" : element)@href" : field
    case .picture: return end == "@src" || end == "" ? "\(element == "." ? "" : element)@src" : field
    case .text, .number, .date: return element.isEmpty ? "." : element
    }
  }

  /// The rows that flow reads by what has been picked, and the pipeline.
  private func reading(_ picked: Picked) throws -> Reading {
    guard picked.kind != nil else { return Reading() }
    let fields = picked.fields.filter { (try? HTMLField($0.field)) != nil }
    let decode = FoundField.decode(picked.selector, fields)
    let texts = try page.rows(decode)
    let map = FoundField.map(fields, of: texts)
    let rows = RenderedPage.mapped(texts, by: map)
    let isServed = (try? served.map { try page.rows(decode, of: $0) }) == texts
    let browser = isServed ? [] : [page.option(waitingFor: picked.selector)]
    var source = PipelineDraft.Source("http", new.options + browser + [("decode", decode)], every: "15m")
    source.map = map
    return Reading(
      rows: rows, texts: texts, text: PipelineDraft(name: name, of: source, response: .array(rows)).text)
  }

  private func answer(_ picked: Picked, error: String? = nil) throws -> Value {
    let read = try reading(picked)
    let fields = picked.fields.map { field in
      let elements = picked.kind.flatMap { try? page.outline.elements(of: field.field, in: $0) }
      let hits = read.texts.count { $0.member(field.name)?.string.map { !$0.isEmpty } ?? false }
      return Self.record(
        field,
        [
          ("hits", .number(hits)), ("elements", Self.list(elements ?? [])),
          ("error", elements == nil && picked.kind != nil ? .string("no selector") : .null),
        ])
    }
    return .record([
      ("select", .string(picked.selector)), ("count", .number(read.rows.count)),
      ("entries", Self.list(picked.kind?.elements ?? [])), ("fields", .array(fields)),
      ("more", .array(picked.more.map { Self.record($0) })),
      ("rows", .array(Array(read.rows.prefix(Self.shownRows)))),
      ("yaml", .string(read.rows.isEmpty ? "" : read.text)), ("error", error.map { .string($0) } ?? .null),
    ])
  }

  private static func record(_ field: FoundField, _ more: [(String, Value)] = []) -> Value {
    .record(
      [
        ("name", .string(field.name)), ("field", .string(field.field)),
        ("kind", .string(field.kind.rawValue)),
      ] + more)
  }
}
