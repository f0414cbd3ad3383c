import Engine
import Language
import Reactive

/// The state of a key of `alarm` that is not at rest, or that must report.
struct AlarmRow: Sendable {
  enum Phase: String, Sendable {
    /// No alarm, and the last event is no reason for one.
    case fine
    /// The condition holds, and has not yet lasted.
    case rising
    case raised
    /// The condition to clear holds, and has not yet lasted.
    case falling
  }

  var phase = Phase.fine
  /// When the condition of the alarm began to hold.
  var since: Instant
  /// When a rising alarm has lasted, or the end of a falling one; nil where polls are counted.
  var due: Instant?
  /// How many polls have seen a rising alarm rising, or a falling one falling, where polls are counted.
  var polls = 0
  /// The time without news, of this run, that `due` allows for, in nanoseconds.
  var downtime: Int64 = 0
  /// When a raised alarm is repeated.
  var nextRepeat: Instant?
  /// When the last event came.
  var heard: Instant
  /// When the key is missing, unless an event comes; nil where it need not report, and while it is missing.
  var missingAt: Instant?
  var isMissing = false
  var latest: Event

  /// Whether a condition holds that has not lasted yet.
  var isWaiting: Bool { phase == .rising || phase == .falling }

  /// Whether what it waits for is decided by polls of its source, not by the clock: between two polls nothing is known.
  var isPolled: Bool { latest.poll.number > 0 }

  /// The next time at which something happens by itself; `isDown` while its source is, when nothing can have lasted.
  func deadline(isDown: Bool) -> Instant? {
    [isPolled || isDown ? nil : due, nextRepeat, missingAt].compactMap { $0 }.min()
  }

  /// Begins a phase that must last for as long as that, which this event has shown first.
  mutating func wait(_ phase: Phase, for time: PollsOrTime, at now: Instant) {
    self.phase = phase
    switch time {
    case .polls: (due, polls) = (nil, 1)
    case .time(let time): (due, polls) = (now + time, 0)
    }
  }

  mutating func rest(_ phase: Phase) {
    self.phase = phase
    (due, polls, downtime) = (nil, 0, 0)
  }

  /// Puts off what waits for an event that may have come while no run was there; not what was due before that.
  mutating func putOff(by pause: Duration, after left: Instant) {
    func later(_ time: Instant) -> Instant { time > left ? time + pause : time }
    if !isPolled { due = due.map(later) }
    missingAt = missingAt.map(later)
  }
}

/// A report of `alarm`.
struct AlarmReport<Key: Sendable>: Sendable {
  enum Kind: String, CaseIterable, Sendable { case raised, repeated, cleared, missing, back }

  let kind: Kind
  let key: Key
  /// When the alarm began; for `missing` and `back`, when the key was heard of last.
  let since: Instant
  let event: Event
}

/// The rules of `alarm`, as far as they are times.
struct AlarmTimes: Sendable {
  /// How long the condition must last.
  var lasting: PollsOrTime
  /// How long the condition to clear must last.
  var clearing: PollsOrTime
  var repeating: Duration?
  /// How long a key may be silent.
  var silent: Duration?
}

/// The facts that are known of the sources behind the events of `alarm`.
struct AlarmSources: Sendable {
  /// Whether each poll has an event of each key that its source knows; otherwise an event comes when something differs,
  /// and the end of a poll without one says that nothing does.
  var areWhole = true
  /// The time from a poll to the next one, where it is known.
  var period: @Sendable (Poll) -> Duration? = { _ in nil }
  /// How long the connection of a source has been down, in all, and whether it is now; one that comes back is a reason to
  /// wake.
  var downtime: @Sendable (_ source: String) -> (total: Duration, isDown: Bool) = { _ in (.zero, false) }
  /// Whether the process may be stopped for a while, which virtual time is not.
  var mayPause = false
}

/// The keys that must report, asked for at the start and then again, as a file that lists them may change.
struct AlarmExpectation<Key: Sendable>: Sendable {
  /// Keys that have come, and those that are gone; nil where nothing has changed.
  ///
  /// A key comes with what stands for the event that it has not sent.
  let changes: @Sendable () -> (come: [(Key, Event)], gone: [Key])?
  /// How soon they may be asked for again; nil for never.
  var every: Duration?
  /// Whether that is a reason to wake; otherwise only what happens anyway is.
  var wakes = false
}

