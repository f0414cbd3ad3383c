/// The state machine of `sample`: emits the latest element of each key at fixed intervals.
///
/// At most `bound` keys wait; beyond that, the one that has waited longest is emitted at once.
///
/// Inlinable for the same reason as `MemoryState`.
@usableFromInline
package struct SampleMachine<State: KeyedState, Begin: StoredCell<Instant>, Element: Sendable>: Machine
where State: Sendable, State.Value == Element {
  @usableFromInline package typealias Input = Element
  @usableFromInline package typealias Output = Element

  @usableFromInline var latest: State
  @usableFromInline let interval: Duration
  @usableFromInline let bound: Int
  @usableFromInline let key: @Sendable (Element) throws -> State.Key
  /// When the first interval began, in this run or an earlier one.
  @usableFromInline let stored: Begin
  @usableFromInline var begin = Instant()
  @usableFromInline var next: Instant?

  @inlinable package init(
    state: State, begin: Begin, every interval: Duration, bound: Int,
    by key: @escaping @Sendable (Element) throws -> State.Key
  ) {
    latest = state
    self.interval = interval
    stored = begin
    self.bound = max(1, bound)
    self.key = key
  }

  @inlinable package var nextDeadline: Instant? { next }
  @inlinable package var waiting: Int { latest.count }

  @inlinable package mutating func start(_ host: some MachineHost<Element>) {
    begin = stored.value ?? host.now
    stored.set(begin)
    if latest.count > 0 { next = end(after: host.now) }
  }

  @inlinable package mutating func take(_ element: Element, _ host: some MachineHost<Element>) throws {
    let key = try key(element)
    if let next, next <= host.now { wake(host) }
    latest.set(element, for: key)
    if latest.count > bound, let oldest = latest.removeOldest() {
      host.note(.early, beyond: bound)
      host.emit(oldest.value)
    }
    if next == nil { next = end(after: host.now) }
  }

  @inlinable package mutating func wake(_ host: some MachineHost<Element>) {
    next = nil
    flush(host)
  }

  @inlinable package mutating func flush(_ host: some MachineHost<Element>) {
    while let oldest = latest.removeOldest() { host.emit(oldest.value) }
  }

  /// The end of the interval that a time is in.
  @inlinable func end(after now: Instant) -> Instant {
    begin + interval * (((now - begin) / interval).rounded(.down) + 1)
  }
}
