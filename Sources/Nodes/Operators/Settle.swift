import Engine
import JSON
import Language
import Reactive
import System

/// `settle`: sends what has changed since the last change that was sent, when a key has been quiet for a while.
package let settle = NodeSpec(
  "settle", "send what has changed since the last change sent, when a key has been quiet for a while",
  reference: .init(PackageResources.settle_md),
  options: AnyOption.list(
    SettleOptions.quiet, SettleOptions.key, SettleOptions.watch, SettleOptions.ignore, SettleOptions.arraysBy,
    ChangesOptions.text, SettleOptions.maxWait, SettleOptions.bound),
  shorthand: "for",
  state:
    "the combined change of each key that waits, at most `bound` of them; the one quiet for longest is sent early",
  takesOver: AnyOption.list(
    SettleOptions.watch, SettleOptions.ignore, SettleOptions.arraysBy, ChangesOptions.text),
  hasDurableState: true,
  partitioning: .byKey(SettleOptions.key),
  .step { options, context in
    let names = [SettleOptions.watch, SettleOptions.ignore].contains { options.isGiven($0) }
    let settled = SettledRow(
      comparesAll: !names && !options.isGiven(ChangesOptions.text)
        && !options.isGiven(SettleOptions.arraysBy),
      relevance: Relevance(
        watch: options[SettleOptions.watch], ignore: options[SettleOptions.ignore],
        text: options[ChangesOptions.text], evaluation: context.evaluation),
      arraysBy: options[SettleOptions.arraysBy].map { Key($0) })
    let machine = DebounceMachine(
      state: try context.state(
        of: Pending<Event>.self, by: options[SettleOptions.key].text, whenKeyChanges: .keep),
      quiet: options[SettleOptions.quiet], maxWait: options[SettleOptions.maxWait],
      bound: options[SettleOptions.bound],
      by: context.key(options[SettleOptions.key], hasDeadlines: options[SettleOptions.maxWait] != nil)
    ) { waiting, event in
      try Row.check(event.value)
      // A change alone waits as it came.
      guard let waiting else { return event.detached }
      let row = Row(kept: waiting.value).followed(by: Row(change: event.value))
      return event.with(row.kept).detached
    }
    return MachineStep(machine, context, keeps: false, send: settled.send)
  }
)
.passingOn()
.dropping("its changes cancel each other out, or wait for quiet")

private enum SettleOptions {
  static let quiet = Option.required("for", .duration, "how long a key must be quiet", example: "1h")
  static let key = Option("key", .expression, default: ".key", "changes with the same key are combined")
  static let watch = Option.optional(
    "watch", .list(of: .places(ofEvent: false)), "only differences in these are sent",
    example: "[.net, .status]")
  static let ignore = Option.optional(
    "ignore", .list(of: .places(ofEvent: false)), "differences in these are not sent",
    example: "[.last_updated]")
  static let arraysBy = Option.optional(
    "arrays_by", .text, "the member by which objects in lists are compared, instead of their position")
  static let maxWait = Option.optional(
    "max_wait", .duration, "the longest that the first change of a row may wait", example: "6h")
  static let bound = Option("bound", .integer(1...), default: "65536", "how many keys may wait")
}

/// Sends the combined change of a row, unless it has cancelled out.
private struct SettledRow {
  /// Whether the differences are those that the changes have.
  let comparesAll: Bool
  let relevance: Relevance
  let arraysBy: Key?

  func send(_ event: Event, _ out: Downstream) {
    if comparesAll, Row.isNews(event.value) { return out.send(event) }
    let row = Row(kept: event.value)
    do {
      switch (row.before, row.after) {
      case (nil, nil): return
      case (nil, _): out.send(event.with(row.change("added")))
      case (_, nil): out.send(event.with(row.change("removed")))
      case (let before?, let after?):
        let all = try relevance.differences(from: before, to: event.with(after), by: arraysBy)
        let diff = all.filter { row.covers($0.path.description) }
        if !diff.isEmpty { out.send(event.with(row.change("changed", diff))) }
      }
    } catch {
      out.report(error, event.with(row.latest))
    }
  }
}

