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
  private let rules: ReminderRules
  private let bound: Int
  private var deadlines = Deadlines<State.Key>()

  init(state: State, leads: [Duration], grace: Duration, bound: Int) {
    self.state = state
    rules = ReminderRules(leads: leads, grace: grace)
    self.bound = max(1, bound)
    var kept: [(State.Key, Reminder<Element>)] = []
    state.forEach { kept.append(($0, $1)) }
    for (key, reminder) in kept { deadlines.set(rules.deadline(of: reminder), for: key) }
  }

  /// When `due` must be called next.
  var nextDeadline: Instant? {
    mutating get { deadlines.earliest }
  }

  /// How many keys have a lead ahead.
  var count: Int {
    var count = 0
    state.forEach { if $1.next < rules.leads.count { count += 1 } }
    return count
  }

  /// Takes the time of a key; returns the reminders that are due at once.
  ///
  /// What was due before must have been taken out. Only copies of key and element are kept.
  mutating func accept(
    _ element: Element, at time: Instant, for key: State.Key, now: Instant,
    copyingKey copyKey: (State.Key) -> State.Key = { $0 }, copying copy: (Element) -> Element = { $0 }
  ) -> [Due] {
    let rules = rules
    var due: [Due] = []
    var deadline: Instant?
    var isKnown = false
    state.update(key) { reminder in
      let old = reminder?.at
      isKnown = old != nil
      var next = rules.leads.firstIndex { time - $0 > now } ?? rules.leads.count
      var past = 0..<next
      // Of the same time only what came due while the key was missing is left.
      if let reminder, old == time {
        next = max(next, reminder.next)
        past = reminder.next..<next
      }
      var told = reminder?.told ?? rules.untold
      for number in past {
        let last = told[number]
        let isTold = last != nil && (last == old || last == time)
        if !isTold, !rules.isTimely(number, of: time, now) { continue }
        told[number] = time
        if !isTold { due.append(Due(key: key, at: time, lead: rules.leads[number], element: element)) }
      }
      let end = rules.deadline(of: time, next, told)
      if next < rules.leads.count || end > now { deadline = end }
      reminder = deadline.map { _ in Reminder(at: time, element: copy(element), next: next, told: told) }
    }
    if let deadline {
      deadlines.set(deadline, for: key, copying: copyKey)
    } else if isKnown {
      deadlines.remove(key)
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
    return oldest.value.next < rules.leads.count
  }

  /// Takes out the next reminder that is due, if one is; those older than `grace` are skipped.
  mutating func due(at now: Instant, isMissing: (Element) -> Bool = { _ in false }) -> Due? {
    while let key = deadlines.popFirst(dueBy: now) {
      guard var reminder = state.value(for: key) else { continue }
      let end = rules.forgetting(reminder.at, reminder.told)
      if reminder.next == rules.leads.count || isMissing(reminder.element) {
        // The next look at a missing key: when its latest lead is past too, or when it is seen again.
        if end <= now { state.remove(key) } else { deadlines.set(end, for: key) }
        continue
      }
      let number = reminder.next
      reminder.next += 1
      let isTold = reminder.told[number] == reminder.at
      let isTimely = rules.isTimely(number, of: reminder.at, now)
      if isTimely { reminder.told[number] = reminder.at }
      state.set(reminder, for: key)
      deadlines.set(rules.deadline(of: reminder), for: key)
      if !isTold, isTimely {
        return Due(key: key, at: reminder.at, lead: rules.leads[number], element: reminder.element)
      }
    }
    return nil
  }
}

/// The rules of reminders: when a lead fires, and when nothing is left to wait for.
private struct ReminderRules: Sendable {
  /// The longest first, so that they come one after the other.
  let leads: [Duration]
  let grace: Duration
  /// The state of a new key: no lead has fired.
  let untold: [Instant?]

  init(leads: [Duration], grace: Duration) {
    self.leads = Set(leads).sorted(by: >)
    self.grace = grace
    untold = Array(repeating: nil, count: self.leads.count)
  }

  /// Whether a lead that is past still helps: it is no later than `grace`, and, but for the time itself, the time has
  /// not come.
  func isTimely(_ number: Int, of time: Instant, _ now: Instant) -> Bool {
    let lead = leads[number]
    return now - (time - lead) <= grace && (lead == .zero || now < time)
  }

  func deadline(of reminder: Reminder<some Sendable>) -> Instant {
    deadline(of: reminder.at, reminder.next, reminder.told)
  }

  /// When the next lead fires, or behind the last one, when the key can be forgotten.
  func deadline(of time: Instant, _ next: Int, _ told: [Instant?]) -> Instant {
    next < leads.count ? time - leads[next] : forgetting(time, told)
  }

  /// When nothing could fire for a key any more.
  func forgetting(_ time: Instant, _ told: [Instant?]) -> Instant {
    let latest = told.reduce(time) { max($0, $1 ?? $0) }
    return latest + grace + .milliseconds(1)
  }
}
