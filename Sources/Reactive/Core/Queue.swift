/// A queue, first in, first out, in two arrays that are reused.
///
/// What is taken out is not kept. Each element moves once on its way through, and a line of one not at all.
@usableFromInline package struct Queue<Element> {
  @usableFromInline package var incoming: [Element] = []
  /// The older elements, the oldest last.
  @usableFromInline package var outgoing: [Element] = []

  @inlinable package init() {}

  @inlinable package var count: Int { outgoing.count + incoming.count }
  @inlinable package var isEmpty: Bool { outgoing.isEmpty && incoming.isEmpty }
  @inlinable package var first: Element? { outgoing.last ?? incoming.first }

  @inlinable package var elements: [Element] { outgoing.reversed() + incoming }

  @inlinable package func contains(where condition: (Element) -> Bool) -> Bool {
    outgoing.contains(where: condition) || incoming.contains(where: condition)
  }

  @inlinable package mutating func append(_ element: Element) {
    incoming.append(element)
  }

  @inlinable package mutating func popFirst() -> Element? {
    if outgoing.isEmpty { turn() }
    return outgoing.popLast()
  }

  /// Takes out the first that fulfils a condition; mostly it is the first of all, which moves no others.
  @inlinable package mutating func popFirst(where condition: (Element) -> Bool) -> Element? {
    if outgoing.isEmpty { turn() }
    if let index = outgoing.lastIndex(where: condition) { return outgoing.remove(at: index) }
    return incoming.firstIndex(where: condition).map { incoming.remove(at: $0) }
  }

  /// Has what has come in go out from now on.
  @inlinable mutating func turn() {
    swap(&incoming, &outgoing)
    if outgoing.count > 1 { outgoing.reverse() }
  }
}

extension Queue: Sendable where Element: Sendable {}
