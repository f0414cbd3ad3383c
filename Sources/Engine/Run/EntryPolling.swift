import JSON
import Language
import Reactive
import System

/// The polling of a source over a list: each entry is polled by itself, with its own schedule, failures and position.
///
/// Polls of different entries run at once, on a pool of threads; their first ones are spread out, and so those after
/// them are. An entry that leaves the list ends with an empty poll that says so, behind its last one.
final class EntryPolling: Sendable {
  private struct Member: Sendable {
    let entry: Entry
    let polling: Polling
    let health: SourceHealth
    let outlet: EntryOutlet
    var isLeaving = false
  }

  private struct State {
    var list: (any EntryList)?
    var pool: ThreadPool?
    var timer: Subscription?
    /// The positions of entries that the last run had, until the list is known.
    var positions: [Value: Value]
    var hasList = false
    /// Whether the list as it was read last cannot be used.
    var isRefused = false
    /// Entries that are in the list again while their last polls are under way.
    var returning: [Value: Entry] = [:]
    /// Whether no entry is polled any more.
    var isOver = false
    /// Whether that has been said downstream.
    var hasEnded = false
  }

  /// The failures that are reported one by one.
  private struct Failing: Sendable {
    static let mostReported = 3
    var entries: Set<Value> = []
    /// The number of them that was reported last, where they are too many to report each.
    var reported = 0
  }

  /// The longest wait between the first polls of two entries.
  private static let longestGap = Duration.seconds(1)
  /// How soon a list is read again that could not be read.
  private static let retry = Duration.seconds(10)

  private let makeList: @Sendable () throws -> any EntryList
  private let make: @Sendable (SourceContext) throws -> any PollSource
  private let schedule: Schedule
  private let scheduler: any Scheduler
  private let context: SourceContext
  private let health: SourceHealth
  private let downstream: any Observer<Delivery>
  private let failed: @Sendable (any Error) -> Void
  private let members = Locked<[Value: Member]>([:])
  private let failing = Locked(Failing())
  /// Touched on the scheduler alone.
  private let state: LaneLocal<State>
  /// Held while a delivery is handed over: they come from several threads.
  private let handOver = Locked(())

  init(
    _ makeList: @escaping @Sendable () throws -> any EntryList,
    _ make: @escaping @Sendable (SourceContext) throws -> any PollSource, _ schedule: Schedule,
    on scheduler: any Scheduler, _ context: SourceContext, _ health: SourceHealth,
    to downstream: any Observer<Delivery>, failed: @escaping @Sendable (any Error) -> Void
  ) {
    self.makeList = makeList
    self.make = make
    self.schedule = schedule
    self.scheduler = scheduler
    self.context = context
    self.health = health
    self.downstream = downstream
    self.failed = failed
    state = LaneLocal(State(positions: context.entryPositions))
  }

  func start() {
    scheduler.perform { [self] in
      do {
        state.value.list = try makeList()
      } catch {
        context.meter.countError()
        failed(error)
        return end()
      }
      state.value.list?.watch { [weak self, scheduler] in scheduler.perform { [weak self] in self?.refresh() }
      }
      refresh()
    }
  }

  /// Ends the polls; those that are under way are let come to their ends.
  func stop() {
    scheduler.perform { [self] in
      state.value.isOver = true
      state.value.timer?.dispose()
      let polls = members.withLock { $0.values.map(\.polling) }
      for polling in polls { polling.stop() }
      endIfIdle()
    }
  }

  /// Polls every entry now, besides the schedule.
  func pollNow() {
    let polls = members.withLock { $0.values.map(\.polling) }
    for polling in polls { polling.pollNow() }
  }

  // MARK: - The list

  private func refresh() {
    if state.value.isOver { return }
    state.value.timer?.dispose()
    guard let list = state.value.list else { return end() }
    var retry: Duration?
    do {
      if let entries = try list.read() {
        state.value.isRefused = true
        try take(entries, list)
        state.value.isRefused = false
      }
      if !state.value.isRefused, health.status.failure != nil {
        health.note(nil, at: context.world.wallClock())
      }
    } catch {
      context.meter.countError()
      if endsAfterPoll {
        failed(error)
        return end()
      }
      // The entries that are known are polled on.
      retry = list.rereading ?? Self.retry
      health.note(error, at: scheduler.now, timeOfDay: context.world.wallClock(), next: retry)
    }
    if let wait = retry ?? list.rereading, !endsAfterPoll {
      state.value.timer = scheduler.schedule(after: wait) { [self] in refresh() }
    }
    if state.value.hasList, endsAfterPoll { endIfIdle() }
  }

  /// Whether each entry is polled once.
  private var endsAfterPoll: Bool {
    if case .once = schedule.rhythm { true } else { context.isOnce }
  }

