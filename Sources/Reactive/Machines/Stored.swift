/// A single value of a machine that the next run begins with.
@usableFromInline package protocol StoredCell<Element>: Sendable {
  associatedtype Element: Sendable

  /// The stored value; nil where there is none.
  var value: Element? { get }

  func set(_ value: Element?)
}

/// The durable copy of a queue that a machine has in memory.
@usableFromInline package protocol StoredQueue<Element>: Sendable {
  associatedtype Element: Sendable

  /// The elements that waited when the last run ended, in order.
  var waiting: [Element] { get }

  mutating func append(_ value: Element)
  mutating func removeFirst()
  mutating func removeAll()
}

/// The storage of a machine that keeps nothing for another run.
@usableFromInline package struct NoStorage<Element: Sendable>: StoredCell, StoredQueue {
  @inlinable package init() {}
  @inlinable package var value: Element? { nil }
  @inlinable package func set(_ value: Element?) {}
  @inlinable package var waiting: [Element] { [] }
  @inlinable package func append(_ value: Element) {}
  @inlinable package func removeFirst() {}
  @inlinable package func removeAll() {}
}
