/// The state machine of `distinct`: knows a repeat of a key from its first sight; memory and time are handed in.
///
/// At most `bound` keys are remembered, the one seen longest ago making room; with a `lifetime`, a key is forgotten
/// when it has not been seen for that long. Without one, while no more than half of `bound` are remembered, a repeat
/// is not noted, so that it costs a look and no write: room is far from being made, and a key that is seen again in
/// the other half has its place by that.
public struct DistinctMachine<State: KeyedState>: Sendable where State: Sendable, State.Value == Instant {
  @usableFromInline var kept: State
  @usableFromInline let bound: Int
  @usableFromInline let lifetime: Duration?

  @inlinable public var state: State { kept }

  @inlinable public init(state: State, bound: Int, lifetime: Duration? = nil) {
    kept = state
    self.bound = max(1, bound)
    self.lifetime = lifetime
  }

  /// Notes a key; true if it was not remembered.
  @inlinable
  public mutating func isNew(_ key: State.Key, at now: Instant) -> Bool {
    forgetOld(now)
    let isNew = !kept.contains(key)
    guard isNew || lifetime != nil || kept.count > bound / 2 else { return false }
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
