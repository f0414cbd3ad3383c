import Reactive

/// The state of a key of `alarm` that is not at rest, or that must report.
struct AlarmRow<Element: Sendable>: Sendable {
  enum Phase: String, Sendable {
    /// No alarm, and the last element is no reason for one.
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
  /// When a rising alarm is raised, or a falling one cleared.
  var due: Instant?
  /// When a raised alarm is repeated.
  var nextRepeat: Instant?
  /// When the last element came.
  var heard: Instant
  /// When the key is missing, unless an element comes; nil where it need not report, and while it is missing.
  var missingAt: Instant?
  var isMissing = false
  var latest: Element

  /// The next time at which something happens by itself.
  var deadline: Instant? {
    [due, nextRepeat, missingAt].compactMap { $0 }.min()
  }

  /// Puts off what waits for an element that may have come while no run was there.
  mutating func putOff(by pause: Duration) {
    due = due.map { $0 + pause }
    missingAt = missingAt.map { $0 + pause }
  }
}

/// A report of `alarm`.
struct AlarmReport<Key: Sendable, Element: Sendable>: Sendable {
  enum Kind: String, Sendable { case raised, repeated, cleared, missing, back }

  let kind: Kind
  let key: Key
  /// When the alarm began; for `missing` and `back`, when the key was heard of last.
  let since: Instant
  let element: Element
}

/// The rules of `alarm`, as far as they are times.
struct AlarmTimes: Sendable {
  /// How long the condition must last.
  var lasting: Duration
  /// How long the condition to clear must last.
  var clearing: Duration
  var repeating: Duration?
  /// How long a key may be silent.
  var silent: Duration?
}

/// The keys that must report, asked for at the start and then again, as a file that lists them may change.
struct AlarmExpectation<Key: Sendable, Element: Sendable>: Sendable {
  /// Keys that have come, and those that are gone; nil where nothing has changed.
  ///
  /// A key comes with what stands for the element that it has not sent.
  let changes: @Sendable () -> (come: [(Key, Element)], gone: [Key])?
  /// How soon they may be asked for again; nil for never.
  var every: Duration?
  /// Whether that is a reason to wake; otherwise only what happens anyway is.
  var wakes = false
}

/// The state machine of `alarm`: a condition by key that must last, with another one to clear it.
///
/// The last element of a key counts until the next. At most `bound` keys are remembered; beyond that, the one written
/// longest ago is forgotten.
struct AlarmMachine<State: KeyedState, Element: Sendable>: Machine
where State: Sendable, State.Value == AlarmRow<Element> {
  typealias Input = Element
  typealias Output = AlarmReport<State.Key, Element>
  typealias Condition = @Sendable (Element) throws -> Bool

  private var rows: State
  var state: State { rows }
  private let times: AlarmTimes
  private let bound: Int
  private let key: @Sendable (Element) throws -> State.Key
  private let holds: Condition
  private let clears: Condition?
  /// When the run before this one stored something last.
  private let left: Instant?
  private let expected: AlarmExpectation<State.Key, Element>?
  /// When the expected keys may be asked for again.
  private var nextLook: Instant?
  private var deadlines = Deadlines<State.Key>()

  init(
    state: State, _ times: AlarmTimes, bound: Int, after left: Instant? = nil,
    expected: AlarmExpectation<State.Key, Element>? = nil,
    by key: @escaping @Sendable (Element) throws -> State.Key, when holds: @escaping Condition,
    clear: Condition?
  ) {
    rows = state
    self.times = times
    self.bound = max(1, bound)
    self.left = left
    self.expected = expected
    self.key = key
    self.holds = holds
    clears = clear
  }

  var nextDeadline: Instant? {
    mutating get {
      [deadlines.nextLook, expected?.wakes == true ? nextLook : nil].compactMap { $0 }.min()
    }
  }

  /// How many alarms have not lasted yet, and not cleared.
  var waiting: Int {
    var count = 0
    rows.forEach { _, row in if row.due != nil { count += 1 } }
    return count
  }

  /// Starts without the time in which no run was there: it is not known what happened to a key meanwhile.
  mutating func start(_ host: some MachineHost<Output>) {
    let pause = left.map { max(.zero, host.now - $0) } ?? .zero
    expect(host)
    var stored: [(key: State.Key, row: AlarmRow<Element>)] = []
    rows.forEach { key, row in stored.append((key, row)) }
    for (key, var row) in stored {
      if pause > .zero, row.heard < host.now {
        row.putOff(by: pause)
        rows.set(row, for: key)
      }
      if let deadline = row.deadline { deadlines.set(deadline, for: key) }
    }
  }

  private mutating func expect(_ host: some MachineHost<Output>) {
    nextLook = expected?.every.map { host.now + $0 }
    guard let changes = expected?.changes() else { return }
    for key in changes.gone {
      rows.remove(key)
      deadlines.remove(key)
    }
    for (key, element) in changes.come where !rows.contains(key) {
      let row = AlarmRow(
        since: host.now, heard: host.now, missingAt: times.silent.map { host.now + $0 }, latest: element)
      rows.set(row, for: key)
      if let deadline = row.deadline { deadlines.set(deadline, for: key) }
    }
  }

  mutating func take(_ element: Element, _ host: some MachineHost<Output>) throws {
    let key = try key(element)
    let holds = try holds(element)
    let clears = try clears?(element) ?? !holds
    wake(host)
    let now = host.now
    var row = rows.value(for: key) ?? AlarmRow(since: now, heard: now, latest: element)
    let heard = row.heard
    (row.latest, row.heard) = (element, now)
    row.missingAt = times.silent.map { now + $0 }
    if row.isMissing {
      row.isMissing = false
      host.emit(AlarmReport(kind: .back, key: key, since: heard, element: element))
    }
    switch row.phase {
    case .fine where holds:
      row.phase = .rising
      row.since = now
      row.due = now + times.lasting
    case .rising where !holds:
      row.phase = .fine
      row.due = nil
    case .raised where clears:
      row.phase = .falling
      row.due = now + times.clearing
    case .falling where !clears:
      row.phase = .raised
      row.due = nil
    default: break
    }
    turn(&row, key, host)
    keep(row, key)
    if rows.count > bound, let oldest = rows.oldest {
      deadlines.remove(oldest.key)
      rows.remove(oldest.key)
      host.note(.forgotten, beyond: bound)
    }
  }

  mutating func wake(_ host: some MachineHost<Output>) {
    if let nextLook, nextLook <= host.now { expect(host) }
    while let key = deadlines.popFirst(dueBy: host.now) {
      guard var row = rows.value(for: key) else { continue }
      turn(&row, key, host)
      keep(row, key)
    }
  }

  /// Carries out what is due of a row.
  private func turn(_ row: inout AlarmRow<Element>, _ key: State.Key, _ host: some MachineHost<Output>) {
    let now = host.now
    func report(_ kind: AlarmReport<State.Key, Element>.Kind, since: Instant) {
      host.emit(AlarmReport(kind: kind, key: key, since: since, element: row.latest))
    }
    if let due = row.due, due <= now {
      row.due = nil
      if row.phase == .rising {
        row.phase = .raised
        row.nextRepeat = times.repeating.map { now + $0 }
        report(.raised, since: row.since)
      } else {
        row.phase = .fine
        row.nextRepeat = nil
        report(.cleared, since: row.since)
      }
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
  private mutating func keep(_ row: AlarmRow<Element>, _ key: State.Key) {
    if row.phase == .fine, row.missingAt == nil, !row.isMissing {
      rows.remove(key)
    } else {
      rows.set(row, for: key)
    }
    if let deadline = row.deadline { deadlines.set(deadline, for: key) } else { deadlines.remove(key) }
  }
}
