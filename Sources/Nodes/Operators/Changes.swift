import JSON
import Engine
import Language
import System

/// `changes`: compares each poll with the one before, and reports what was added, changed and removed.
package let changes = NodeSpec(
  "changes", "compare each poll with the last one by key, and report what was added, changed or removed",
  reference: .init(PackageResources.changes_md),
  options: ChangesOptions.all,
  shorthand: "key",
  state:
    "the last value of each key, at most `bound` of them, and of as many out of sight; an event with one key more is an error",
  comparesPolls: true, hasDurableState: true,
  partitioning: .byKey(
    ChangesOptions.key, sends: ".key", countsPolls: { $0[ChangesOptions.suddenLoss] != nil }),
  .step { options, context in Changes(options, context) }
)
.sending(
  ["type", "key", "at", "before", "after", "diff"], types: ChangesOptions.Change.allCases.map(\.rawValue),
  row: { $0[ChangesOptions.form] == .patch ? nil : "after" }
)

private final class Changes: Step {
  private let key: Evaluation
  private let keyText: String
  private let context: StepContext
  private let relevance: Relevance
  private let tolerances: Tolerances
  private let differences = DifferenceWriter()
  private let arraysBy: Key?
  private let emitsFirst: Bool
  private let isPatch: Bool
  private let confirmation: PollsOrTime
  private let lossGuard: LossGuard?
  private let duplicates: ChangesOptions.Duplicates
  private let lifetime: Double
  private let bound: Int
  private let emits: (added: Bool, changed: Bool, removed: Bool)
  private var sources: [String: Source] = [:]
  private var latest: Source?
  /// The time of a poll as its changes have it.
  private var time: (poll: Poll, text: Value)?

  /// The state of a source.
  private final class Source {
    let snapshot: Snapshot
    /// Nil until it has a poll.
    var polls: SourcePolls?
    var hasReportedUnknown = false
    var hasReportedOtherKeys = false
    /// The name of what the tasks of a partition have counted at the end of its last poll.
    var tally: String?
    /// Whether a row that had waited could not be compared at the end of the present poll.
    var hasFailed = false
    /// The rows of the present poll for which there was no room, with what was known of those that return: the missing
    /// ones may leave some.
    var unplaced: [(row: PolledRow, before: AbsentRow?)] = []
    /// The keys that several rows of the last poll had, which have been reported.
    var repeatedKeys: Set<Value> = []

    init(_ snapshot: Snapshot) { self.snapshot = snapshot }
  }

  init(_ options: Options, _ context: StepContext) {
    key = context.evaluation(options[ChangesOptions.key])
    keyText = options[ChangesOptions.key].text
    self.context = context
    relevance = ChangesOptions.relevance(options, context.evaluation)
    tolerances = ChangesOptions.tolerances(options, context.evaluation)
    arraysBy = options[ChangesOptions.arraysBy].map { Key($0) }
    emitsFirst = options[ChangesOptions.first] == .emit
    isPatch = options[ChangesOptions.form] == .patch
    confirmation = options[ChangesOptions.removedAfter]
    lossGuard = options[ChangesOptions.suddenLoss]
    duplicates = options[ChangesOptions.duplicates]
    lifetime = options[ChangesOptions.remember] / .seconds(1)
    bound = options[ChangesOptions.bound]
    let types = options[ChangesOptions.types]
    emits = (types.contains(.added), types.contains(.changed), types.contains(.removed))
  }

  func take(_ event: Event, _ out: Downstream) throws {
    guard let own = try key.first(event), own.kind != .null else {
      throw NoKey(key: keyText, row: event.value)
    }
    let key = event.keyed(own)
    let source = try source(of: event.poll)
    if event.poll.number > 0 { return try takePolled(event, key, source, out) }
    try compare(key, event, with: source, isReported: true, isNews: true, out)
  }