/// The state machine of `alarm`: a condition by key that must last, with another one to clear it.
///
/// The last event of a key counts until the next. Where it is of a poll, whether its condition has lasted is decided when
/// a poll has seen it again, since a poll that fails sees nothing; otherwise when the time is over. At most `bound` keys
/// are remembered; beyond that, the one written longest ago is forgotten.
struct AlarmMachine<State: KeyedState>: Machine where State: Sendable, State.Value == AlarmRow {
  typealias Input = Event
  typealias Output = AlarmReport<State.Key>
  typealias Condition = @Sendable (Event) throws -> Bool

  private var rows: State
  var state: State { rows }
  private let times: AlarmTimes
  private let sources: AlarmSources
  private let bound: Int
  private let key: @Sendable (Event) throws -> State.Key
  private let holds: Condition
  private let clears: Condition?
  /// When the run before this one ended, or stored something last, and when this one began.
  private let left: Instant?
  private var started = Instant()
  private let expected: AlarmExpectation<State.Key>?
  /// When the expected keys may be asked for again.
  private var nextLook: Instant?
  private var deadlines = Deadlines<State.Key>()
  /// The keys whose condition would have to last while their source is down, by its name.
  private var stalled: [String: Deadlines<State.Key>] = [:]
  /// The keys that wait for the clock, and how often to look meanwhile whether the process was stopped.
  private var timed: Set<State.Key> = []
  private let pulse: Duration?
  private var nextPulse: Instant?
  /// How long it was stopped, in all, as far as that was seen.
  private var pauses = Duration.zero
  /// The keys that wait for polls, by the list that is polled.
  private var waitingForPolls: [String: Deadlines<State.Key>] = [:]
  /// When the last poll of each list has ended.
  private var ends: [String: Instant] = [:]

  init(
    state: State, _ times: AlarmTimes, _ sources: AlarmSources = AlarmSources(), bound: Int,
    after left: Instant? = nil, expected: AlarmExpectation<State.Key>? = nil,
    by key: @escaping @Sendable (Event) throws -> State.Key, when holds: @escaping Condition,
    clear: Condition?
  ) {
    rows = state
    self.times = times
    self.sources = sources
    self.bound = max(1, bound)
    self.left = left
    self.expected = expected
    self.key = key
    self.holds = holds
    clears = clear
    let shortest = [times.lasting, times.clearing].compactMap(\.time).filter { $0 > .zero }.min()
    pulse = sources.mayPause ? shortest.map { max($0 / 10, .seconds(1)) } : nil
  }

  var nextDeadline: Instant? {
    mutating get {
      [deadlines.nextLook, expected?.wakes == true ? nextLook : nil, nextPulse].compactMap { $0 }.min()
    }
  }

  /// How many alarms have not lasted yet, and not cleared.
  var waiting: Int {
    var count = 0
    rows.forEach { _, row in if row.isWaiting { count += 1 } }
    return count
  }

  /// Starts without the time in which no run was there: it is not known what happened to a key meanwhile.
  mutating func start(_ host: some MachineHost<Output>) {
    let left = left ?? host.now
    started = host.now
    let pause = max(.zero, started - left)
    expect(host)
    var stored: [(key: State.Key, row: AlarmRow)] = []
    rows.forEach { key, row in stored.append((key, row)) }
    for (key, var row) in stored {
      let isLate = pause > .zero && row.heard < host.now
      if isLate { row.putOff(by: pause, after: left) }
      let isMeasuredOtherwise = row.isWaiting && (row.due == nil) != (time(of: row).time == nil)
      if isMeasuredOtherwise { row.wait(row.phase, for: time(of: row), at: row.heard) }
      let hadDowntime = row.downtime != 0
      row.downtime = 0
      if isLate || isMeasuredOtherwise || hadDowntime { rows.set(row, for: key) }
      schedule(row, key)
    }
    setPulse(host.now)
  }

  /// How long the condition must last that a row waits for.
  private func time(of row: AlarmRow) -> PollsOrTime {
    row.phase == .rising ? times.lasting : times.clearing
  }

  private mutating func expect(_ host: some MachineHost<Output>) {
    nextLook = expected?.every.map { host.now + $0 }
    guard let changes = expected?.changes() else { return }
    for key in changes.gone { forget(key) }
    for (key, event) in changes.come where !rows.contains(key) {
      let row = AlarmRow(
        since: host.now, heard: host.now, missingAt: times.silent.map { host.now + $0 }, latest: event)
      rows.set(row, for: key)
      schedule(row, key)
    }
  }

