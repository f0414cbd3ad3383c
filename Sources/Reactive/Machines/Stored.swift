/// A single value of a machine that the next run begins with.
public protocol StoredCell<Element>: Sendable {
  associatedtype Element: Sendable

  /// The stored value; nil where there is none.
  var value: Element? { get }

  func set(_ value: Element?)
}

/// The durable copy of a queue that a machine has in memory.
public protocol StoredQueue<Element>: Sendable {
  associatedtype Element: Sendable

  /// The elements that waited when the last run ended, in order.
  var waiting: [Element] { get }

  mutating func append(_ value: Element)
  mutating func removeFirst()
  mutating func removeAll()
}

/// The storage of a machine that keeps nothing for another run.
public struct NoStorage<Element: Sendable>: StoredCell, StoredQueue {
  @inlinable public init() {}
  @inlinable public var value: Element? { nil }
  @inlinable public func set(_ value: Element?) {}
  @inlinable public var waiting: [Element] { [] }
  @inlinable public func append(_ value: Element) {}
  @inlinable public func removeFirst() {}
  @inlinable public func removeAll() {}
}
