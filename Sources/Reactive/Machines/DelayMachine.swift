/// The state machine of `delay`: returns each element when it is due, in the order of arrival.
///
/// Inlinable for the same reason as `MemoryState`.
public struct DelayMachine<Element: Sendable>: Sendable {
  @usableFromInline var queue = Queue<(due: Instant, element: Element)>()

  @inlinable public init() {}

  /// How many elements wait.
  @inlinable public var count: Int { queue.count }

  /// The elements that wait, in order.
  @inlinable public var elements: [Element] { queue.elements.map(\.element) }

  /// When to ask `due` next.
  @inlinable public var nextDeadline: Instant? { queue.first?.due }

  /// Takes an element that is due then, but not before those that wait already.
  @inlinable public mutating func accept(_ element: Element, due: Instant) { queue.append((due, element)) }

  /// Takes out the next element that is due, if one is.
  @inlinable public mutating func due(at now: Instant) -> Element? {
    guard let first = queue.first, first.due <= now else { return nil }
    return flushFirst()
  }

  /// Takes out the oldest element, whether or not it is due.
  @inlinable public mutating func flushFirst() -> Element? { queue.popFirst()?.element }
}
