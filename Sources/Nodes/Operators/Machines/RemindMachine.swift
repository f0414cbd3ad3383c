import Reactive

/// A time to be reminded of, and its progress.
struct Reminder<Element: Sendable>: Sendable {
  var at: Instant
  /// The latest event that named the time.
  var element: Element
  /// The first of the leads that are still ahead; all behind it are, too.
  var next: Int
  /// The time for which each lead has last fired.
  var told: [Instant?]
}

/// A reminder that is due.
struct DueReminder<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  let key: Key
  let at: Instant
  let lead: Duration
  let element: Element
}

/// The state machine of `remind`: decides when to remind of times that may move; memory and time are passed in.
///
/// Each lead fires once per time. When a key's time moves, a lead that is ahead of the new time will fire for it. One
/// that is past fires at once if it is no older than `grace`, unless it has fired already for the time before. A lead
/// before the time never fires once the time has come. While a key is missing nothing fires for it; when it is back,
/// its leads that are past are treated like those of a time that moved. A key is forgotten when nothing could fire for
/// its time any more.
struct RemindMachine<State: KeyedState, Element: Sendable>: Sendable
where State: Sendable, State.Value == Reminder<Element> {
  typealias Due = DueReminder<State.Key, Element>

  private(set) var state: State
  /// The longest first, so that they come one after the other.
  private let leads: [Duration]
  private let grace: Duration
  private let bound: Int
  private var deadlines = Deadlines<State.Key>()

  init(state: State, leads: [Duration], grace: Duration, bound: Int) {
    self.state = state
    self.leads = Set(leads).sorted(by: >)
    self.grace = grace
    self.bound = max(1, bound)
    var kept: [(State.Key, Reminder<Element>)] = []
    state.forEach { kept.append(($0, $1)) }
    for (key, reminder) in kept { deadlines.set(deadline(of: reminder), for: key) }
  }

  /// When `due` must be called next.
  var nextDeadline: Instant? {
    mutating get { deadlines.earliest }
  }

  /// How many keys have a lead ahead.
  var count: Int {
    var count = 0
    state.forEach { if $1.next < leads.count { count += 1 } }
    return count
  }

  /// Takes the time of a key; returns the reminders that are due at once.
  ///
  /// What was due before must have been taken out.
  mutating func accept(_ element: Element, at time: Instant, for key: State.Key, now: Instant) -> [Due] {
    let old = state.remove(key)
    var reminder =
      old ?? Reminder(at: time, element: element, next: 0, told: Array(repeating: nil, count: leads.count))
    reminder.element = element
    reminder.at = time
    var next = leads.firstIndex { time - $0 > now } ?? leads.count
    // Of the same time only what came due while the key was missing is left.
    if old?.at == time { next = max(next, reminder.next) }
    let past = old?.at == time ? reminder.next..<next : 0..<next
    reminder.next = next
    var due: [Due] = []
    for number in past {
      let last = reminder.told[number]
      let isTold = last != nil && (last == old?.at || last == time)
      if !isTold, !isTimely(number, of: time, now) { continue }
      reminder.told[number] = time
      if !isTold { due.append(Due(key: key, at: time, lead: leads[number], element: element)) }
    }
    let deadline = deadline(of: reminder)
    if reminder.next == leads.count, deadline <= now {
      deadlines.remove(key)
    } else {
      state.set(reminder, for: key)
      deadlines.set(deadline, for: key)
    }
    return due
  }

  /// Forgets a key and its reminders.
  mutating func cancel(_ key: State.Key) {
    state.remove(key)
    deadlines.remove(key)
  }

  /// Forgets the key seen longest ago, when there is one too many; returns whether a lead of it was ahead.
  mutating func dropExcess() -> Bool {
    guard state.count > bound, let oldest = state.oldest else { return false }
    cancel(oldest.key)
    return oldest.value.next < leads.count
  }

  /// Takes out the next reminder that is due, if one is; those older than `grace` are skipped.
  mutating func due(at now: Instant, isMissing: (Element) -> Bool = { _ in false }) -> Due? {
    while let key = deadlines.popFirst(dueBy: now) {
      guard var reminder = state.value(for: key) else { continue }
      let end = forgetting(reminder)
      if reminder.next == leads.count || isMissing(reminder.element) {
        // The next look at a missing key: when its latest lead is past too, or when it is seen again.
        if end <= now { state.remove(key) } else { deadlines.set(end, for: key) }
        continue
      }
      let number = reminder.next
      reminder.next += 1
      let isTold = reminder.told[number] == reminder.at
      let isTimely = isTimely(number, of: reminder.at, now)
      if isTimely { reminder.told[number] = reminder.at }
      state.set(reminder, for: key)
      deadlines.set(deadline(of: reminder), for: key)
      if !isTold, isTimely {
        return Due(key: key, at: reminder.at, lead: leads[number], element: reminder.element)
      }
    }
    return nil
  }

  /// Whether a lead that is past still helps: it is no later than `grace`, and, but for the time itself, the time has
  /// not come.
  private func isTimely(_ number: Int, of time: Instant, _ now: Instant) -> Bool {
    let lead = leads[number]
    return now - (time - lead) <= grace && (lead == .zero || now < time)
  }

  /// When the next lead fires, or behind the last one, when the key can be forgotten.
  private func deadline(of reminder: Reminder<Element>) -> Instant {
    reminder.next < leads.count ? reminder.at - leads[reminder.next] : forgetting(reminder)
  }

  /// When nothing could fire for a key any more.
  private func forgetting(_ reminder: Reminder<Element>) -> Instant {
    let latest = reminder.told.reduce(reminder.at) { max($0, $1 ?? $0) }
    return latest + grace + .milliseconds(1)
  }
}
