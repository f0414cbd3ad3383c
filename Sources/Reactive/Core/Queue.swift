/// A queue, first in, first out, in one array that is reused.
@usableFromInline struct Queue<Element: Sendable>: Sendable {
  /// What has been taken out is nil, so that it is not kept.
  @usableFromInline var storage: [Element?] = []
  @usableFromInline var head = 0

  @inlinable init() {}

  @inlinable var count: Int { storage.count - head }
  @inlinable var isEmpty: Bool { count == 0 }
  @inlinable var first: Element? { isEmpty ? nil : storage[head] }

  @inlinable var elements: [Element] { storage[head...].compactMap { $0 } }

  @inlinable mutating func append(_ element: Element) {
    storage.append(element)
  }

  @inlinable mutating func popFirst() -> Element? {
    if isEmpty { return nil }
    var element: Element?
    swap(&element, &storage[head])
    head += 1
    // Moving what is left once half is used up makes each element move once on average.
    if head > 16, head * 2 > storage.count {
      storage.removeFirst(head)
      head = 0
    } else if head == storage.count {
      storage.removeAll(keepingCapacity: true)
      head = 0
    }
    return element
  }
}
