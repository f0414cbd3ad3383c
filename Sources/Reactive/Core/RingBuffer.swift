/// A ring buffer: first in, first out, in one block of memory that grows up to a limit.
///
/// A non-copyable struct of plain words whatever the element is: code that is not specialised uses it without looking
/// up its layout, and swapping two of them moves no element.
struct RingBuffer<Element: Sendable>: ~Copyable, Sendable {
  /// The memory of this value alone, which cannot be copied.
  private nonisolated(unsafe) var block: UnsafeMutablePointer<Element>?
  private var capacity: Int
  private var head = 0
  private(set) var count = 0

  /// Room for this many to begin with; for none, it takes no memory before the first.
  init(capacity: Int = 16) {
    self.capacity = capacity
    block = capacity > 0 ? .allocate(capacity: capacity) : nil
  }

  deinit {
    for index in 0..<count { (storage + place(index)).deinitialize(count: 1) }
    block?.deallocate()
  }

  /// Where the elements are; there is such a place as soon as there is one.
  private var storage: UnsafeMutablePointer<Element> {
    @inline(__always) get { block.unsafelyUnwrapped }
  }

  var isEmpty: Bool { count == 0 }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow() }
    (storage + place(count)).initialize(to: element)
    count += 1
  }

  /// Takes the oldest element out and hands it to `body`; false if there is none.
  @inline(__always)
  mutating func popFirst(_ body: (Element) -> Void) -> Bool {
    if count == 0 { return false }
    body(removeFirst())
    return true
  }

  /// Puts an element in, and the oldest, which there must be, in its place.
  @inline(__always)
  mutating func exchange(_ element: inout Element) {
    let oldest = removeFirst()
    append(element)
    element = oldest
  }

  /// Takes the oldest element out, which there must be.
  @inline(__always)
  mutating func removeFirst() -> Element {
    let slot = storage + head
    head = head + 1 == capacity ? 0 : head + 1
    count -= 1
    return slot.move()
  }

  var last: Element? { count == 0 ? nil : storage[place(count - 1)] }

  /// All elements, oldest first.
  var elements: [Element] {
    Array(unsafeUninitializedCapacity: count) { copies, copied in
      guard let first = copies.baseAddress else { return }
      while copied < count {
        (first + copied).initialize(to: storage[place(copied)])
        copied += 1
      }
    }
  }

  /// A copy of it, with room for no more.
  func copy() -> RingBuffer {
    var copy = RingBuffer(capacity: count)
    for index in 0..<count { copy.append(storage[place(index)]) }
    return copy
  }

  private func place(_ index: Int) -> Int {
    let place = head + index
    return place < capacity ? place : place - capacity
  }

  private mutating func grow() {
    let room = max(1, capacity * 2)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: room)
    for index in 0..<count { (larger + index).moveInitialize(from: storage + place(index), count: 1) }
    block?.deallocate()
    block = larger
    capacity = room
    head = 0
  }
}
