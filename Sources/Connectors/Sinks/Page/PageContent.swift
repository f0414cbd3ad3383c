import Engine
import JSON
import Language
import Page
import System

extension PageRow {
  /// A row as the state has it: `{source, commit, at, row}`.
  package init?(key: Value, stored: Value) {
    guard let content = stored.member("row"), let commit = stored.member("commit")?.double else { return nil }
    self.init(
      key: key, commit: Int(commit), changedAt: stored.member("at")?.double ?? 0,
      lastRead: stored.member("read")?.double, content: content)
  }
}

extension Value {
  /// Adds to the content of a row what every event of `changes` has, where it is not given.
  package mutating func addChange(_ event: Value, at time: Double) {
    if member("time") == nil { setMember("time", event.member("at") ?? .number(time)) }
    if let type = event.member("type")?.string, member("status") == nil {
      let color = ["added": "good", "removed": "bad"][type] ?? "info"
      let symbol = ["added": "+", "removed": "−"][type] ?? "→"
      setMember(
        "status", .record([("word", .string(type)), ("color", .string(color)), ("symbol", .string(symbol))]))
    }
    if let diff = event.member("diff"), diff.kind == .array { setMember("changes", diff) }
  }
}

/// The parts of a row, as expressions.
struct PageParts {
  private let parts: [(name: String, evaluation: Evaluation)]
  private let mappings: [(name: String, members: [(name: Key, evaluation: Evaluation)])]
  private let isLog: Bool
  /// The expression of the number that is charted.
  private let charted: String?
  /// How precisely the times before and after a change are known.
  private let precision: Evaluation?

  init(_ options: Options, _ context: SinkContext) {
    isLog = options[PageOptions.layout] == .log
    charted = options[PageOptions.spark]?.text
    let precision = options[PageOptions.precision]
    let isOfChanges = isLog && options[PageOptions.time] == nil
    self.precision = isOfChanges ? precision.map { context.evaluation($0) } : nil
    let texts = [
      ("title", options[PageOptions.title]), ("subtitle", options[PageOptions.subtitle]),
      ("group", options[PageOptions.group]),
    ]
    let values = [
      ("time", options[PageOptions.time]), ("precision", isOfChanges ? nil : precision),
      ("picture", options[PageOptions.picture]), ("status", options[PageOptions.status]),
      ("link", options[PageOptions.link]), ("map", options[PageOptions.map]),
      ("sort", options[PageOptions.sort]), (Spark.name, options[PageOptions.spark]),
    ]
    parts =
      texts.compactMap { name, template in template.map { (name, context.evaluation($0)) } }
      + values.compactMap { name, expression in expression.map { (name, context.evaluation($0)) } }
    mappings = [("facets", options[PageOptions.facets]), ("detail", options[PageOptions.detail])]
      .compactMap { name, members in
        members.map { members in
          (name, members.map { (Key($0.name), context.evaluation($0.value)) })
        }
      }
  }

  func content(of event: Event) throws -> Value {
    var content = Value.emptyObject
    for (name, evaluation) in parts {
      if let value = try evaluation.first(event), !value.isNull { content.setMember(Key(name), value) }
    }
    for (name, members) in mappings {
      var object = Value.emptyObject
      for (name, evaluation) in members { object.setMember(name, try evaluation.first(event) ?? .null) }
      content.setMember(Key(name), object)
    }
    if let number = content.member(Spark.name), number.kind != .number {
      throw Sentence(
        "spark: \(String(number.description.prefix(60))) is not a number; tonumber makes one of text")
    }
    if let charted { content.setMember(Key(Spark.expression), .string(charted)) }
    if isLog { content.addChange(event.value, at: event.poll.at) }
    if let precision {
      let sides: [(String, Value)] = try ["before", "after"].map { side in
        let row = event.value.member(Key(side)) ?? .null
        return (side, row.isNull ? .null : try precision.first(event.with(row)) ?? .null)
      }
      content.setMember("precisions", .record(sides))
    }
    return content.detach()
  }
}

/// The course of the number that a row charts, which is stored in its content: `[[at, number], …]`.
enum Spark {
  static let name = "spark"
  /// The member with the expression of the number: the course of another is none of this one.
  static let expression = "sparked"
  private static let limit = 60

  /// New content, whose number is added to the course in the old one where it differs from the last.
  static func adding(to content: Value, _ old: Value?, at now: Double) -> Value {
    let isSame = old?.member(expression) == content.member(expression)
    var points = isSame ? old?.member(name)?.items ?? [] : []
    let number = content.member(name) ?? .null
    if let last = points.last?.items, last.count == 2 {
      if last[1] != number {
        // Of one instant, the last number counts.
        if last[0].double == now { points.removeLast() }
        points.append(.array([.number(now), number]))
      }
    } else if !number.isNull {
      points = [.array([.number(now), number])]
    }
    var content = content
    if points.isEmpty { return content }
    content.setMember(Key(name), .array(Array(points.suffix(limit))))
    return content
  }
}
