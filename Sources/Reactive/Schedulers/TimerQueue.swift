/// A queue of timers in the order they fall due, those of one instant in the order they were set.
///
/// A binary heap of plain numbers beside a list of the work: cancelling a timer frees its work at once, and its
/// number goes when it reaches the top or when such numbers outweigh the live ones.
package struct TimerQueue<Work: Sendable>: Sendable {
  package typealias Key = Int
  private struct Entry: Sendable {
    let deadline: Instant
    let key: Key

    func isBefore(_ other: Entry) -> Bool {
      deadline == other.deadline ? key < other.key : deadline < other.deadline
    }
  }

  private var heap: [Entry] = []
  private var work = Roster<Work>()
  private var lastKey = 0

  package init() {}

  package var count: Int { work.count }
  package var isEmpty: Bool { work.count == 0 }

  /// When the next timer is due.
  package var earliest: Instant? {
    mutating get {
      dropCancelled()
      return heap.first?.deadline
    }
  }

  package mutating func insert(at deadline: Instant, _ item: Work) -> Key {
    lastKey += 1
    work.append(item, key: lastKey)
    heap.append(Entry(deadline: deadline, key: lastKey))
    siftUp(heap.count - 1)
    return lastKey
  }

  /// Cancels a timer; returns its work for the caller to release.
  package mutating func remove(_ key: Key) -> Work? {
    let removed = work.remove(key)
    if heap.count > 2 * work.count + 32 { compact() }
    return removed
  }

  /// Takes the next timer out, if it is due by `limit`.
  package mutating func popFirst(dueBy limit: Instant) -> (deadline: Instant, work: Work)? {
    dropCancelled()
    guard let top = heap.first, top.deadline <= limit, let item = work.remove(top.key) else {
      return nil
    }
    removeTop()
    return (top.deadline, item)
  }

  /// The timers due by `limit`, earliest first.
  func keys(dueBy limit: Instant) -> [Key] {
    heap.filter { $0.deadline <= limit && work.contains($0.key) }.sorted { $0.isBefore($1) }.map(\.key)
  }

  private mutating func dropCancelled() {
    while let top = heap.first, !work.contains(top.key) { removeTop() }
  }

  private mutating func compact() {
    heap = heap.filter { work.contains($0.key) }.sorted { $0.isBefore($1) }  // a sorted array is a heap
  }

  private mutating func removeTop() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    siftDown(0)
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBefore(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if heap[child].isBefore(heap[least]) { least = child }
      }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