  func endPoll(_ poll: Poll, _ out: Downstream) throws {
    let source = try source(of: poll)
    let polls = try polls(of: source)
    endAbandonedPoll(before: poll, source, polls, out)
    if polls.open.id == nil { polls.open.begin(OpenPoll.ID(poll)) }
    defer {
      polls.noteEnd(of: poll)
      source.hasFailed = false
      source.snapshot.endRound()
      polls.open.end()
      out.send(endOf: poll)
    }
    if let gone = poll.gone { return leave(poll, gone, source, polls, out) }
    let isComplete = isComplete(poll)
    let isFirst = isFirst(poll, source, polls)
    guard accept(poll, source, polls, out) else { return }
    out.continueFrom(nil)
    // A row that fails here is missing; what fails in other tasks is none of its rows.
    if isComplete, !source.hasFailed { removeMissing(poll, source, polls, out) }
    compareUnplaced(source, polls, out)
    let isWhole = isComplete && !source.hasFailed
    if poll.coverage != .partial || polls.baseline == nil {
      // Rows that failed in the first poll are not new in the next one.
      polls.baseline = SourcePolls.Baseline(coverage: isFirst && !isWhole ? .partial : poll.coverage)
    } else {
      // It has enough of the known rows: the poll that was held back was wrong.
      polls.baseline?.held = nil
    }
  }

  /// The end of a list whose entry is gone: its rows too are gone for good, whatever a removal needs otherwise.
  private func leave(
    _ poll: Poll, _ gone: GoneRows, _ source: Source, _ polls: SourcePolls, _ out: Downstream
  ) {
    out.continueFrom(nil)
    let rows = source.snapshot.takeUnseen() + polls.takeAbsent()
    if gone == .remove, polls.baseline != nil, emits.removed {
      for (key, before) in rows.sorted(by: { Value.order($0.key, $1.key) < 0 }) {
        out.send(change("removed", key, poll, before, nil))
      }
    }
    polls.baseline = nil
    (sources[poll.list], latest) = (nil, nil)
  }

  /// Whether no poll before this one had a row that could be compared.
  ///
  /// A row that always fails would keep additions from ever being reported, so the second poll is a baseline without it.
  private func isFirst(_ poll: Poll, _ source: Source, _ polls: SourcePolls) -> Bool {
    guard let baseline = polls.baseline else { return true }
    let known = context.group?.sum(of: tally(of: poll))?[0] ?? source.snapshot.count
    return baseline.coverage == .partial && known == 0
  }

  /// The guard against a loss counts the rows of all tasks.
  func prepareEnd(of poll: Poll) throws {
    guard let group = context.group else { return }
    let source = try source(of: poll)
    let polls = try polls(of: source)
    let name = tally(of: poll)
    if let last = source.tally, last != name { group.clear(last) }
    source.tally = name
    let known = polls.open.id == OpenPoll.ID(poll) ? polls.open.knownCount : 0
    group.add([source.snapshot.count, known, poll.isComplete ? 0 : 1], to: name)
  }

  private func tally(of poll: Poll) -> String { "\(poll.list) \(poll.number) \(poll.at)" }

  /// Whether the poll was complete when it ended above: what fails in another task meanwhile does not matter here.
  private func isComplete(_ poll: Poll) -> Bool {
    guard let sum = context.group?.sum(of: tally(of: poll)) else { return poll.isComplete }
    return poll.coverage != .partial && sum[2] == 0
  }

  func finish(_ ending: Ending, _ out: Downstream) {
    // Where nothing is stored, or nothing more comes, the rows of a poll without an end wait for nothing.
    if case .keep = ending, context.hasDurableState { return }
    for source in sources.values.sorted(by: { $0.snapshot.source < $1.snapshot.source }) {
      guard let polls = source.polls else { continue }
      sendWaiting(source, polls, knownOnly: false, out)
      compareUnplaced(source, polls, out)
    }
  }

  // MARK: - Rows

