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
  @usableFromInline var deadlines = Deadlines<State.Key>()

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
    for (key, deadline) in waiting { deadlines.set(deadline, for: key) }
  }

  @inlinable package var nextDeadline: Instant? {
    mutating get { deadlines.nextLook }
  }

  @inlinable package var waiting: Int { pending.count }

  @inlinable package mutating func take(_ element: Element, _ host: some MachineHost<Element>) throws {
    let key = try key(element)
    let now = host.now
    let known = pending.value(for: key)
    let row = Pending(
      element: try combine?(known?.element, element) ?? element, since: known?.since ?? now, latest: now)
    pending.set(row, for: key)
    deadlines.set(deadline(of: row), for: key)
    guard pending.count > bound, let oldest = pending.oldest else { return }
    deadlines.remove(oldest.key)
    pending.remove(oldest.key)
    host.note(.early, beyond: bound)
    host.emit(oldest.value.element)
  }

  @inlinable package mutating func wake(_ host: some MachineHost<Element>) {
    while let key = deadlines.popFirst(dueBy: host.now) {
      if let row = pending.remove(key) { host.emit(row.element) }
    }
  }

  /// Emits everything, the key that has been quiet longest first.
  @inlinable package mutating func flush(_ host: some MachineHost<Element>) {
    while let oldest = pending.oldest {
      pending.remove(oldest.key)
      host.emit(oldest.value.element)
    }
    deadlines = Deadlines()
  }

  @inlinable func deadline(of row: Pending<Element>) -> Instant {
    let whenQuiet = row.latest + quiet
    guard let maxWait else { return whenQuiet }
    return min(whenQuiet, row.since + maxWait)
  }
}