/// The changes of one key that have come in a row, combined.
private struct Row {
  /// The value before the first change; nil if that was an addition.
  private(set) var before: Value?
  /// The last change.
  private(set) var latest: Value
  /// The paths that the changes named; nil for all, after a removal or an addition in between.
  private var paths: [Value]?

  /// The value after the last change; nil if that was a removal.
  var after: Value? { Self.isType(Self.removed, latest) ? nil : latest.member(Self.after) }

  private static let (type, key, at, diff) = (Key("type"), Key("key"), Key("at"), Key("diff"))
  private static let (before, after) = (Key("before"), Key("after"))
  private static let added = Array("added".utf8)
  private static let changed = Array("changed".utf8)
  private static let removed = Array("removed".utf8)
  private static let (change, paths, path) = (Key("change"), Key("paths"), Key("path"))

  /// Throws for anything that is no change, as `changes` sends it.
  static func check(_ change: Value) throws {
    guard change.kind == .object, let type = change.member(type), change.member(after) != nil,
      type.isText(added) || type.isText(changed) || type.isText(removed)
    else {
      throw Sentence("this is no change with type, key, before and after; settle follows changes")
    }
  }

  /// Whether it is one change with the members that `changes` gives it, and something in it has changed.
  static func isNews(_ change: Value) -> Bool {
    guard let type = change.member(type), change.count == 6, let diff = change.member(diff) else {
      return false
    }
    return (!type.isText(changed) || diff.count ?? 0 > 0) && change.member(at) != nil
      && change.member(key) != nil && change.member(before) != nil
  }

  /// A row of one change.
  init(change: Value) {
    latest = change
    before = Self.isType(Self.added, change) ? nil : change.member(Self.before) ?? .null
    paths =
      Self.isType(Self.changed, change)
      ? (change.member(Self.diff)?.items ?? []).compactMap { $0.member(Self.path) } : nil
  }

  /// The row as `kept` has written it, or a change that came alone.
  init(kept value: Value) {
    self.init(change: value)
    guard let change = value.member(Self.change), value.member(Self.type) == nil else { return }
    before = value.member(Self.before)
    latest = change
    paths = value.member(Self.paths)?.items
  }

  private static let shapes = (
    both: Shape([change, before, paths], isShared: true), before: Shape([change, before], isShared: true),
    paths: Shape([change, paths], isShared: true), change: Shape([change], isShared: true)
  )

  var kept: Value {
    switch (before, paths) {
    case (let before?, let paths?): .object(Self.shapes.both, [latest, before, .array(paths)])
    case (let before?, nil): .object(Self.shapes.before, [latest, before])
    case (nil, let paths?): .object(Self.shapes.paths, [latest, .array(paths)])
    case (nil, nil): .object(Self.shapes.change, [latest])
    }
  }

  func followed(by next: Row) -> Row {
    var row = self
    row.latest = next.latest
    guard let known = paths, let more = next.paths else {
      row.paths = nil
      return row
    }
    row.paths = known + more.filter { !known.contains($0) }
    return row
  }

  /// Whether one of the changes named the path, a part of it, or what it is a part of.
  ///
  /// Any index of an array stands for all, since elements may have moved between the changes.
  func covers(_ path: String) -> Bool {
    guard let paths else { return true }
    let steps = Self.steps(path)
    return paths.contains { named in
      guard let named = named.string.map(Self.steps) else { return false }
      return steps.starts(with: named) || named.starts(with: steps)
    }
  }

  private static func steps(_ path: String) -> [Substring] {
    path.split(separator: "/", omittingEmptySubsequences: false).map { step in
      !step.isEmpty && step.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? "*" : step
    }
  }

  func change(_ type: String, _ diff: [Difference] = []) -> Value {
    .record([
      ("type", .string(type)), ("key", latest.member(Self.key) ?? .null),
      ("at", latest.member(Self.at) ?? .null),
      ("before", before ?? .null), ("after", after ?? .null), ("diff", .array(diff.map(\.value))),
    ])
  }

  private static func isType(_ type: [UInt8], _ change: Value) -> Bool {
    change.member(Self.type)?.isText(type) ?? false
  }
}
