/// A queue, first in, first out, in two arrays that are reused.
///
/// What is taken out is not kept. Each element moves once on its way through, and a line of one not at all.
@usableFromInline package struct Queue<Element: Sendable>: Sendable {
  @usableFromInline package var incoming: [Element] = []
  /// The older elements, the oldest last.
  @usableFromInline package var outgoing: [Element] = []

  @inlinable package init() {}

  @inlinable package var count: Int { outgoing.count + incoming.count }
  @inlinable package var isEmpty: Bool { outgoing.isEmpty && incoming.isEmpty }
  @inlinable package var first: Element? { outgoing.last ?? incoming.first }

  @inlinable package var elements: [Element] { outgoing.reversed() + incoming }

  @inlinable package mutating func append(_ element: Element) {
    incoming.append(element)
  }

  @inlinable package mutating func popFirst() -> Element? {
    if outgoing.isEmpty {
      swap(&incoming, &outgoing)
      if outgoing.count > 1 { outgoing.reverse() }
    }
    return outgoing.popLast()
  }
}