  private func takePolled(_ event: Event, _ key: Value, _ source: Source, _ out: Downstream) throws {
    let polls = try polls(of: source)
    let row = polls.row(key, event)
    if polls.hasEnded(event.poll) { return try compare(row, with: source, polls, isOfPoll: true, out) }
    endAbandonedPoll(before: event.poll, source, polls, out)
    if polls.open.id == nil { polls.open.begin(OpenPoll.ID(event.poll)) }
    polls.open.take(row, isKnown: source.snapshot.mark(key), turn: context.lane.turnNumber)
  }

  private func compare(
    _ row: PolledRow, with source: Source, _ polls: SourcePolls, isOfPoll: Bool, _ out: Downstream
  ) throws {
    let isReported = emitsFirst || polls.baseline != nil
    try compare(
      row.key, row.event, with: source, isReported: isReported, isNews: emitsFirst || row.isNews,
      isOfPoll: isOfPoll, out)
    polls.setPlace(of: row)
  }

  /// Compares a row with the one before.
  ///
  /// - Parameters:
  ///   - isReported: Whether there is a baseline to compare with.
  ///   - isNews: Whether a row that is not known is an addition.
  private func compare(
    _ key: Value, _ event: Event, with source: Source, isReported: Bool, isNews: Bool, isOfPoll: Bool = false,
    _ out: Downstream
  ) throws {
    let keeps = !tolerances.isEmpty
    switch source.snapshot.note(key, event.value, bound: bound, isOfPoll: isOfPoll, keeps: keeps) {
    case .same: break
    case .full: throw NoRoom(bound: bound)
    case .new:
      if let absent = source.polls?.absent.bringBack(key) {
        try compare(absent.value, hasBefore: false, key, event, source, isReported: isReported, out)
      } else if isReported, emits.added {
        if isNews {
          out.send(change("added", key, event.poll, nil, event.value))
        } else {
          reportUnknown(source)
        }
      }
    case .other(let before):
      try compare(before, hasBefore: keeps, key, event, source, isReported: isReported, out)
    }
  }

  /// Compares a row with its value before; `hasBefore` where the snapshot still has that one.
  private func compare(
    _ before: Value, hasBefore: Bool, _ key: Value, _ event: Event, _ source: Source, isReported: Bool,
    _ out: Downstream
  ) throws {
    var diff: Value?
    var isTolerated = false
    if isReported, emits.changed {
      if relevance.hasNoTextFilter, tolerances.isEmpty {
        diff = differences.value(
          from: before, to: event.value, key: arraysBy, in: try relevance.scope(before, event))
      } else {
        let found = try relevance.differences(from: before, to: event, by: arraysBy)
        isTolerated = try tolerances.cover(found, from: before, to: event)
        if !found.isEmpty { diff = .array(found.map(\.value)) }
      }
    }
    // A tolerated difference counts from the value that was emitted, so that small steps add up.
    if isTolerated != hasBefore { source.snapshot.set(key, isTolerated ? before : event.value) }
    if !isTolerated, let diff { out.send(change("changed", key, event.poll, before, event.value, diff)) }
  }

  /// Reports once in a run that additions cannot be known, as the options of the source decide it.
  private func reportUnknown(_ source: Source) {
    guard !source.hasReportedUnknown, case .truncated(let horizon?) = source.polls?.baseline?.coverage,
      horizon.moves
    else { return }
    source.hasReportedUnknown = true
    let message =
      "rows that enter the list of \(source.snapshot.source) are not reported as added: it is truncated, and they may "
      + "have been beyond its end before; to have additions reported, raise the source's limit"
    if context.group?.isFirst(message) ?? true { context.log.notice(message) }
  }

