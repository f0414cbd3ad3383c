import Engine
import JSON
import Language
import Reactive
import System

/// The entries of a list that a source is polled over.
final class Entries: EntryList {
  private let each: EachList
  private let context: SourceContext
  private let rows: Evaluation?
  private let key: Evaluation?
  private let file: ListFile?
  private var isRead = false
  let concurrency: Int
  let whenGone: GoneRows

  init(_ options: Options, _ context: SourceContext) throws {
    guard let each = options[EachOptions.each] else { throw Sentence("there is no list") }
    self.each = each
    self.context = context
    concurrency = options[EachOptions.concurrency]
    whenGone = options[EachOptions.whenGone]
    rows = each.rows.map { context.evaluation($0) }
    key = each.key.map { context.evaluation($0) }
    file = if case .file(let path, let decoding) = each.origin { ListFile(path, decoding) } else { nil }
  }

  var rereading: Duration? { file?.rereading }

  func watch(_ changed: @escaping @Sendable () -> Void) {
    if case .source(let name) = each.origin { context.polledRows.watch(name, changed) }
  }

  func read() throws -> [Entry]? {
    guard let values = try values() else { return nil }
    let poll = Poll(source: context.name, at: context.world.wallClock())
    var entries: [Entry] = []
    for value in values {
      let event = Event(value, poll)
      if let rows {
        try rows.each(event) { entries.append(try entry($0, poll)) }
      } else {
        entries.append(try entry(value, poll))
      }
    }
    // An empty file is more often a file that is being written than a list that is meant.
    if entries.isEmpty { throw Sentence("the list \(name) is empty") }
    return entries
  }

  private func values() throws -> [Value]? {
    switch each.origin {
    case .values(let values):
      defer { isRead = true }
      return isRead ? nil : values
    case .file: return try file?.read()
    case .source(let name):
      let (rows, hasEnded) = context.polledRows.rows(of: name)
      if rows == nil, hasEnded { throw Sentence("the source \(name) has ended without a poll") }
      return rows
    }
  }

  private var name: String {
    switch each.origin {
    case .values: "of each"
    case .file(let path, _): path
    case .source(let name): "of \(name)"
    }
  }

  private func entry(_ value: Value, _ poll: Poll) throws -> Entry {
    let value = value.detach()
    var id = value
    if let key {
      id = try key.first(Event(value, poll)) ?? .null
    } else if value.kind == .object {
      id = value.keys.first.flatMap { value.member($0.name) } ?? .null
    }
    if id.kind == .null {
      let shown = value.description.prefix(80)
      throw Sentence("the key of the entry \(shown) of the list \(name) is null; set key in each")
    }
    return Entry(id: id.detach(), value)
  }
}
