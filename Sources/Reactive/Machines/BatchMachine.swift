/// The state machine of `buffer` and of batches: gathers elements until there are enough of them, or the first has
/// waited long enough.
///
/// Inlinable for the same reason as `MemoryState`.
public struct BatchMachine<Element: Sendable>: Sendable {
  @usableFromInline let limit: Int
  @usableFromInline let time: Duration?
  @usableFromInline var gathered: [Element] = []
  @usableFromInline var since = Instant()

  @inlinable public init(limit: Int, time: Duration? = nil) {
    self.limit = max(1, limit)
    self.time = time
  }

  /// What waits.
  @inlinable public var elements: [Element] { gathered }

  /// When to ask `due`.
  @inlinable public var nextDeadline: Instant? { gathered.isEmpty ? nil : time.map { since + $0 } }

  /// Resumes with what was gathered before.
  @inlinable public mutating func resume(_ elements: [Element], since: Instant) {
    gathered = elements
    self.since = since
  }

  /// Accepts an element; returns the batch that it completes, if any.
  ///
  /// The clock is read for the first of a batch alone.
  @inlinable public mutating func accept(_ element: Element, at now: @autoclosure () -> Instant) -> [Element]?
  {
    if gathered.isEmpty { since = now() }
    gathered.append(element)
    return gathered.count >= limit ? flush() : nil
  }

  /// Takes out the batch whose time is over.
  @inlinable public mutating func due(at now: Instant) -> [Element]? {
    guard let nextDeadline, nextDeadline <= now else { return nil }
    return flush()
  }

  /// Takes out the elements that wait.
  @inlinable public mutating func flush() -> [Element]? {
    defer { gathered = [] }
    return gathered.isEmpty ? nil : gathered
  }
}