  /// Reports once in a run that no row is known because its key is of another kind than before.
  private func reportOtherKeys(_ source: Source, _ polls: SourcePolls) {
    guard !source.hasReportedOtherKeys, polls.baseline != nil, polls.open.knownCount == 0,
      let key = polls.open.rows.first?.key, let before = source.snapshot.sampleKey, key.kind != before.kind
    else { return }
    source.hasReportedOtherKeys = true
    let message =
      "the keys of \(source.snapshot.source) are \(key.kind)s now and were \(before.kind)s (\(excerpt(of: key)), "
      + "\(excerpt(of: before))), so that no row is known: all are added, and those before removed; "
      + "a key such as \(keyText) | tostring would stay the same"
    if context.group?.isFirst(message) ?? true { context.log.warning(message) }
  }

  // MARK: - Polls

  /// Returns false for a poll that is held back; of any other, the rows are compared.
  private func accept(_ poll: Poll, _ source: Source, _ polls: SourcePolls, _ out: Downstream) -> Bool {
    reportOtherKeys(source, polls)
    var decision = LossGuard.Decision.accept
    var count = source.snapshot.count
    var missing = count - polls.open.knownCount
    if let lossGuard, polls.baseline != nil {
      if let sum = context.group?.sum(of: tally(of: poll)) { (count, missing) = (sum[0], sum[0] - sum[1]) }
      decision = lossGuard.decide(
        missing: missing, of: count, isWhole: isComplete(poll) && !poll.isStale,
        isConfirming: polls.baseline?.held != nil)
    }
    switch decision {
    case .accept: sendWaiting(source, polls, knownOnly: false, out)
    case .acceptKnown:
      sendWaiting(source, polls, knownOnly: true, out)
      return false
    case .hold:
      let message =
        "poll \(poll.number) of \(poll.list) lacks \(missing) of \(count) rows: it is held back, and the next poll decides"
      if context.group?.isFirst(message) ?? true { context.log.warning(message) }
      polls.baseline?.held = poll.number
      return false
    }
    return true
  }

  /// A poll whose end has not come, because a run was killed and a step before this one has stored nothing.
  private func endAbandonedPoll(before poll: Poll, _ source: Source, _ polls: SourcePolls, _ out: Downstream)
  {
    guard let open = polls.open.id, open != OpenPoll.ID(poll) else { return }
    sendWaiting(source, polls, knownOnly: true, out)
    source.snapshot.endRound()
    polls.open.end()
  }

  /// Compares the rows, which have waited for the end of their poll.
  private func sendWaiting(_ source: Source, _ polls: SourcePolls, knownOnly: Bool, _ out: Downstream) {
    for row in distinctRows(source, polls, out) {
      if knownOnly, !source.snapshot.contains(row.key), !polls.absent.contains(row.key) { continue }
      do {
        out.continueFrom(row.event)
        try compare(row, with: source, polls, isOfPoll: false, out)
      } catch is NoRoom where !knownOnly {
        // It is not absent, whatever becomes of it.
        source.unplaced.append((row, polls.absent.bringBack(row.key)))
      } catch {
        source.hasFailed = true
        out.report(error, row.event)
      }
    }
  }

  /// Compares the rows for which there was no room, now that those that are missing have left.
  private func compareUnplaced(_ source: Source, _ polls: SourcePolls, _ out: Downstream) {
    for (row, before) in source.unplaced {
      if let before { polls.absent.hide(row.key, before.value, nil, at: row.event.poll.at) }
      do {
        out.continueFrom(row.event)
        try compare(row, with: source, polls, isOfPoll: false, out)
      } catch {
        source.hasFailed = true
        out.report(error, row.event)
      }
    }
    source.unplaced = []
  }

