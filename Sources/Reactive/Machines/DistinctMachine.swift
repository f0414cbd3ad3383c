/// The state machine of `distinct`: passes on the first element of each key.
///
/// At most `bound` keys are remembered, the one seen longest ago making room; with a `lifetime`, a key is forgotten
/// when it has not been seen for that long. Without one, while no more than half of `bound` are remembered, a repeat
/// is not noted, so that it costs a look and no write: room is far from being made, and a key that is seen again in
/// the other half has its place by that.
///
/// Inlinable for the same reason as `MemoryState`.
@usableFromInline package struct DistinctMachine<State: KeyedState, Element: Sendable>: Machine
where State: Sendable, State.Value == Instant {
  @usableFromInline package typealias Input = Element
  @usableFromInline package typealias Output = Element

  @usableFromInline var kept: State
  @usableFromInline let bound: Int
  @usableFromInline let lifetime: Duration?
  @usableFromInline let key: @Sendable (Element) throws -> State.Key

  @inlinable package var state: State { kept }

  @inlinable package init(
    state: State, bound: Int, lifetime: Duration? = nil,
    by key: @escaping @Sendable (Element) throws -> State.Key
  ) {
    kept = state
    self.bound = max(1, bound)
    self.lifetime = lifetime
    self.key = key
  }

  @inlinable package mutating func take(_ element: Element, _ host: some MachineHost<Element>) throws {
    if isNew(try key(element), at: host.now) { host.emit(element) }
  }

  /// Notes a key; true if it was not remembered.
  @inlinable
  mutating func isNew(_ key: State.Key, at now: Instant) -> Bool {
    forgetOld(now)
    if lifetime == nil, kept.count <= bound / 2 { return kept.insert(now, for: key) }
    let isNew = !kept.contains(key)
    kept.set(now, for: key)
    if kept.count > bound { kept.forget(beyond: bound) }
    return isNew
  }

  @inlinable
  mutating func forgetOld(_ now: Instant) {
    guard let lifetime else { return }
    while let oldest = kept.oldest, oldest.value + lifetime <= now { kept.remove(oldest.key) }
  }
}