  private func take(_ entries: [Entry], _ list: any EntryList) throws {
    var ids: Set<Value> = []
    for entry in entries where !ids.insert(entry.id).inserted { throw RepeatedEntry(entry: entry) }
    let known = members.withLock { $0 }
    let new = entries.filter { known[$0.id].map(\.isLeaving) ?? true }
    for entry in entries { known[entry.id]?.entry.update(entry.value) }
    let gone = known.values.filter { !ids.contains($0.entry.id) && !$0.isLeaving }
    for member in gone {
      members.withLock { $0[member.entry.id]?.isLeaving = true }
      member.polling.stop()
    }
    var former: [Entry] = []
    for (id, position) in state.value.positions where !ids.contains(id) {
      let entry = Entry(id: id, position.member(Poll.each) ?? id)
      former.append(entry)
      sendGone(entry, number: number(in: position) + 1, list.whenGone)
    }
    report(new, gone.map(\.entry) + former, of: entries.count)
    state.value.returning = [:]
    let gap = gap(among: new.count)
    // Where runs are cut short again and again, all entries get their turn.
    let polls = new.map { number(in: state.value.positions[$0.id]) }
    let order = new.indices.sorted { (polls[$0], $0) < (polls[$1], $1) }
    for (index, entry) in order.map({ new[$0] }).enumerated() {
      if known[entry.id] == nil {
        add(entry, after: gap * Double(index), position: state.value.positions[entry.id], list)
      } else {
        state.value.returning[entry.id] = entry
      }
    }
    state.value.positions = [:]
    state.value.hasList = true
  }

  private func number(in position: Value?) -> Int {
    position?.member("poll")?.double.flatMap { Int(exactly: $0) } ?? 0
  }

  /// The time between the first polls of two entries, so that no service is asked for all of them at once.
  private func gap(among count: Int) -> Duration {
    if endsAfterPoll || count < 2 { return .zero }
    guard case .every(let period) = schedule.rhythm else { return Self.longestGap }
    let even = period / count
    // What was polled just now by the pipeline before this one is spread over the whole period.
    return context.nextPoll == nil ? min(even, Self.longestGap) : even
  }

  private func report(_ new: [Entry], _ gone: [Entry], of count: Int) {
    func names(_ entries: [Entry]) -> String {
      entries.prefix(3).map(\.text).joined(separator: ", ") + (entries.count > 3 ? ", …" : "")
    }
    if state.value.hasList {
      if !new.isEmpty { context.log.notice("\(entryCount(new.count)) new in the list: \(names(new))") }
    } else {
      context.log.notice("polling \(entryCount(count))")
    }
    if !gone.isEmpty { context.log.notice("\(entryCount(gone.count)) no longer in the list: \(names(gone))") }
  }

  // MARK: - Entries

  private func add(
    _ entry: Entry, after delay: Duration, position: Value?, _ list: any EntryList
  ) {
    let log = context.log.of(entry)
    let status = SourceStatus(name: context.name, kind: "", isPolled: true)
    let health = SourceHealth(
      status, log, announcesNext: false,
      failed: { [weak self] in self?.noteFailure(of: entry) ?? true },
      recovered: { [weak self] in self?.noteRecovery(of: entry) })
    var context = context
    context.entry = entry
    context.position = position
    context.log = log
    context.identity = context.identity.map { "\($0)[\(entry.text)]" }
    context.progress = { _ in }
    context.noteFlaw = { [weak self] in self?.noteFailure(of: entry) ?? true }
    let outlet = EntryOutlet(self, entry, number: number(in: context.position))
    let polling = Polling(
      { [make, context] in try make(context) }, schedule, on: entryScheduler(list), context, health,
      to: outlet,
      failed: { [failed] error in failed(EntryError(entry: entry, error: error)) })
    members.withLock { $0[entry.id] = Member(entry: entry, polling: polling, health: health, outlet: outlet) }
    polling.start(after: delay)
  }

  /// The scheduler of an entry's polls: one of the pool, or the run's own, where that is in virtual time.
  private func entryScheduler(_ list: any EntryList) -> any Scheduler {
    guard scheduler is SerialScheduler else { return scheduler }
    let pool =
      state.value.pool
      ?? ThreadPool(
        threads: list.concurrency, name: "flow-\(context.name)", speed: context.world.speed)
    state.value.pool = pool
    return pool.makeScheduler()
  }

  /// Hands a delivery over; blocks while the mailbox is full.
  fileprivate func send(_ delivery: Delivery) {
    // Not more than the mailbox's own code runs within the lock, and that never comes back here.
    handOver.withLock { _ in downstream.next(delivery) }
  }

  /// The end of an entry's polls, behind the last of them.
  fileprivate func noteEnd(of entry: Entry) {
    scheduler.perform { [self] in
      if let member = members.withLock({ $0[entry.id] }), member.isLeaving {
        members.withLock { $0[entry.id] = nil }
        failing.withLock { _ = $0.entries.remove(entry.id) }
        if let list = state.value.list, !state.value.isOver {
          let number = member.outlet.lastNumber + 1
          sendGone(entry, number: number, list.whenGone)
          if let again = state.value.returning.removeValue(forKey: entry.id) {
            add(again, after: .zero, position: .record([("poll", .number(number))]), list)
          }
        }
      }
      endIfIdle()
    }
  }