  mutating func take(_ event: Event, _ host: some MachineHost<Output>) throws {
    if event.isEndOfPoll { return end(event.poll, host) }
    let key = try key(event)
    let holds = try holds(event)
    let clears = try clears?(event) ?? !holds
    wake(host)
    let now = host.now
    var row = rows.value(for: key) ?? AlarmRow(since: now, heard: now, latest: event)
    let (heard, before) = (row.heard, row.latest.poll)
    if row.isWaiting, row.isPolled { waitingForPolls[before.list]?.remove(key) }
    (row.latest, row.heard) = (event, now)
    // What is made again after a kill happens before the time in which no run was there.
    let counted = max(now, started)
    row.missingAt = times.silent.map { counted + $0 }
    if row.isMissing {
      row.isMissing = false
      host.emit(AlarmReport(kind: .back, key: key, since: heard, event: event))
    }
    switch row.phase {
    case .fine where holds:
      row.since = now
      row.wait(.rising, for: times.lasting, at: times.lasting.time == .zero ? now : counted)
      row.downtime = downtime(behind: row)
    case .rising where !holds: row.rest(.fine)
    case .raised where clears:
      row.wait(.falling, for: times.clearing, at: times.clearing.time == .zero ? now : counted)
      row.downtime = downtime(behind: row)
    case .falling where !clears: row.rest(.raised)
    case .rising, .falling:
      if row.due == nil, !row.isPolled || !event.poll.isSame(as: before) { row.polls += 1 }
    case .fine, .raised: break
    }
    conclude(&row, key, event.poll, host)
    turn(&row, key, host)
    keep(row, key)
    if rows.count > bound, let oldest = rows.oldest {
      forget(oldest.key)
      host.note(.forgotten, beyond: bound)
    }
    setPulse(now)
  }

  mutating func wake(_ host: some MachineHost<Output>) {
    if let nextLook, nextLook <= host.now { expect(host) }
    notePause(host.now)
    if !stalled.isEmpty { resume() }
    while let key = deadlines.popFirst(dueBy: host.now) {
      guard var row = rows.value(for: key) else { continue }
      if !row.isPolled { conclude(&row, key, row.latest.poll, host) }
      turn(&row, key, host)
      keep(row, key)
    }
    setPulse(host.now)
  }

  /// Schedules the keys again whose source is no longer down.
  private mutating func resume() {
    for source in stalled.keys.sorted() where !sources.downtime(source).isDown {
      var keys = stalled.removeValue(forKey: source) ?? Deadlines()
      while let key = keys.popFirst(dueBy: .distantFuture) {
        if let row = rows.value(for: key), row.isWaiting, !row.isPolled { schedule(row, key) }
      }
    }
  }

  private mutating func setPulse(_ now: Instant) {
    if nextPulse == nil, !timed.isEmpty, let pulse { nextPulse = max(now, started) + pulse }
  }

  /// Notes a pause of the process, which would have woken before; a moment may be a busy machine.
  private mutating func notePause(_ now: Instant) {
    guard let expected = nextPulse, expected <= now else { return }
    nextPulse = nil
    if now - expected > .seconds(1) { pauses += now - expected }
  }

  /// Decides what waits for a poll, which has ended: of keys without an event in it.
  private mutating func end(_ poll: Poll, _ host: some MachineHost<Output>) {
    wake(host)
    var keys = waitingForPolls.removeValue(forKey: poll.list) ?? Deadlines()
    while let key = keys.popFirst(dueBy: .distantFuture) {
      guard var row = rows.value(for: key) else { continue }
      if observe(&row, key, poll, host) { keep(row, key) } else { waitForPoll(row, key) }
    }
    ends[poll.list] = poll.gone == nil ? host.now : nil
  }

  /// Takes the end of a poll for a key that waits for it; returns whether that changes its row.
  private func observe(
    _ row: inout AlarmRow, _ key: State.Key, _ poll: Poll, _ host: some MachineHost<Output>
  ) -> Bool {
    if row.latest.poll.isSame(as: poll) { return false }
    if sources.areWhole || poll.gone != nil {
      // Its row has gone, unless it is where the poll did not look.
      guard poll.coverage == .complete, !poll.isMissingEvents else { return false }
      row.rest(row.phase == .rising ? .fine : .raised)
      return true
    }
    guard poll.isComplete else { return false }
    let isCounted = row.due == nil
    if isCounted { row.polls += 1 }
    return conclude(&row, key, poll, host) || isCounted
  }

