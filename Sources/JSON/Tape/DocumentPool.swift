/// A pool of documents whose memory is reused once none of their values is alive.
///
/// A caller that keeps no values stays in the same memory.
struct DocumentPool {
  /// The most documents kept for reuse while values of them are alive.
  private static let mostInUse = 8

  private let size: Int
  /// Documents that were handed out, the oldest first.
  private var used: [TapeDocument] = []

  /// A pool of documents that mostly have `size` bytes or less.
  init(size: Int) { self.size = size }

  /// The most recent document without values that are alive: its memory is still in the caches.
  mutating func takeUnused() -> TapeDocument? {
    for place in used.indices.reversed() where isKnownUniquelyReferenced(&used[place]) {
      let document = used.remove(at: place)
      document.reset()
      return document
    }
    return nil
  }

  mutating func retire(_ document: TapeDocument) {
    // A document that grew for one large value is not kept.
    if document.rawCapacity > size * 4 { return }
    if used.count == Self.mostInUse { used.removeFirst() }
    used.append(document)
  }
}
