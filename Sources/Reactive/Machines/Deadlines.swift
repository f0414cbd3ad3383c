/// Deadlines, one a key: the earliest first, and at one instant the key that was set longest ago first.
///
/// That is the order of `KeyedState` too. A machine that sets a key's deadline whenever it writes the key's state, and
/// sets all of them in the order of the state when it is made, has one order at each instant, whether or not it was
/// made again in between.
///
/// A binary heap beside a table. A deadline that is put off changes the table alone: its entry in the heap is moved to
/// its place when it comes to the top. Inlinable for the same reason as `MemoryState`.
@usableFromInline package struct Deadlines<Key: Hashable & Sendable>: Sendable {
  /// A point in the order of deadlines; no two are equal.
  @usableFromInline struct Rank: Sendable {
    @usableFromInline var at: Instant
    /// Rises with each deadline that is set.
    @usableFromInline var number: Int

    @inlinable init(at: Instant, number: Int) { (self.at, self.number) = (at, number) }

    @inlinable func isBefore(_ other: Rank) -> Bool {
      at == other.at ? number < other.number : at < other.at
    }
  }

  @usableFromInline struct Slot: Sendable {
    @usableFromInline let key: Key
    @usableFromInline var rank: Rank
    /// Where the key's entry in the heap is: never behind `rank`.
    @usableFromInline var queued: Rank

    @inlinable init(key: Key, rank: Rank, queued: Rank) {
      (self.key, self.rank, self.queued) = (key, rank, queued)
    }
  }

  @usableFromInline struct Entry: Sendable {
    @usableFromInline var rank: Rank
    /// The place of the key's slot, unless the entry is dead.
    @usableFromInline let place: Int32

    @inlinable init(rank: Rank, place: Int32) { (self.rank, self.place) = (rank, place) }
  }

  @usableFromInline var index = HashIndex()
  @usableFromInline var slots: [Slot?] = []
  @usableFromInline var free: [Int32] = []
  @usableFromInline var heap: [Entry] = []
  @usableFromInline var lastNumber = 0

  @inlinable package init() {}

  /// The earliest deadline.
  @inlinable package var earliest: Instant? {
    mutating get {
      while let top = heap.first {
        if isLive(top), let rank = slots[Int(top.place)]?.rank {
          if rank.at == top.rank.at { return rank.at }
          moveTop(to: rank)
        } else {
          removeTop()
        }
      }
      return nil
    }
  }

  /// When to ask `popFirst` again: the earliest deadline, or one before it that has been put off.
  ///
  /// It costs nothing where the earliest deadline is put off again and again.
  @inlinable package var nextLook: Instant? {
    mutating get {
      while let top = heap.first {
        if isLive(top) { return top.rank.at }
        removeTop()
      }
      return nil
    }
  }

  /// Sets the deadline of a key instead of the one it had; the key comes last of those with the same deadline.
  @inlinable package mutating func set(_ deadline: Instant, for key: Key) {
    set(deadline, for: key) { $0 }
  }

  /// The same with a copy of the key, if it is a new one.
  @inlinable package mutating func set(_ deadline: Instant, for key: Key, copying copy: (Key) -> Key) {
    lastNumber += 1
    let rank = Rank(at: deadline, number: lastNumber)
    let hash = HashIndex.hash(key)
    let found = find(key, hash)
    var place = Int32(truncatingIfNeeded: found < 0 ? slots.count : index.place(found))
    if found < 0 {
      if let reused = free.popLast() { place = reused } else { slots.append(nil) }
      index.insert(hash, Int(place), at: ~found)
      slots[Int(place)] = Slot(key: copy(key), rank: rank, queued: rank)
    } else {
      slots[Int(place)]?.rank = rank
      if let queued = slots[Int(place)]?.queued, queued.at <= deadline { return }
      slots[Int(place)]?.queued = rank
    }
    heap.append(Entry(rank: rank, place: place))
    siftUp(heap.count - 1)
    compact()
  }

  /// Forgets the deadline of a key.
  @inlinable package mutating func remove(_ key: Key) {
    let found = find(key, HashIndex.hash(key))
    if found < 0 { return }
    removeSlot(at: found)
    compact()
  }

  /// Takes out the key whose deadline is the earliest, if that is due.
  @inlinable package mutating func popFirst(dueBy now: Instant) -> Key? {
    while let top = heap.first {
      guard isLive(top), let slot = slots[Int(top.place)] else {
        removeTop()
        continue
      }
      if top.rank.at > now { return nil }
      if slot.rank.number == top.rank.number {
        removeSlot(at: find(slot.key, HashIndex.hash(slot.key)))
        removeTop()
        return slot.key
      }
      moveTop(to: slot.rank)
    }
    return nil
  }

  @inlinable func find(_ key: Key, _ hash: UInt64) -> Int {
    slots.withUnsafeBufferPointer { slots in index.find(hash) { slots[$0]?.key == key } }
  }

  @inlinable mutating func removeSlot(at found: Int) {
    let place = index.place(found)
    index.remove(at: found)
    slots[place] = nil
    free.append(Int32(truncatingIfNeeded: place))
  }

  @inlinable func isLive(_ entry: Entry) -> Bool {
    slots[Int(entry.place)]?.queued.number == entry.rank.number
  }

  /// Moves the entry at the top to the place that its key has been put off to.
  @inlinable mutating func moveTop(to rank: Rank) {
    slots[Int(heap[0].place)]?.queued = rank
    heap[0].rank = rank
    siftDown(0)
  }

  /// Drops the dead entries when they outweigh the live ones.
  @inlinable mutating func compact() {
    if heap.count <= 2 * index.count + 32 { return }
    // A sorted array is a heap.
    heap = heap.filter { isLive($0) }.sorted { $0.rank.isBefore($1.rank) }
  }

  @inlinable mutating func removeTop() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    siftDown(0)
  }

  @inlinable mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].rank.isBefore(heap[parent].rank) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  @inlinable mutating func siftDown(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      var child = 2 * parent + 1
      while child < min(2 * parent + 3, heap.count) {
        if heap[child].rank.isBefore(heap[least].rank) { least = child }
        child += 1
      }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
