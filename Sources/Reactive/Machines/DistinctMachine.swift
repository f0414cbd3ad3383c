/// Tells the first sight of a key from a repeat; the logic of `distinct`, with its memory and the time handed in.
///
/// At most `bound` keys are remembered, the one seen longest ago making room; with a `lifetime`, a key is forgotten
/// when it has not been seen for that long.
public struct DistinctMachine<State: KeyedState>: Sendable where State: Sendable, State.Value == Instant {
  public private(set) var state: State
  private let bound: Int
  private let lifetime: Duration?

  public init(state: State, bound: Int, lifetime: Duration? = nil) {
    self.state = state
    self.bound = max(1, bound)
    self.lifetime = lifetime
  }

  /// Notes a key; true if it was not remembered.
  public mutating func isNew(_ key: State.Key, at now: Instant) -> Bool {
    forgetOld(now)
    let isNew = state.value(for: key) == nil
    state.set(now, for: key)
    if state.count > bound, let oldest = state.oldest { state.remove(oldest.key) }
    return isNew
  }

  private mutating func forgetOld(_ now: Instant) {
    guard let lifetime else { return }
    while let oldest = state.oldest, oldest.value + lifetime <= now { state.remove(oldest.key) }
  }
}
