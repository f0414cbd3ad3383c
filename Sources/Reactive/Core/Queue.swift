/// First in, first out, in one array that is reused.
struct Queue<Element: Sendable>: Sendable {
  private var storage: [Element] = []
  private var head = 0

  var count: Int { storage.count - head }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : storage[head] }

  mutating func append(_ element: Element) {
    storage.append(element)
  }

  mutating func popFirst() -> Element? {
    guard let element = first else { return nil }
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
