import Reactive

/// A time to be reminded of, and how far that has come.
struct Reminder<Element: Sendable>: Sendable {
  var at: Instant
  /// What named the time last.
  var element: Element
  /// The first of the leads that is still to come; all behind it are, too.
  var next: Int
  /// The time of which each lead has last told.
  var told: [Instant?]
}

/// A reminder that is due.
struct DueReminder<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  let key: Key
  let at: Instant
  let lead: Duration
  let element: Element
}

/// The state machine of `remind`: decides when to remind of times that may move; memory and time are handed in.
///
/// Each lead tells once of a time. When a key's time moves, a lead that is ahead of the new time will tell of it. One
/// that is past tells at once if it is no older than `grace`, unless it has told already of the time that has moved.
/// A key is forgotten when nothing could be told of its time any more.
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

  /// When `due` should be asked next.
  var nextDeadline: Instant? {
    mutating get { deadlines.earliest }
  }

  /// How many keys have a reminder to come.
  var count: Int {
    var count = 0
    state.forEach { if $1.next < leads.count { count += 1 } }
    return count
  }

  /// Notes the time of a key; hands out the reminders that are due at once.
  ///
  /// What was due before must have been taken out.
  mutating func accept(_ element: Element, at time: Instant, for key: State.Key, now: Instant) -> [Due] {
    let old = state.remove(key)
    var reminder =
      old ?? Reminder(at: time, element: element, next: 0, told: Array(repeating: nil, count: leads.count))
    reminder.element = element
    var due: [Due] = []
    if old?.at != time {
      reminder.at = time
      reminder.next = leads.firstIndex { time - $0 > now } ?? leads.count
      for number in 0..<reminder.next {
        let last = reminder.told[number]
        let isTold = last != nil && (last == old?.at || last == time)
        if !isTold, now - (time - leads[number]) > grace { continue }
        reminder.told[number] = time
        if !isTold { due.append(Due(key: key, at: time, lead: leads[number], element: element)) }
      }
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

  /// Forgets a key and what was to be told of it.
  mutating func cancel(_ key: State.Key) {
    state.remove(key)
    deadlines.remove(key)
  }

  /// Forgets the key heard of longest ago, when there is one too many; whether something was to be told of it.
  mutating func dropExcess() -> Bool {
    guard state.count > bound, let oldest = state.oldest else { return false }
    cancel(oldest.key)
    return oldest.value.next < leads.count
  }

  /// Takes out the next reminder that is due, if one is; those older than `grace` go untold.
  mutating func due(at now: Instant) -> Due? {
    while let key = deadlines.popFirst(dueBy: now) {
      guard var reminder = state.value(for: key) else { continue }
      guard reminder.next < leads.count else {
        state.remove(key)
        continue
      }
      let number = reminder.next
      reminder.next += 1
      let isTold = reminder.told[number] == reminder.at
      let isOld = now - (reminder.at - leads[number]) > grace
      if !isOld { reminder.told[number] = reminder.at }
      state.set(reminder, for: key)
      deadlines.set(deadline(of: reminder), for: key)
      if !isTold, !isOld {
        return Due(key: key, at: reminder.at, lead: leads[number], element: reminder.element)
      }
    }
    return nil
  }

  /// When the next lead tells, or behind the last one, when the key can be forgotten.
  private func deadline(of reminder: Reminder<Element>) -> Instant {
    if reminder.next < leads.count { return reminder.at - leads[reminder.next] }
    let latest = reminder.told.reduce(reminder.at) { max($0, $1 ?? $0) }
    return latest + grace + .milliseconds(1)
  }
}
