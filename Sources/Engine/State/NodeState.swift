import Language
import System
import JSON
import Reactive
import Store

/// The keyed state of a step: in memory, or, where the pipeline has state, durable.
///
/// Keys are copied out of the documents they were read from.
///
/// Inlinable for the same reason as `MemoryState`.
public struct NodeState<Element: StorableValue>: KeyedState, Sendable {
  @usableFromInline var memory = MemoryState<JSON.Value, Element>()
  @usableFromInline let table: LaneLocal<TypedTable<Element>>?
  /// Notes the keys that are forgotten for lack of room.
  @usableFromInline let forgetting: StepBound?

  init(_ table: TypedTable<Element>?, _ forgetting: StepBound? = nil) {
    (self.table, self.forgetting) = (table.map { LaneLocal($0) }, forgetting)
  }

  /// In memory only.
  public init() { (table, forgetting) = (nil, nil) }

  @inlinable public var count: Int { table?.value.count ?? memory.count }

  @inlinable public func value(for key: JSON.Value) -> Element? {
    if let table { return table.value.value(for: key.keyBytes) }
    return memory.value(for: key)
  }

  @inlinable public func contains(_ key: JSON.Value) -> Bool {
    if let table { return table.value.contains(key.keyBytes) }
    return memory.contains(key)
  }

  @inlinable public mutating func set(_ element: Element, for key: JSON.Value) {
    if let table { return table.value.set(element, for: key.keyBytes) }
    memory.set(element, for: key) { $0.detach() }
  }

  @inlinable public mutating func insert(_ element: Element, for key: JSON.Value) -> Bool {
    guard let table else { return memory.insert(element, for: key) { $0.detach() } }
    let bytes = key.keyBytes
    if table.value.contains(bytes) { return false }
    table.value.set(element, for: bytes)
    return true
  }

  @inlinable public mutating func update(
    _ key: JSON.Value, _ change: (inout Element?) throws -> Void
  ) rethrows {
    guard let table else { return try memory.update(key, copying: { $0.detach() }, change) }
    let bytes = key.keyBytes
    var element = table.value.value(for: bytes)
    try change(&element)
    if let element { table.value.set(element, for: bytes) } else { table.value.remove(bytes) }
  }

  @discardableResult @inlinable
  public mutating func remove(_ key: JSON.Value) -> Element? {
    if let table { return table.value.remove(key.keyBytes) }
    return memory.remove(key)
  }

  @inlinable public var oldest: (key: JSON.Value, value: Element)? {
    if let table { return table.value.oldest.map { (JSON.Value(keyBytes: $0.key), $0.value) } }
    return memory.oldest
  }

  @discardableResult @inlinable public mutating func removeOldest() -> (key: JSON.Value, value: Element)? {
    guard let table else { return memory.removeOldest() }
    guard let (key, value) = table.value.oldest else { return nil }
    table.value.remove(key)
    return (JSON.Value(keyBytes: key), value)
  }

  @inlinable public mutating func forget(beyond bound: Int) {
    while count > bound, removeOldest() != nil { forgetting?.noteForgotten(beyond: bound) }
  }

  @inlinable public func forEach(_ body: (JSON.Value, Element) -> Void) {
    if let table { return table.value.forEach { body(JSON.Value(keyBytes: $0), $1) } }
    memory.forEach(body)
  }
}

/// A single durable value of a node.
public struct NodeCell<Element: StorableValue>: StoredCell {
  private let table: LaneLocal<TypedTable<Element>>?
  private static var key: [UInt8] { Array(StoredTable.cell.utf8) }
  /// By this and its key its table is known from those with keys.
  static var isOrdered: Bool { false }

  init(_ table: TypedTable<Element>?) { self.table = table.map { LaneLocal($0) } }

  /// The stored value; nil if there is none, or no state.
  public var value: Element? { table?.value.value(for: Self.key) }

  public func set(_ element: Element?) {
    guard let table = table?.value else { return }
    if let element { table.set(element, for: Self.key) } else { table.remove(Self.key) }
  }
}

/// The durable copy of a queue that a node has in memory.
public struct NodeQueue<Element: StorableValue>: StoredQueue {
  private let table: LaneLocal<TypedTable<Element>>?
  private var next: Int

  init(_ table: TypedTable<Element>?) {
    self.table = table.map { LaneLocal($0) }
    next = 0
    table?.forEach { key, _ in
      next = max(next, (Value(keyBytes: key).double.flatMap { Int(exactly: $0) } ?? 0) + 1)
    }
  }

  /// The elements that waited when the last run ended, in order.
  public var waiting: [Element] {
    var elements: [Element] = []
    table?.value.forEach { elements.append($1) }
    return elements
  }

  public mutating func append(_ element: Element) {
    guard let table = table?.value else { return }
    table.set(element, for: Value.number(next).keyBytes)
    next += 1
  }

  public func removeFirst() {
    guard let table = table?.value, let oldest = table.oldest else { return }
    table.remove(oldest.key)
  }

  public func removeAll() { table?.value.removeAll() }
}
