/// A ring of the last `limit` elements, oldest first; a new one replaces the oldest.
struct Ring<Element: Sendable>: Sendable {
  private var storage: [Element] = []
  private var start = 0
  let limit: Int

  init(limit: Int, seed: Element? = nil) {
    self.limit = limit
    if let seed, limit > 0 { storage.append(seed) }
  }

  var count: Int { storage.count }
  var isEmpty: Bool { storage.isEmpty }
  var isFull: Bool { storage.count >= limit }

  var last: Element? {
    if storage.isEmpty { return nil }
    return storage[(start + storage.count - 1) % storage.count]
  }

  var elements: [Element] {
    start == 0 ? storage : Array(storage[start...] + storage[..<start])
  }

  /// Adds an element instead of the oldest, which is discarded.
  mutating func push(_ element: Element) {
    if limit <= 0 { return }
    guard isFull else { return storage.append(element) }
    storage[start] = element
    start = start + 1 == limit ? 0 : start + 1
  }

  /// Adds an element; returns the one it pushed out.
  @discardableResult
  mutating func append(_ element: Element) -> Element? {
    if limit <= 0 { return element }
    guard isFull else {
      storage.append(element)
      return nil
    }
    let oldest = storage[start]
    storage[start] = element
    start = (start + 1) % limit
    return oldest
  }

  /// Takes everything out.
  mutating func takeAll() -> [Element] {
    let all = elements
    storage.removeAll(keepingCapacity: true)
    start = 0
    return all
  }
}