  /// Sends the last poll of an entry: what happens to its rows, and that it has no position any more.
  private func sendGone(_ entry: Entry, number: Int, _ gone: GoneRows) {
    var notes = entry.notes
    notes.setMember(Key(Poll.gone), .string(gone.rawValue))
    let poll = Poll(source: context.name, number: number, at: context.world.wallClock(), notes: notes)
    send(Delivery([], poll, endsPoll: true, position: .null))
  }

  private func endIfIdle() {
    guard state.value.isOver || endsAfterPoll && state.value.hasList,
      members.withLock({ $0.values.allSatisfy(\.health.status.hasEnded) })
    else { return }
    end()
  }

  private func end() {
    if state.value.hasEnded { return }
    (state.value.isOver, state.value.hasEnded) = (true, true)
    state.value.timer?.dispose()
    state.value.list = nil
    state.value.pool = nil
    health.noteEnd()
    downstream.complete()
  }

  // MARK: - Failures

  /// Notes that an entry fails; returns whether it is to be reported by itself.
  private func noteFailure(of entry: Entry) -> Bool {
    let (count, isNews) = failing.withLock { failing in
      guard failing.entries.insert(entry.id).inserted else { return (failing.entries.count, false) }
      let count = failing.entries.count
      // At growing distances.
      let isNews = count > Failing.mostReported && count >= 2 * failing.reported
      if isNews { failing.reported = count }
      return (count, isNews)
    }
    if count <= Failing.mostReported { return true }
    if isNews {
      let total = entryCount(members.withLock { $0.count })
      context.log.error("\(count) of \(total) fail or use an old response; flow status lists them")
    }
    return false
  }

  private func noteRecovery(of entry: Entry) {
    let isOver = failing.withLock { failing in
      failing.entries.remove(entry.id)
      guard failing.entries.isEmpty, failing.reported > 0 else { return false }
      failing.reported = 0
      return true
    }
    if isOver { context.log.recovery("all entries are up to date again") }
  }

  /// The status of all entries together.
  func status(_ whole: SourceStatus) -> SourceStatus {
    var status = whole
    let all = members.withLock { members in members.values.map { ($0.entry, $0.health.status) } }
    (status.polls, status.failedPolls) = (0, 0)
    let now = context.world.wallClock()
    var entries = SourceStatus.Entries(total: all.count)
    for (entry, one) in all {
      status.polls += one.polls
      status.failedPolls += one.failedPolls
      // One that is under way was due before.
      if let next = one.nextPoll, next >= now { status.nextPoll = min(status.nextPoll ?? next, next) }
      if let poll = one.lastPoll { status.lastPoll = poll.joined(with: status.lastPoll) }
      if let failure = one.failure {
        entries.failing.append(.init(id: entry.text, since: failure.since, reason: failure.reason))
      } else if one.lastPoll == nil {
        entries.waiting += 1
      } else if one.lastPoll?.isStale == true {
        entries.stale += 1
      }
    }
    entries.failing.sort { ($0.since, $0.id) < ($1.since, $1.id) }
    if status.failure == nil, let first = entries.failing.first {
      status.failure = SourceStatus.Failure(
        since: first.since, polls: all.reduce(0) { $0 + ($1.1.failure?.polls ?? 0) }, reason: entries.summary)
    }
    status.entries = entries
    return status
  }
}

/// “1 entry”, “3 entries”.
func entryCount(_ count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }

extension NodeLog {
  /// The log of an entry of a source.
  fileprivate func of(_ entry: Entry) -> NodeLog {
    NodeLog(log: log, pipeline: pipeline, node: "\(node)[\(entry.text)]")
  }
}

extension SourceStatus.Poll {
  /// The last polls of two entries together.
  fileprivate func joined(with other: SourceStatus.Poll?) -> SourceStatus.Poll {
    guard let other else { return self }
    return SourceStatus.Poll(
      at: max(at, other.at), rows: rows + other.rows,
      coverage: coverage == other.coverage ? coverage : "partial", isStale: isStale || other.isStale)
  }
}

/// The way of an entry's deliveries into the source.
private final class EntryOutlet: Observer {
  private let polling: EntryPolling
  private let entry: Entry
  private let number: Locked<Int>

  init(_ polling: EntryPolling, _ entry: Entry, number: Int) {
    self.polling = polling
    self.entry = entry
    self.number = Locked(number)
  }

  /// The number of the last poll.
  var lastNumber: Int { number.withLock { $0 } }

  func next(_ delivery: Delivery) {
    number.withLock { $0 = delivery.poll.number }
    polling.send(delivery)
  }

  func fail(_ error: any Error) {}

  func complete() { polling.noteEnd(of: entry) }
}

/// Two entries of a list with one id.
private struct RepeatedEntry: Error, CustomStringConvertible {
  let entry: Entry

  var description: String {
    "two entries of the list are called “\(entry.text)”; set key to what distinguishes them, as in each: { …, key: .id }"
  }
}

/// The failure of the only poll of an entry.
private struct EntryError: Error, CustomStringConvertible {
  let entry: Entry
  let error: any Error
  var description: String { "\(entry.text): \(error)" }
}