  /// The rows of a poll, one for each key.
  private func distinctRows(_ source: Source, _ polls: SourcePolls, _ out: Downstream) -> [PolledRow] {
    let rows = polls.open.rows
    // Each of them is another row that is known.
    if polls.open.knownCount == rows.count {
      source.repeatedKeys = []
      return rows
    }
    var byKey: [Value: [Int]] = [:]
    for (index, row) in rows.enumerated() { byKey[row.key, default: []].append(index) }
    var left: Set<Int> = []
    var repeated: Set<Value> = []
    for (key, places) in byKey where places.count > 1 {
      let first = places[0]
      switch duplicates {
      case .first: left.formUnion(places.dropFirst())
      case .last: left.formUnion(places.dropLast())
      case .error where places.allSatisfy({ rows[$0].event.value == rows[first].event.value }):
        left.formUnion(places.dropFirst())
      case .error:
        // Where no addition would be reported, one of them is remembered, so that the key is not new later.
        let isNews = emitsFirst || polls.baseline != nil && rows[first].isNews
        let isKnown = source.snapshot.contains(key) || polls.absent.contains(key)
        left.formUnion(isNews || isKnown ? places[...] : places.dropFirst())
        repeated.insert(key)
      }
    }
    for row in rows where repeated.contains(row.key) {
      guard let places = byKey.removeValue(forKey: row.key) else { continue }
      // Reported once; a key that stays so is counted.
      if source.repeatedKeys.contains(row.key) {
        context.meter.countError()
      } else {
        out.continueFrom(row.event)
        out.report(RepeatedKey(key: row.key, rows: places.map { rows[$0] }), row.event)
      }
    }
    source.repeatedKeys = repeated
    return left.isEmpty ? rows : rows.enumerated().filter { !left.contains($0.offset) }.map(\.element)
  }

  private func removeMissing(_ poll: Poll, _ source: Source, _ polls: SourcePolls, _ out: Downstream) {
    let isReported = emitsFirst || polls.baseline != nil
    for (key, before) in polls.lose(source.snapshot.takeUnseen(), poll) where isReported && emits.removed {
      out.send(change("removed", key, poll, before, nil))
    }
  }

  // MARK: - Sources

  /// The state of the poll's source (cached: polls come in runs).
  private func source(of poll: Poll) throws -> Source {
    if let latest, latest.snapshot.source == poll.list { return latest }
    let source = try sources[poll.list] ?? open(poll.list)
    sources[poll.list] = source
    latest = source
    return source
  }

  private func open(_ name: String) throws -> Source {
    let table = try context.bytes(by: keyText, part: name, whenKeyChanges: .forget)
    return Source(
      Snapshot(source: name, table, isOld: try context.lacksForm("canonical keys", part: name)))
  }

  private func polls(of source: Source) throws -> SourcePolls {
    if let polls = source.polls { return polls }
    let polls = try SourcePolls(
      source.snapshot.source, by: keyText, confirmation, lifetime: lifetime, bound: bound, context)
    source.polls = polls
    for part in polls.open.left {
      polls.open.begin(part.id)
      for row in part.all where context.owns(row.key) {
        let isKnown = source.snapshot.mark(row.key)
        if !part.isCompared { polls.open.continueWith(row, isKnown: isKnown) }
      }
    }
    return polls
  }

  // MARK: - Changes

  private func time(of poll: Poll) -> Value {
    if let time, time.poll === poll { return time.text }
    let text = Value.string(timestamp(poll.at))
    time = (poll, text)
    return text
  }

  private static let shape = Shape(["type", "key", "at", "before", "after", "diff"], isShared: true)
  private static let patchShape = Shape(["type", "key", "at", "patch"], isShared: true)

  private func change(
    _ type: String, _ key: Value, _ poll: Poll, _ before: Value?, _ after: Value?, _ diff: Value = .array([])
  ) -> Event {
    // One form of a key in all its changes: templates of paths see its text.
    let key = key.canonical
    if isPatch {
      let patch = Value.patch(from: before ?? .null, to: after ?? .null)
      return Event(.object(Self.patchShape, [.string(type), key, time(of: poll), patch]), poll)
    }
    let value = Value.object(
      Self.shape,
      [
        .string(type), key, time(of: poll), before ?? .null, after ?? .null,
        diff,
      ])
    return Event(value, poll)
  }
}
