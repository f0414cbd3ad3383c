/// An element that waits for its key to fall quiet.
@usableFromInline package struct Pending<Element: Sendable>: Sendable {
  @usableFromInline package var element: Element
  /// When the first of the row of elements came, and when the latest did.
  @usableFromInline package var since: Instant
  @usableFromInline package var latest: Instant

  @inlinable package init(element: Element, since: Instant, latest: Instant) {
    self.element = element
    self.since = since
    self.latest = latest
  }
}

/// The state machine of `debounce`: emits the last element of each key once the key has been quiet.
///
/// An element is due when its key has been quiet for `quiet`, or when `maxWait` has passed since the row began; of
/// elements due at one instant, the one that came first. With more than `bound` keys waiting, the one that has been
/// quiet longest is due at once.
///
/// Inlinable for the same reason as `MemoryState`.
@usableFromInline package struct DebounceMachine<State: KeyedState, Element: Sendable>: Machine
where State: Sendable, State.Value == Pending<Element> {
  @usableFromInline package typealias Input = Element
  @usableFromInline package typealias Output = Element

  @usableFromInline var pending: State
  @usableFromInline let quiet: Duration
  @usableFromInline let maxWait: Duration?
  @usableFromInline let bound: Int
  @usableFromInline let key: @Sendable (Element) throws -> State.Key
  @usableFromInline let combine: (@Sendable (Element?, Element) throws -> Element)?
  /// The deadlines, where they are not in the order of the state: with `maxWait`, or after a state has been divided.
  @usableFromInline var deadlines: Deadlines<State.Key>?
  /// When to look at the oldest, where they are.
  @usableFromInline var look: Instant?

  @inlinable package var state: State { pending }

  /// With `combine`, an element waits combined with the one of its key that waits already, instead of in its place.
  @inlinable package init(
    state: State, quiet: Duration, maxWait: Duration? = nil, bound: Int,
    by key: @escaping @Sendable (Element) throws -> State.Key,
    combine: (@Sendable (Element?, Element) throws -> Element)? = nil
  ) {
    pending = state
    self.quiet = quiet
    self.maxWait = maxWait
    self.bound = max(1, bound)
    self.key = key
    self.combine = combine
    var waiting: [(State.Key, Instant)] = []
    state.forEach { key, pending in waiting.append((key, deadline(of: pending))) }
    if maxWait == nil, zip(waiting, waiting.dropFirst()).allSatisfy({ $0.1 <= $1.1 }) {
      look = waiting.first?.1
      return
    }
    var deadlines = Deadlines<State.Key>()
    for (key, deadline) in waiting { deadlines.set(deadline, for: key) }
    self.deadlines = deadlines
  }

  @inlinable package var nextDeadline: Instant? {
    mutating get { deadlines == nil ? look : deadlines?.nextLook }
  }

  @inlinable package var waiting: Int { pending.count }

  @inlinable package mutating func take(_ element: Element, _ host: some MachineHost<Element>) throws {
    let key = try key(element)
    let now = host.now
    let combine = combine
    var since = now
    try pending.update(key) { row in
      since = row?.since ?? now
      row = Pending(element: try combine?(row?.element, element) ?? element, since: since, latest: now)
    }
    let deadline = deadline(since: since, latest: now)
    if deadlines != nil { deadlines?.set(deadline, for: key) } else if look == nil { look = deadline }
    guard pending.count > bound, let oldest = pending.removeOldest() else { return }
    deadlines?.remove(oldest.key)
    if deadlines == nil { look = pending.oldest.map { self.deadline(of: $0.value) } }
    host.note(.early, beyond: bound)
    host.emit(oldest.value.element)
  }

  @inlinable package mutating func wake(_ host: some MachineHost<Element>) {
    while let element = popFirst(dueBy: host.now) { host.emit(element) }
  }

  @inlinable mutating func popFirst(dueBy now: Instant) -> Element? {
    while let key = deadlines?.popFirst(dueBy: now) {
      if let row = pending.remove(key) { return row.element }
    }
    guard deadlines == nil, let due = look, due <= now else { return nil }
    look = pending.oldest.map { deadline(of: $0.value) }
    guard let look, look <= now else { return nil }
    return pending.removeOldest()?.value.element
  }

  /// Emits everything, the key that has been quiet longest first.
  @inlinable package mutating func flush(_ host: some MachineHost<Element>) {
    while let oldest = pending.removeOldest() { host.emit(oldest.value.element) }
    look = nil
    if deadlines != nil { deadlines = Deadlines() }
  }

  @inlinable func deadline(of row: Pending<Element>) -> Instant {
    deadline(since: row.since, latest: row.latest)
  }

  @inlinable func deadline(since: Instant, latest: Instant) -> Instant {
    let whenQuiet = latest + quiet
    guard let maxWait else { return whenQuiet }
    return min(whenQuiet, since + maxWait)
  }
}
