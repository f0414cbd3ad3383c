/// The open period of a key, and the element that waits for its end.
@usableFromInline package struct OpenPeriod<Element: Sendable>: Sendable {
  @usableFromInline package var end: Instant
  @usableFromInline package var held: Element?

  @inlinable package init(end: Instant, held: Element?) { (self.end, self.held) = (end, held) }
}

/// The state machine of `throttle`: passes on at most one element of each key per period.
///
/// The first element opens a period; with `latest`, the last one within it follows at its end, and opens the next. At
/// most `bound` keys have an open period; beyond that, the one that ends first is closed.
///
/// Inlinable for the same reason as `MemoryState`.
@usableFromInline package struct ThrottleMachine<State: KeyedState, Element: Sendable>: Machine
where State: Sendable, State.Value == OpenPeriod<Element> {
  @usableFromInline package typealias Input = Element
  @usableFromInline package typealias Output = Element

  @usableFromInline var periods: State
  @usableFromInline let length: Duration
  @usableFromInline let latest: Bool
  @usableFromInline let bound: Int
  @usableFromInline let key: @Sendable (Element) throws -> State.Key
  /// The ends, where they may not be in the order of the state: with `latest`, and with a state of another run.
  @usableFromInline var deadlines: Deadlines<State.Key>?
  /// When to look at the oldest, where they are.
  @usableFromInline var look: Instant?

  @inlinable package init(
    state: State, period: Duration, latest: Bool, bound: Int,
    by key: @escaping @Sendable (Element) throws -> State.Key
  ) {
    periods = state
    length = period
    self.latest = latest
    self.bound = max(1, bound)
    self.key = key
    var ends: [(State.Key, Instant)] = []
    state.forEach { ends.append(($0, $1.end)) }
    if !latest, ends.isEmpty { return }
    var deadlines = Deadlines<State.Key>()
    for (key, end) in ends { deadlines.set(end, for: key) }
    self.deadlines = deadlines
  }

  @inlinable package var nextDeadline: Instant? {
    mutating get { deadlines == nil ? look : deadlines?.nextLook }
  }

  @inlinable package var waiting: Int {
    var count = 0
    periods.forEach { if $1.held != nil { count += 1 } }
    return count
  }

  @inlinable package mutating func take(_ element: Element, _ host: some MachineHost<Element>) throws {
    let key = try key(element)
    // What is due goes first, though its alarm may be late.
    wake(host)
    if !latest, periods.contains(key) { return }
    guard let period = periods.value(for: key) else {
      open(key, at: host.now)
      host.emit(element)
      return closeExcess(host)
    }
    set(OpenPeriod(end: period.end, held: element), for: key)
  }

  /// Closes the periods that have ended; an element that was held back opens the next.
  @inlinable package mutating func wake(_ host: some MachineHost<Element>) {
    while let (key, period) = popFirst(dueBy: host.now) {
      guard let held = period.held else { continue }
      open(key, at: host.now)
      host.emit(held)
    }
  }

  /// Takes out the period that ends first, if it has ended.
  @inlinable mutating func popFirst(dueBy now: Instant) -> (key: State.Key, period: OpenPeriod<Element>)? {
    while let key = deadlines?.popFirst(dueBy: now) {
      if let period = periods.remove(key) { return (key, period) }
    }
    guard let due = look, due <= now else { return nil }
    look = periods.oldest?.value.end
    guard let look, look <= now else { return nil }
    return periods.removeOldest().map { ($0.key, $0.value) }
  }

  @inlinable package mutating func flush(_ host: some MachineHost<Element>) {
    var held: [(key: State.Key, element: Element)] = []
    periods.forEach { key, period in
      if let element = period.held { held.append((key, element)) }
    }
    for (key, element) in held {
      periods.remove(key)
      deadlines?.remove(key)
      host.emit(element)
    }
  }

  @inlinable mutating func open(_ key: State.Key, at now: Instant) {
    set(OpenPeriod(end: now + length, held: nil), for: key)
  }

  @inlinable mutating func set(_ period: OpenPeriod<Element>, for key: State.Key) {
    periods.set(period, for: key)
    if deadlines != nil { deadlines?.set(period.end, for: key) } else if look == nil { look = period.end }
  }

  @inlinable mutating func closeExcess(_ host: some MachineHost<Element>) {
    guard periods.count > bound, let (_, period) = popFirst(dueBy: .distantFuture) else { return }
    host.note(.forgotten, beyond: bound)
    if let element = period.held { host.emit(element) }
  }
}
