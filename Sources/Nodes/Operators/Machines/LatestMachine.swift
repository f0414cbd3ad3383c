import Reactive

/// The latest element of a key, and when it was stored.
struct Latest<Element: Sendable>: Sendable {
  var element: Element
  var at: Instant
}

/// The state machine of `join` and `scan`: the latest element of each key; memory and time are passed in.
///
/// At most `bound` keys are remembered; beyond that, the least recently written is forgotten. With a `lifetime`, a key
/// is forgotten when it has not been written for that long.
struct LatestMachine<State: KeyedState, Element: Sendable>: Sendable
where State: Sendable, State.Value == Latest<Element> {
  private(set) var state: State
  private let bound: Int
  private let lifetime: Duration?

  init(state: State, bound: Int, lifetime: Duration? = nil) {
    self.state = state
    self.bound = max(1, bound)
    self.lifetime = lifetime
  }

  mutating func set(_ element: Element, for key: State.Key, at now: Instant) {
    forgetOld(now)
    state.set(Latest(element: element, at: now), for: key)
    if state.count > bound { state.forget(beyond: bound) }
  }

  mutating func element(for key: State.Key, at now: Instant) -> Element? {
    forgetOld(now)
    return state.value(for: key)?.element
  }

  private mutating func forgetOld(_ now: Instant) {
    guard let lifetime else { return }
    while let oldest = state.oldest, oldest.value.at + lifetime <= now { state.remove(oldest.key) }
  }
}
