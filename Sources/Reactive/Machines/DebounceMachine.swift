/// An element that waits for its key to fall quiet.
public struct Pending<Element: Sendable>: Sendable {
  public var element: Element
  /// When the first of the row of elements came, and when the latest did.
  public var since: Instant
  public var latest: Instant

  public init(element: Element, since: Instant, latest: Instant) {
    self.element = element
    self.since = since
    self.latest = latest
  }
}

/// The state machine of `debounce`: decides when the last element of each key is due.
///
/// Its memory and the time are handed in. An element is due when its key has been quiet for `quiet`, or when `maxWait`
/// has passed since the row began; of elements due at one instant, the one that came first. With more than `bound` keys
/// waiting, the one that has been quiet longest is due at once.
public struct DebounceMachine<State: KeyedState, Element: Sendable>: Sendable
where State: Sendable, State.Value == Pending<Element> {
  public private(set) var state: State
  private let quiet: Duration
  private let maxWait: Duration?
  public let bound: Int
  private var deadlines = Deadlines<State.Key>()

  public init(state: State, quiet: Duration, maxWait: Duration? = nil, bound: Int) {
    self.state = state
    self.quiet = quiet
    self.maxWait = maxWait
    self.bound = max(1, bound)
    var waiting: [(State.Key, Instant)] = []
    state.forEach { key, pending in waiting.append((key, deadline(of: pending))) }
    for (key, deadline) in waiting { deadlines.set(deadline, for: key) }
  }

  /// When `due` should be asked next.
  public var nextDeadline: Instant? {
    mutating get { deadlines.nextLook }
  }

  /// Accepts an element; returns one that must be sent early because too many keys are waiting.
  public mutating func accept(_ element: Element, for key: State.Key, at now: Instant) -> Element? {
    let since = state.value(for: key)?.since
    let pending = Pending(element: element, since: since ?? now, latest: now)
    state.set(pending, for: key)
    deadlines.set(deadline(of: pending), for: key)
    guard state.count > bound, let oldest = state.oldest else { return nil }
    deadlines.remove(oldest.key)
    return state.remove(oldest.key)?.element
  }

  /// Takes out the next element that is due, if one is.
  public mutating func due(at now: Instant) -> Element? {
    deadlines.popFirst(dueBy: now).flatMap { state.remove($0)?.element }
  }

  /// Takes out everything, the key that has been quiet longest first.
  public mutating func flush() -> [Element] {
    var all: [Element] = []
    while let oldest = state.oldest {
      all.append(oldest.value.element)
      state.remove(oldest.key)
    }
    deadlines = Deadlines()
    return all
  }

  private func deadline(of pending: Pending<Element>) -> Instant {
    let whenQuiet = pending.latest + quiet
    guard let maxWait else { return whenQuiet }
    return min(whenQuiet, pending.since + maxWait)
  }
}
