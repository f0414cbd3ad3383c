import JSON
import Language

/// The outcome of a poll or of an attempt to connect, as far as it matters for outages.
struct PollOutcome: Sendable, Equatable {
  enum Result: Sendable, Equatable {
    case good
    case failed(FailureKind, reason: String)
    /// The entry is no longer in the list.
    case gone
    /// The list of a source was read: these are its entries. A source without one has none.
    case listed(Set<Value>)

    /// The kind of a failure.
    var kind: FailureKind? { if case .failed(let kind, _) = self { kind } else { nil } }
  }

  var outage: Outages.ID
  var at: Double
  var result: Result
}

/// The outages of a pipeline's sources: what is reported when one begins, changes and is over.
///
/// Each outage of a source, or of an entry of its list, is one `failed`, a `changed` whenever the kind of its reason
/// changes, and one `recovered`. Entries that fail are collected first (`report`): of too many at once only their number
/// is reported, as one outage that is over when all of them are.
///
/// What has been reported is the state (`jsonValue`), so that a pair may lie in two runs.
struct Outages: Sendable {
  struct ID: Hashable, Sendable {
    /// The source, or the step or sink that fails on its rows.
    var source: String
    /// The id of the entry of its list.
    var entry: Value?
  }

  /// An event about an outage.
  struct Transition: Sendable, Equatable {
    enum Kind: String, Sendable { case failed, changed, recovered }

    var type: Kind
    var outage: ID
    var at: Double
    var since: Double
    var kind: FailureKind
    var message: String
    /// How many entries it stands for, where it stands for several.
    var entries: Int?
  }

  struct Open: Sendable {
    var since: Double
    var kind: FailureKind
    /// Not stored.
    var reason = ""
  }

  /// The outage of many entries together.
  struct Group: Sendable {
    var since: Double
    /// The kind of most of its entries, as reported.
    var kind: FailureKind
    var members: [Value: FailureKind] = [:]
    /// The number of entries that was reported last.
    var reported = 0
  }

  /// The number of entries of one source that are reported each by itself.
  static let mostEntries = 20

  private(set) var open: [ID: Open] = [:]
  private(set) var groups: [String: Group] = [:]
  /// Entries that have failed and are not reported yet.
  private var collected: [ID: Open] = [:]

  init() {}

  /// Whether entries have failed that `report` is to report.
  var isCollecting: Bool { !collected.isEmpty }

  /// The number of sources and entries whose failure is reported.
  var count: Int { groups.values.reduce(open.count) { $0 + $1.members.count } }

  /// Notes an outcome; returns what is to be reported.
  mutating func take(_ outcome: PollOutcome) -> [Transition] {
    let id = outcome.outage
    switch outcome.result {
    case .good: return end(id, at: outcome.at, "recovered")
    case .gone: return end(id, at: outcome.at, "no longer in the list")
    case .listed(let entries):
      return (entries.isEmpty ? [] : end(id, at: outcome.at, "recovered"))
        + endEntries(of: id.source, except: entries, at: outcome.at, "no longer in the list")
    case .failed(let kind, let reason): return fail(id, kind, reason, at: outcome.at)
    }
  }

  private mutating func fail(_ id: ID, _ kind: FailureKind, _ reason: String, at time: Double) -> [Transition]
  {
    let outage = Open(since: time, kind: kind, reason: reason)
    if let known = open[id] {
      open[id]?.kind = kind
      return known.kind == kind ? [] : [transition(.changed, id, time, since: known.since, kind, reason)]
    }
    guard let entry = id.entry else {
      open[id] = outage
      return [transition(.failed, id, time, since: time, kind, reason)]
    }
    if groups[id.source]?.members[entry] != nil {
      groups[id.source]?.members[entry] = kind
      return changes(of: id.source, at: time, "\(text(entry)): \(reason)")
    }
    collected[id] = Open(since: collected[id]?.since ?? time, kind: kind, reason: reason)
    return []
  }

  private mutating func end(_ id: ID, at time: Double, _ reason: String) -> [Transition] {
    // An outage that is over before the others have been collected is reported, too.
    let reported = collected[id] == nil ? [] : report(at: time)
    if let known = open.removeValue(forKey: id) {
      return reported + [over(id, time, since: known.since, known.kind, reason)]
    }
    guard let entry = id.entry, groups[id.source]?.members.removeValue(forKey: entry) != nil,
      let group = groups[id.source], group.members.isEmpty
    else { return reported }
    groups[id.source] = nil
    let whole = ID(source: id.source)
    return reported + [over(whole, time, since: group.since, group.kind, reason, entries: group.reported)]
  }

  /// Reports the entries that have failed since the last time.
  mutating func report(at time: Double) -> [Transition] {
    let all = collected.sorted { ($0.value.since, text($0.key.entry)) < ($1.value.since, text($1.key.entry)) }
    collected = [:]
    let sources = Dictionary(grouping: all, by: \.key.source)
    return sources.sorted { $0.key < $1.key }.flatMap { report($0.value, of: $0.key, at: time) }
  }

  private mutating func report(
    _ failed: [(key: ID, value: Open)], of source: String, at time: Double
  ) -> [Transition] {
    guard let first = failed.first, let entry = first.key.entry else { return [] }
    let single = open.keys.count { $0.source == source && $0.entry != nil }
    if groups[source] == nil, single + failed.count <= Self.mostEntries {
      return failed.map { id, outage in
        open[id] = outage
        return transition(.failed, id, outage.since, since: outage.since, outage.kind, outage.reason)
      }
    }
    let isNew = groups[source] == nil
    var group = groups[source] ?? Group(since: first.value.since, kind: first.value.kind)
    for (id, outage) in failed { if let entry = id.entry { group.members[entry] = outage.kind } }
    let reason = "\(text(entry)): \(first.value.reason)"
    if isNew {
      group.kind = group.mainKind
      group.reported = group.members.count
    }
    groups[source] = group
    if !isNew { return changes(of: source, at: time, reason) }
    return [
      transition(
        .failed, ID(source: source), time, since: group.since, group.kind,
        Self.message(group.reported, reason), entries: group.reported)
    ]
  }

