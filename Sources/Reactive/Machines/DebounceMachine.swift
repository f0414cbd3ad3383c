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

/// Decides when the last element of each key is due; the logic of `debounce`, with its memory and the time handed in.
///
/// An element is due when its key has been quiet for `quiet`, or when `maxWait` has passed since the row began. With
/// more than `bound` keys waiting, the one that has been quiet longest is due at once.
public struct DebounceMachine<State: KeyedState, Element: Sendable>: Sendable
where State: Sendable, State.Value == Pending<Element> {
  public private(set) var state: State
  private let quiet: Duration
  private let maxWait: Duration?
  private let bound: Int
  /// One number a key: its deadline when that was last looked at, never later than the present one.
  private var deadlines = TimerQueue<State.Key>()
  private var timers: [State.Key: TimerQueue<State.Key>.Key] = [:]

  public init(state: State, quiet: Duration, maxWait: Duration? = nil, bound: Int) {
    self.state = state
    self.quiet = quiet
    self.maxWait = maxWait
    self.bound = max(1, bound)
    var waiting: [(State.Key, Instant)] = []
    state.forEach { key, pending in waiting.append((key, deadline(of: pending))) }
    for (key, deadline) in waiting { setTimer(at: deadline, key) }
  }

  /// When `due` should be asked next.
  public var nextDeadline: Instant? {
    mutating get { deadlines.earliest }
  }

  /// Takes an element; hands back one that must go because too many keys wait.
  public mutating func accept(_ element: Element, for key: State.Key, at now: Instant) -> Element? {
    let since = state.value(for: key)?.since
    let pending = Pending(element: element, since: since ?? now, latest: now)
    state.set(pending, for: key)
    if timers[key] == nil { setTimer(at: deadline(of: pending), key) }
    guard state.count > bound, let oldest = state.oldest else { return nil }
    if let timer = timers.removeValue(forKey: oldest.key) { _ = deadlines.remove(timer) }
    return state.remove(oldest.key)?.element
  }

  /// Takes out the next element that is due, if one is.
  public mutating func due(at now: Instant) -> Element? {
    while let (queued, key) = deadlines.popFirst(dueBy: now) {
      timers[key] = nil
      guard let pending = state.value(for: key) else { continue }
      let deadline = deadline(of: pending)
      if deadline <= queued { return state.remove(key)?.element }
      setTimer(at: deadline, key)  // there may be another that is due before it
    }
    return nil
  }

  /// Takes out everything, the key that has been quiet longest first.
  public mutating func flush() -> [Element] {
    var all: [Element] = []
    while let oldest = state.oldest {
      all.append(oldest.value.element)
      state.remove(oldest.key)
    }
    deadlines = TimerQueue()
    timers = [:]
    return all
  }

  private mutating func setTimer(at deadline: Instant, _ key: State.Key) {
    timers[key] = deadlines.insert(at: deadline, key)
  }

  private func deadline(of pending: Pending<Element>) -> Instant {
    let whenQuiet = pending.latest + quiet
    guard let maxWait else { return whenQuiet }
    return min(whenQuiet, pending.since + maxWait)
  }
}
