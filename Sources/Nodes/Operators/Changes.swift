import JSON
import Engine
import Language

/// `changes`: compares each poll with the one before, and tells what was added, changed and removed.
let changes = NodeSpec(
  "changes", "compare each poll with the last one by key, and tell what was added, changed or removed",
  details: """
    Each change is {type, key, at, before, after, diff}: type is added, changed or removed, at is the time of the \
    poll, and diff has an entry {path, before, after} for each changed leaf, path being a JSON Pointer.

    The first poll of a source is a baseline: nothing is told of it, unless first: emit. What is gone from a whole, \
    successful poll was removed; a poll that fails says nothing, and one of which a step failed on a row removes \
    nothing. A row whose key is null, or has none, is an error. A source without polls (a file, standard input) is \
    compared event by event: there is no baseline, and nothing is ever removed.
    """,
  options: AnyOption.list(
    ChangesOptions.key, ChangesOptions.watch, ChangesOptions.ignore, ChangesOptions.arraysBy,
    ChangesOptions.first, ChangesOptions.types, ChangesOptions.bound),
  shorthand: "key",
  state: "the last value of each key, at most `bound` of them; an event with one key more is an error",
  isKept: true,
  examples: [
    .init(
      "a slip", "changes: { key: .id }",
      input: """
        0s {"id": "a", "net": "May"}
        0s poll
        6h {"id": "a", "net": "June"}
        6h {"id": "b", "net": "July"}
        6h poll
        12h {"id": "b", "net": "July"}
        12h poll
        """,
      output: """
        6h {"type":"changed","key":"a","at":"1970-01-01T06:00:00Z","before":{"id":"a","net":"May"},"after":{"id":"a","net":"June"},"diff":[{"path":"/net","before":"May","after":"June"}]}
        6h {"type":"added","key":"b","at":"1970-01-01T06:00:00Z","before":null,"after":{"id":"b","net":"July"},"diff":[]}
        12h {"type":"removed","key":"a","at":"1970-01-01T12:00:00Z","before":{"id":"a","net":"June"},"after":null,"diff":[]}
        """),
    .init(
      "only some fields", "changes: { key: .id, watch: [.net, .status] }",
      input: """
        0s {"id": "a", "net": 1, "views": 5}
        0s poll
        1h {"id": "a", "net": 1, "views": 6}
        1h poll
        2h {"id": "a", "net": 2, "views": 7}
        2h poll
        """,
      output: """
        2h {"type":"changed","key":"a","at":"1970-01-01T02:00:00Z","before":{"id":"a","net":1,"views":6},"after":{"id":"a","net":2,"views":7},"diff":[{"path":"/net","before":1,"after":2}]}
        """),
    .init(
      "all but some fields, from the first poll on", "changes: { key: .id, ignore: [.views], first: emit }",
      input: """
        0s {"id": "a", "views": 5}
        0s poll
        1h {"id": "a", "views": 6}
        1h poll
        """,
      output: """
        0s {"type":"added","key":"a","at":"1970-01-01T00:00:00Z","before":null,"after":{"id":"a","views":5},"diff":[]}
        """),
    .init(
      "lists whose elements have keys of their own", "changes: { key: .id, arrays_by: url }",
      input: """
        0s {"id": 1, "videos": [{"url": "x", "live": false}]}
        1s {"id": 1, "videos": [{"url": "y"}, {"url": "x", "live": true}]}
        """,
      output: """
        0s {"type":"added","key":1,"at":"1970-01-01T00:00:00Z","before":null,"after":{"id":1,"videos":[{"url":"x","live":false}]},"diff":[]}
        1s {"type":"changed","key":1,"at":"1970-01-01T00:00:01Z","before":{"id":1,"videos":[{"url":"x","live":false}]},"after":{"id":1,"videos":[{"url":"y"},{"url":"x","live":true}]},"diff":[{"path":"/videos/1/live","before":false,"after":true},{"path":"/videos/0","after":{"url":"y"}}]}
        """),
    .init(
      "only what is new", "changes: { key: .id, types: [added] }",
      input: """
        0s {"id": 1, "n": 1}
        1s {"id": 1, "n": 2}
        """,
      output: """
        0s {"type":"added","key":1,"at":"1970-01-01T00:00:00Z","before":null,"after":{"id":1,"n":1},"diff":[]}
        """),
    .init(
      "at its limit", "changes: { key: ., bound: 1 }",
      input: """
        0s 1
        1s 2
        """,
      output: """
        0s {"type":"added","key":1,"at":"1970-01-01T00:00:00Z","before":null,"after":1,"diff":[]}
        """),
  ],
  .step { options, context in Changes(options, context) })

private enum ChangesOptions {
  enum Change: String, CaseIterable, Sendable { case added, changed, removed }
  enum First: String, CaseIterable, Sendable { case baseline, emit }