  /// Reports that most entries of a group fail for another reason, or that they have become twice as many.
  private mutating func changes(of source: String, at time: Double, _ reason: String) -> [Transition] {
    guard var group = groups[source] else { return [] }
    let (kind, count) = (group.mainKind, group.members.count)
    guard kind != group.kind || count >= 2 * group.reported else { return [] }
    (group.kind, group.reported) = (kind, count)
    groups[source] = group
    return [
      transition(
        .changed, ID(source: source), time, since: group.since, kind, Self.message(count, reason),
        entries: count)
    ]
  }

  /// Ends the outages of nodes that the pipeline has no longer, and of entries where a source has no list.
  mutating func keep(_ nodes: Set<String>, at time: Double) -> [Transition] {
    let gone = open.keys.filter { !nodes.contains($0.source) }
    return gone.sorted { ($0.source, text($0.entry)) < ($1.source, text($1.entry)) }
      .flatMap { end($0, at: time, "no longer in the pipeline") }
      + groups.keys.filter { !nodes.contains($0) }.sorted()
      .flatMap { endEntries(of: $0, except: [], at: time, "no longer in the pipeline") }
  }

  private mutating func endEntries(
    of source: String, except kept: Set<Value>, at time: Double, _ reason: String
  ) -> [Transition] {
    let known =
      open.keys.filter { $0.source == source }.compactMap(\.entry)
      + (groups[source]?.members.keys.map(\.self) ?? [])
    return known.filter { !kept.contains($0) }.sorted { text($0) < text($1) }
      .flatMap { end(ID(source: source, entry: $0), at: time, reason) }
  }

  private func over(
    _ id: ID, _ time: Double, since: Double, _ kind: FailureKind, _ reason: String, entries: Int? = nil
  ) -> Transition {
    let what = entries.map { "\(entryCount($0)) " } ?? ""
    let message = "\(what)\(reason), after failing since \(timestamp(since.rounded()))"
    return transition(.recovered, id, time, since: since, kind, message, entries: entries)
  }

  private func transition(
    _ type: Transition.Kind, _ id: ID, _ time: Double, since: Double, _ kind: FailureKind, _ message: String,
    entries: Int? = nil
  ) -> Transition {
    Transition(
      type: type, outage: id, at: time, since: since, kind: kind, message: message, entries: entries)
  }

  private static func message(_ count: Int, _ reason: String) -> String {
    "\(entryCount(count)) fail\(count == 1 ? "s" : ""), as \(reason)"
  }

  private func text(_ entry: Value?) -> String { entry.map { $0.string ?? $0.description } ?? "" }
}

extension Outages.Group {
  /// The kind of most entries; the one that was reported, where others are not more.
  fileprivate var mainKind: FailureKind {
    let counts = members.values.reduce(into: [FailureKind: Int]()) { $0[$1, default: 0] += 1 }
    let most = counts.values.max() ?? 0
    if counts[kind] == most { return kind }
    return counts.filter { $0.value == most }.keys.min { $0.rawValue < $1.rawValue } ?? kind
  }
}

// MARK: - The stored form

extension Outages: JSONConvertible {
  private struct Stored: JSONRecord {
    var source: String
    var entry: Value?
    var since: Double
    var kind: FailureKind

    static let form = RecordForm<Self>(
      Self.init(source:entry:since:kind:), Field("source", \.source), Field("entry", \.entry),
      Field("since", \.since), Field("kind", \.kind))
  }

  private struct StoredGroup: JSONRecord {
    var source: String
    var since: Double
    var kind: FailureKind
    var reported: Int
    /// The entries that fail, by the kind of their reason.
    var entries: [String: [Value]]

    static let form = RecordForm<Self>(
      Self.init(source:since:kind:reported:entries:), Field("source", \.source), Field("since", \.since),
      Field("kind", \.kind), Field("reported", \.reported), Field("entries", \.entries))
  }

  var jsonValue: Value {
    let stored = open.map { id, outage in
      Stored(source: id.source, entry: id.entry, since: outage.since, kind: outage.kind)
    }
    .sorted { ($0.since, $0.source, text($0.entry)) < ($1.since, $1.source, text($1.entry)) }
    let many = groups.sorted { $0.key < $1.key }.map { source, group in
      StoredGroup(
        source: source, since: group.since, kind: group.kind, reported: group.reported,
        entries: group.members.reduce(into: [:]) { $0[$1.value.rawValue, default: []].append($1.key) })
    }
    return .record([("open", stored.jsonValue), ("groups", many.jsonValue)])
  }

  init?(jsonValue: Value) {
    guard let stored = [Stored](member: jsonValue.member("open")),
      let many = [StoredGroup](member: jsonValue.member("groups"))
    else { return nil }
    for one in stored {
      open[ID(source: one.source, entry: one.entry)] = Open(since: one.since, kind: one.kind)
    }
    for one in many {
      var group = Group(since: one.since, kind: one.kind, reported: one.reported)
      for (kind, entries) in one.entries {
        for entry in entries { group.members[entry] = FailureKind(rawValue: kind) ?? .other }
      }
      groups[one.source] = group
    }
  }
}
