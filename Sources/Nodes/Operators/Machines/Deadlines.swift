import Reactive

/// One deadline a key, the earliest first.
struct Deadlines<Key: Hashable & Sendable>: Sendable {
  private var queue = TimerQueue<Key>()
  private var timers: [Key: (at: Instant, number: Int)] = [:]

  var earliest: Instant? {
    mutating get { queue.earliest }
  }

  /// Sets the deadline of a key instead of the one it had.
  mutating func set(_ deadline: Instant, for key: Key) {
    if let timer = timers[key] {
      if timer.at == deadline { return }
      _ = queue.remove(timer.number)
    }
    timers[key] = (deadline, queue.insert(at: deadline, key))
  }

  mutating func remove(_ key: Key) {
    if let timer = timers.removeValue(forKey: key) { _ = queue.remove(timer.number) }
  }

  /// Takes out the key whose deadline is the earliest, if that is due.
  mutating func popFirst(dueBy now: Instant) -> Key? {
    guard let key = queue.popFirst(dueBy: now)?.work else { return nil }
    timers[key] = nil
    return key
  }
}
