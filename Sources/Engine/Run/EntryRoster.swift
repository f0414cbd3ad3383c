import JSON
import Language
import Reactive

/// The entries of a source's list as its status shows them: which are up to date, which fail, what they wait for.
///
/// Of many that fail only the first are reported one by one. Written by their threads, read from any; it outlives the
/// polling.
final class EntryRoster: Sendable {
  private struct Member: Sendable {
    let entry: Entry
    let health: SourceHealth
  }

  private struct State: Sendable {
    var members: [Value: Member] = [:]
    /// The entries that fail or use an old response.
    var flawed: Set<Value> = []
    /// The number of them that was reported last, where they are too many to report each.
    var reported = 0
    /// The time up to which waiting for a budget was reported; many entries wait for the same one.
    var reportedWait = 0.0
  }

  private static let mostReported = 3

  private let name: String
  private let log: NodeLog
  private let wallClock: @Sendable () -> Double
  private let note: @Sendable (PollOutcome) -> Void
  private let state = Locked(State())

  init(_ context: SourceContext, noting note: @escaping @Sendable (PollOutcome) -> Void) {
    (name, log, wallClock) = (context.name, context.log.ofPolls, context.world.wallClock)
    self.note = note
  }

  /// Adds an entry; returns its health.
  func add(_ entry: Entry, _ log: NodeLog) -> SourceHealth {
    let health = SourceHealth(
      SourceStatus(name: name, kind: "", isPolled: true), log, announcesNext: false,
      failed: { [weak self] in self?.noteFlaw(of: entry) ?? true },
      recovered: { [weak self] in self?.noteRecovery(of: entry) },
      outcome: { [name, note] time, result in
        let outage = Outages.ID(source: name, entry: entry.id)
        note(PollOutcome(outage: outage, at: time, result: result))
      })
    state.withLock { $0.members[entry.id] = Member(entry: entry, health: health) }
    return health
  }

  func remove(_ entry: Entry) {
    state.withLock { state in
      state.members[entry.id] = nil
      state.flawed.remove(entry.id)
    }
    let outage = Outages.ID(source: name, entry: entry.id)
    note(PollOutcome(outage: outage, at: wallClock(), result: .gone))
  }

  /// Notes the entries of the list, when it is read first: others may have been in it in the last run.
  func noteList(_ ids: Set<Value>) {
    note(PollOutcome(outage: Outages.ID(source: name), at: wallClock(), result: .listed(ids)))
  }

  var haveAllEnded: Bool {
    let members = state.withLock { Array($0.members.values) }
    return members.allSatisfy(\.health.status.hasEnded)
  }

  /// Notes that something is wrong with an entry; returns whether it is to be reported by itself.
  func noteFlaw(of entry: Entry) -> Bool {
    let (count, total, isNews) = state.withLock { state in
      let isNew = state.flawed.insert(entry.id).inserted
      let count = state.flawed.count
      // At growing distances.
      let isNews = isNew && count > Self.mostReported && count >= 2 * state.reported
      if isNews { state.reported = count }
      return (count, state.members.count, isNews)
    }
    if count <= Self.mostReported { return true }
    if isNews {
      log.error("\(count) of \(entryCount(total)) fail or use an old response; flow status lists them")
    }
    return false
  }

  private func noteRecovery(of entry: Entry) {
    let isOver = state.withLock { state in
      state.flawed.remove(entry.id)
      guard state.flawed.isEmpty, state.reported > 0 else { return false }
      state.reported = 0
      return true
    }
    if isOver { log.notice("all entries are up to date again") }
  }

  /// Reports once that polls are put off, since a budget is spent.
  func notePutOff(_ progress: PollProgress) {
    guard let wait = progress.wait else { return }
    let isNews = state.withLock { state in
      defer { state.reportedWait = max(state.reportedWait, progress.until) }
      return progress.until > state.reportedWait + 1
    }
    if isNews { log.notice(wait) }
  }

  /// The status of all entries together.
  func status(_ whole: SourceStatus) -> SourceStatus {
    var status = whole
    let members = state.withLock { Array($0.members.values) }
    (status.polls, status.failedPolls) = (0, 0)
    let now = wallClock()
    var entries = SourceStatus.Entries(total: members.count)
    var failedPolls = 0
    for (entry, one) in members.map({ ($0.entry, $0.health.status) }) {
      status.polls += one.polls
      status.failedPolls += one.failedPolls
      // One that is under way was due before.
      if let next = one.nextPoll, next >= now { status.nextPoll = min(status.nextPoll ?? next, next) }
      if let asking = one.asking { status.asking = min(status.asking ?? asking, asking) }
      if let good = one.lastGood { status.lastGood = max(status.lastGood ?? good, good) }
      if let wait = one.wait, wait.until < status.wait?.until ?? .infinity { status.wait = wait }
      if var poll = one.lastPoll {
        poll.hint = poll.hint.map { "\(entry.text): \($0)" }
        status.lastPoll = poll.joined(with: status.lastPoll)
      }
      if let failure = one.failure {
        entries.failing.append(.init(id: entry.text, since: failure.since, reason: failure.reason))
        failedPolls += failure.polls
      } else if one.lastPoll == nil {
        entries.waiting += 1
      } else if one.lastPoll?.isStale == true {
        entries.stale += 1
      }
    }
    entries.failing.sort { ($0.since, $0.id) < ($1.since, $1.id) }
    if status.failure == nil, let first = entries.failing.first {
      status.failure = SourceStatus.Failure(
        since: first.since, polls: failedPolls, reason: entries.summary)
    }
    status.entries = entries
    return status
  }
}

/// “1 entry”, “3 entries”.
func entryCount(_ count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }

extension NodeLog {
  /// The log of an entry of a source.
  package func of(_ entry: Entry) -> NodeLog { of(entry: entry.id) }

  func of(entry: Value) -> NodeLog {
    NodeLog(log: log, pipeline: pipeline, node: "\(node)[\(Entry.text(of: entry))]")
  }
}

extension SourceStatus.Poll {
  /// The last polls of two entries together.
  fileprivate func joined(with other: SourceStatus.Poll?) -> SourceStatus.Poll {
    guard let other else { return self }
    var poll = SourceStatus.Poll(
      at: max(at, other.at), rows: rows + other.rows,
      coverage: coverage == other.coverage ? coverage : "partial", isStale: isStale || other.isStale)
    poll.hint = hint ?? other.hint
    return poll
  }
}