  static let key = Option.required("key", .expression, "what tells one row from another", example: ".id")
  static let watch = Option.optional(
    "watch", .list(of: .places), "only changes of these are told", example: "[.net, .status]")
  static let ignore = Option.optional(
    "ignore", .list(of: .places), "changes of these are not told", example: "[.last_updated]")
  static let arraysBy = Option.optional(
    "arrays_by", .text, "the member by which objects in lists are compared, instead of their position")
  static let first = Option(
    "first", OptionType<First>.choice(), default: "baseline",
    "what the first poll is: a baseline of which nothing is told, or all added")
  static let types = Option(
    "types", .list(of: OptionType<Change>.choice()), default: "[added, changed, removed]",
    "which changes are told")
  static let bound = Option("bound", .integer(1...), default: "1000000", "how many keys a source may have")
}

private final class Changes: Step {
  private let key: Evaluation
  private let keyText: String
  private let context: StepContext
  private let relevance: Relevance
  private let arraysBy: Key?
  private let emitsFirst: Bool
  private let bound: Int
  private let tells: (added: Bool, changed: Bool, removed: Bool)
  private var snapshots: [String: Snapshot] = [:]
  private var latest: Snapshot?
  /// The time of a poll as its changes have it.
  private var time: (poll: Poll, text: Value)?

  private struct NoKey: Error, CustomStringConvertible {
    let key: String
    var description: String { "the key \(key) of this row is null" }
  }

  private struct TooManyKeys: Error, CustomStringConvertible {
    let bound: Int
    var description: String { "there are more than \(bound) keys; raise bound, or look at key" }
  }

  init(_ options: Options, _ context: StepContext) {
    key = context.evaluation(options[ChangesOptions.key])
    keyText = options[ChangesOptions.key].text
    self.context = context
    relevance = Relevance(
      watch: options[ChangesOptions.watch].map { $0.map { context.evaluation($0) } },
      ignore: options[ChangesOptions.ignore].map { $0.map { context.evaluation($0) } })
    arraysBy = options[ChangesOptions.arraysBy].map { Key($0) }
    emitsFirst = options[ChangesOptions.first] == .emit
    bound = options[ChangesOptions.bound]
    let types = options[ChangesOptions.types]
    tells = (types.contains(.added), types.contains(.changed), types.contains(.removed))
  }

  func take(_ event: Event, _ out: Downstream) throws {
    guard let key = try key.first(event), key.kind != .null else { throw NoKey(key: keyText) }
    let snapshot = try snapshot(of: event.poll)
    let isTold = emitsFirst || event.poll.number == 0 || snapshot.hasBaseline
    switch snapshot.note(key, event.value, bound: bound, isOfPoll: event.poll.number > 0) {
    case .same: break
    case .full: throw TooManyKeys(bound: bound)
    case .new:
      if isTold, tells.added { out.send(change("added", key, event.poll, nil, event.value)) }
    case .other(let before):
      guard isTold, tells.changed else { return }
      let diff = try relevance.differences(from: before, to: event, by: arraysBy)
      if !diff.isEmpty { out.send(change("changed", key, event.poll, before, event.value, diff)) }
    }
  }

  func endPoll(_ poll: Poll, _ out: Downstream) throws {
    let snapshot = try snapshot(of: poll)
    defer {
      snapshot.setBaseline()
      out.send(endOf: poll)
    }
    // A row that a step failed on is not gone.
    if !poll.isComplete { return snapshot.endIncompletePoll() }
    let gone = snapshot.endPoll()
    if tells.removed, emitsFirst || snapshot.hasBaseline {
      for (key, before) in gone { out.send(change("removed", key, poll, before, nil)) }
    }
  }

  /// That of the event's source; mostly the same as the last time.
  private func snapshot(of poll: Poll) throws -> Snapshot {
    if let latest, latest.source == poll.source { return latest }
    let snapshot = try snapshots[poll.source] ?? open(poll.source)
    snapshots[poll.source] = snapshot
    latest = snapshot
    return snapshot
  }

  private func open(_ source: String) throws -> Snapshot {
    guard let rows = try context.bytes(by: keyText, part: source, whenKeyChanges: .forget) else {
      return Snapshot(source: source)
    }
    // Under another key everything is new, and that is no news.
    let baseline = try context.cell(of: Bool.self, part: "\(source)/baseline", by: keyText)
    return Snapshot(source: source, rows, baseline)
  }

  private func time(of poll: Poll) -> Value {
    if let time, time.poll === poll { return time.text }
    let text = Value.string(timestamp(poll.at))
    time = (poll, text)
    return text
  }

  private static let shape = Shape(["type", "key", "at", "before", "after", "diff"], isShared: true)

  private func change(
    _ type: String, _ key: Value, _ poll: Poll, _ before: Value?, _ after: Value?, _ diff: [Difference] = []
  ) -> Event {
    let value = Value.object(
      Self.shape,
      [
        .string(type), key, time(of: poll), before ?? .null, after ?? .null,
        .array(diff.map(\.value)),
      ])
    return Event(value, poll)
  }
}
