import JSON
import Language
import Reactive
import System

/// The polling of a source over a list: each entry is polled by itself, with its own schedule, failures and position.
///
/// Polls of different entries run at once, `concurrency` of them; their first ones are spread out, and so those after
/// them are. An entry that leaves the list ends with an empty poll that says so, behind its last one.
final class EntryPolling: Sendable {
  private struct Member: Sendable {
    let entry: Entry
    let polling: Polling
    let outlet: EntryOutlet
    var isLeaving = false
  }

  private struct State {
    var list: (any EntryList)?
    /// The entries that are polled, and those that are leaving.
    var members: [Value: Member] = [:]
    /// The gate that lets only some of them poll at once, by the list.
    var gate: PollGate?
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

  /// The longest wait between the first polls of two entries.
  private static let longestGap = Duration.seconds(1)
  /// How soon a list is read again that could not be read.
  private static let retry = Duration.seconds(10)

  private let makeList: @Sendable () throws -> any EntryList
  private let make: @Sendable (SourceContext) throws -> any PollSource
  private let schedule: Schedule
  private let scheduler: any Scheduler
  private let schedulers: RunSchedulers
  private let context: SourceContext
  private let health: SourceHealth
  private let downstream: any Observer<SourceBatch>
  private let failed: @Sendable (any Error) -> Void
  private let roster: EntryRoster
  /// Touched on the scheduler alone.
  private let state: LaneLocal<State>
  /// Held while a batch is handed over: they come from several threads.
  private let handOver = Locked(())

  init(
    _ makeList: @escaping @Sendable () throws -> any EntryList,
    _ make: @escaping @Sendable (SourceContext) throws -> any PollSource, _ schedule: Schedule,
    on scheduler: any Scheduler, for schedulers: RunSchedulers, _ context: SourceContext,
    _ health: SourceHealth, _ roster: EntryRoster,
    to downstream: any Observer<SourceBatch>, failed: @escaping @Sendable (any Error) -> Void
  ) {
    self.makeList = makeList
    self.make = make
    self.schedule = schedule
    self.scheduler = scheduler
    self.schedulers = schedulers
    self.context = context
    self.health = health
    self.roster = roster
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
      for member in state.value.members.values { member.polling.stop() }
      endIfIdle()
    }
  }

  /// Polls every entry now, besides the schedule.
  func pollNow() {
    scheduler.perform { [self] in
      for member in state.value.members.values { member.polling.pollNow() }
    }
  }

  // MARK: - The list

  private func refresh() {
    if state.value.isOver { return }
    state.value.timer?.dispose()
    guard let list = state.value.list else { return end() }
    var retry: Duration?
    do {
      if let entries = try list.read()?.filter({ context.isPolled($0.id) }) {
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
    for entry in entries where !ids.insert(entry.id).inserted { throw repeated(entry) }
    if !state.value.hasList { roster.noteList(ids) }
    let known = state.value.members
    let new = entries.filter { known[$0.id].map(\.isLeaving) ?? true }
    for entry in entries { known[entry.id]?.entry.update(entry.value) }
    let gone = known.values.filter { !ids.contains($0.entry.id) && !$0.isLeaving }
    for member in gone {
      state.value.members[member.entry.id]?.isLeaving = true
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
    Int(member: position?.member("poll")) ?? 0
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
      // Of a run that polls once there is no more to wait for.
      if endsAfterPoll {
        context.log.detail("polling \(entryCount(count))")
      } else {
        context.log.notice("polling \(entryCount(count))")
      }
    }
    if !gone.isEmpty { context.log.notice("\(entryCount(gone.count)) no longer in the list: \(names(gone))") }
  }

  // MARK: - Entries

  private func add(
    _ entry: Entry, after delay: Duration, position: Value?, _ list: any EntryList
  ) {
    var context = context
    context.entry = entry
    context.position = position
    context.log = context.log.of(entry)
    context.identity = context.identity.map { "\($0)[\(entry.text)]" }
    context.progress = { _ in }
    context.notePutOff = { [roster] in roster.notePutOff($0) }
    context.noteFlaw = { [roster] in roster.noteFlaw(of: entry) }
    let outlet = EntryOutlet(self, entry, number: number(in: context.position))
    let polling = Polling(
      { [make, context] in try make(context) }, schedule, on: schedulers.makePoller(), through: gate(list),
      context,
      roster.add(entry, context.log), to: outlet,
      failed: { [failed] error in failed(Sentence("\(entry.text): \(error)")) })
    state.value.members[entry.id] = Member(entry: entry, polling: polling, outlet: outlet)
    polling.start(after: delay)
  }

  private func gate(_ list: any EntryList) -> PollGate {
    let gate = state.value.gate ?? PollGate(list.concurrency)
    state.value.gate = gate
    return gate
  }

  /// Hands a batch over; blocks while the mailbox is full.
  fileprivate func send(_ batch: SourceBatch) {
    // Not more than the mailbox's own code runs within the lock, and that never comes back here.
    handOver.withLock { _ in downstream.next(batch) }
  }

  /// The end of an entry's polls, behind the last of them.
  fileprivate func noteEnd(of entry: Entry) {
    scheduler.perform { [self] in
      if let member = state.value.members[entry.id], member.isLeaving {
        state.value.members[entry.id] = nil
        roster.remove(entry)
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
    send(SourceBatch([], poll, endsPoll: true, position: .null))
  }

  private func endIfIdle() {
    guard state.value.isOver || endsAfterPoll && state.value.hasList,
      roster.haveAllEnded
    else { return }
    end()
  }

  private func end() {
    if state.value.hasEnded { return }
    (state.value.isOver, state.value.hasEnded) = (true, true)
    state.value.timer?.dispose()
    // They hold this, and with it the whole pipeline.
    state.value.members = [:]
    (state.value.list, state.value.gate) = (nil, nil)
    health.noteEnd()
    downstream.complete()
  }
}

/// The way of an entry's batches into the source.
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

  func next(_ batch: SourceBatch) {
    number.withLock { $0 = batch.poll.number }
    polling.send(batch)
  }

  func fail(_ error: any Error) {}

  func complete() { polling.noteEnd(of: entry) }
}

/// The error of a list with two entries of one id.
private func repeated(_ entry: Entry) -> Sentence {
  Sentence(
    "two entries of the list are called “\(entry.text)”; set key to what distinguishes them, as in each: { …, key: .id }"
  )
}