  /// Raises or clears an alarm whose condition has lasted, as an event or a poll shows now; returns whether it did.
  @discardableResult
  private func conclude(
    _ row: inout AlarmRow, _ key: State.Key, _ poll: Poll, _ host: some MachineHost<Output>
  ) -> Bool {
    guard row.isWaiting else { return false }
    if !row.isPolled {
      let downtime = downtime(behind: row)
      row.due = row.due.map { $0 + .nanoseconds(downtime - row.downtime) }
      row.downtime = downtime
    }
    guard hasLasted(row, poll, host.now) else { return false }
    let isRising = row.phase == .rising
    row.rest(isRising ? .raised : .fine)
    row.nextRepeat = isRising ? times.repeating.map { host.now + $0 } : nil
    host.emit(
      AlarmReport(kind: isRising ? .raised : .cleared, key: key, since: row.since, event: row.latest))
    return true
  }

  private func hasLasted(_ row: AlarmRow, _ poll: Poll, _ now: Instant) -> Bool {
    switch time(of: row) {
    case .polls(let count): return row.polls >= count
    case .time(let time):
      guard let due = row.due else { return false }
      if poll.number == 0 || due <= now { return due <= now }
      // Polls are not evenly apart, and the next one would be almost a period late.
      let period = sources.period(poll) ?? ends[poll.list].map { now - $0 } ?? .zero
      return due - min(period, time) / 10 <= now
    }
  }

  /// How long nothing could be known of a row that goes by the clock, in nanoseconds: its source was down, or the process
  /// was stopped.
  private func downtime(behind row: AlarmRow) -> Int64 {
    if row.isPolled { return 0 }
    return Int64(((sources.downtime(row.latest.poll.source).total + pauses) / .nanoseconds(1)).rounded())
  }

  /// Carries out what is due of a row by the clock.
  private func turn(_ row: inout AlarmRow, _ key: State.Key, _ host: some MachineHost<Output>) {
    let now = host.now
    func report(_ kind: AlarmReport<State.Key>.Kind, since: Instant) {
      host.emit(AlarmReport(kind: kind, key: key, since: since, event: row.latest))
    }
    if let next = row.nextRepeat, next <= now {
      row.nextRepeat = times.repeating.map { now + $0 }
      report(.repeated, since: row.since)
    }
    if let missing = row.missingAt, missing <= now {
      row.missingAt = nil
      row.isMissing = true
      report(.missing, since: row.heard)
    }
  }

  /// Keeps a row, unless there is nothing to know of its key.
  private mutating func keep(_ row: AlarmRow, _ key: State.Key) {
    if row.phase == .fine, row.missingAt == nil, !row.isMissing {
      rows.remove(key)
    } else {
      rows.set(row, for: key)
    }
    schedule(row, key)
  }

  /// Notes when something happens to a row by itself, and whether a poll decides about it.
  private mutating func schedule(_ row: AlarmRow, _ key: State.Key) {
    let source = row.latest.poll.source
    let isDown = row.isWaiting && !row.isPolled && sources.downtime(source).isDown
    if isDown, let due = row.due { stalled[source, default: Deadlines()].set(due, for: key) }
    if let deadline = row.deadline(isDown: isDown) {
      deadlines.set(deadline, for: key)
    } else {
      deadlines.remove(key)
    }
    if row.isWaiting, !row.isPolled, !isDown {
      timed.insert(key)
    } else if !timed.isEmpty {
      timed.remove(key)
    }
    waitForPoll(row, key)
  }

  private mutating func waitForPoll(_ row: AlarmRow, _ key: State.Key) {
    if !row.isWaiting || !row.isPolled { return }
    waitingForPolls[row.latest.poll.list, default: Deadlines()].set(row.due ?? row.since, for: key)
  }

  private mutating func forget(_ key: State.Key) {
    deadlines.remove(key)
    timed.remove(key)
    guard let row = rows.remove(key), row.isWaiting, row.isPolled else { return }
    waitingForPolls[row.latest.poll.list]?.remove(key)
  }
}
