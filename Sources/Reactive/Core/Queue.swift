/// A queue, first in, first out, in two arrays that are reused.
///
/// What is taken out is not kept. Each element moves once on its way through, and a line of one not at all.
@usableFromInline struct Queue<Element: Sendable>: Sendable {
  @usableFromInline var incoming: [Element] = []
  /// The older elements, the oldest last.
  @usableFromInline var outgoing: [Element] = []

  @inlinable init() {}

  @inlinable var count: Int { outgoing.count + incoming.count }
  @inlinable var isEmpty: Bool { outgoing.isEmpty && incoming.isEmpty }
  @inlinable var first: Element? { outgoing.last ?? incoming.first }

  @inlinable var elements: [Element] { outgoing.reversed() + incoming }

  @inlinable mutating func append(_ element: Element) {
    incoming.append(element)
  }

  @inlinable mutating func popFirst() -> Element? {
    if outgoing.isEmpty {
      swap(&incoming, &outgoing)
      if outgoing.count > 1 { outgoing.reverse() }
    }
    return outgoing.popLast()
  }
}
