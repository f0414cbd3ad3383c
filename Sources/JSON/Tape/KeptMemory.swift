import CGlibc
import Glibc
import Synchronization

/// The memory of documents that are kept: blocks of like size, side by side in pieces of two megabytes.
///
/// What waits is tens of thousands of events of one or two kilobytes, which leave in no particular order. The heap's
/// arenas grow by one such block a system call, have each page fetched from the kernel by itself, and look at the
/// neighbours of a block that is freed, which are in no cache. Here pieces come in huge pages, as soon as a size fills more
/// than two, and a block that is freed is a bit in the head of its piece.
///
/// A block is at most an eighth larger than what was asked for. A piece whose blocks are all free goes back to the system,
/// unless it is one of the first sixteen of its processor: a step that holds and sends in turns does not return them
/// each time.
final class KeptMemory: Sendable {
  /// Larger blocks come from the heap: few would fit into a piece.
  static let largest = 32 << 10
  static let shared = KeptMemory()

  private static let shelfCount = 8
  /// One for a processor, so that threads rarely wait for each other.
  private let shelves: [Shelf]

  /// With `unused` pieces of each processor that are kept without blocks in use.
  init(unused: Int = 16) {
    shelves = (0..<KeptMemory.shelfCount).map { Shelf(number: $0, mostUnused: unused) }
  }

  func allocate(_ size: Int) -> UnsafeMutableRawPointer {
    if size > KeptMemory.largest { return .allocate(byteCount: size, alignment: 16) }
    let number = Int(sched_getcpu()) & (KeptMemory.shelfCount - 1)
    return shelves[number].withLock { $0.allocate(SizeClass(size)) }
  }

  /// Frees a block of that size.
  func deallocate(_ block: UnsafeMutableRawPointer, _ size: Int) {
    if size > KeptMemory.largest { return block.deallocate() }
    let piece = Piece(holding: block)
    shelves[piece.shelf].withLock { $0.deallocate(block, in: piece) }
  }

  /// The size of all pieces.
  var reserved: Int { shelves.reduce(0) { $0 + $1.withLock(\.pieces) } * Piece.size }
}

/// The size of a block: eight steps from one power of two to the next.
struct SizeClass {
  static let count = SizeClass(KeptMemory.largest).number + 1
  let number: Int
  let size: Int

  init(_ wanted: Int) {
    let last = max(wanted, 128) - 1
    let shift = Int.bitWidth - 4 - last.leadingZeroBitCount
    let steps = last >> shift
    number = shift * 8 + steps - 39
    size = (steps + 1) << shift
  }
}

/// A piece: its head, and blocks of one size.
private struct Piece: Equatable {
  static let size = 2 << 20

  /// The head; a bit of the map behind it is set where a block is free.
  struct Head {
    var next: UnsafeMutablePointer<Head>?
    var previous: UnsafeMutablePointer<Head>?
    let shelf: Int
    let sizeClass: Int
    let blockSize: Int
    let blocks: UnsafeMutableRawPointer
    let count: Int
    var free: Int
    /// No word of the map before this one has a bit.
    var word = 0
  }

  let head: UnsafeMutablePointer<Head>

  var isUnused: Bool { head.pointee.free == head.pointee.count }
  var shelf: Int { head.pointee.shelf }
  private var map: UnsafeMutablePointer<UInt64> {
    UnsafeMutableRawPointer(head + 1).assumingMemoryBound(to: UInt64.self)
  }

  init(_ head: UnsafeMutablePointer<Head>) { self.head = head }

  init(holding block: UnsafeMutableRawPointer) {
    let start = UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: block) & ~UInt(Piece.size - 1))
    self.init((start ?? block).assumingMemoryBound(to: Head.self))
  }

  /// A piece with nothing but free blocks.
  init(_ memory: UnsafeMutableRawPointer, _ sizeClass: SizeClass, of shelf: Int) {
    // Behind a map that is large enough.
    let start = (MemoryLayout<Head>.stride + Piece.size / sizeClass.size / 8 + 64) & ~63
    let count = (Piece.size - start) / sizeClass.size
    head = memory.bindMemory(to: Head.self, capacity: 1)
    head.initialize(
      to: Head(
        shelf: shelf, sizeClass: sizeClass.number, blockSize: sizeClass.size, blocks: memory + start,
        count: count, free: count))
    map.initialize(repeating: .max, count: count / 64)
    (map + count / 64).initialize(to: 1 << UInt64(count % 64) - 1)
  }

  /// The first free block; there is one.
  func take() -> UnsafeMutableRawPointer {
    var word = head.pointee.word
    while map[word] == 0 { word += 1 }
    let bit = map[word].trailingZeroBitCount
    map[word] &= map[word] - 1
    head.pointee.word = word
    head.pointee.free -= 1
    return head.pointee.blocks + (word * 64 + bit) * head.pointee.blockSize
  }

  func giveBack(_ block: UnsafeMutableRawPointer) {
    let number = (block - head.pointee.blocks) / head.pointee.blockSize
    assert(map[number / 64] & 1 << UInt64(number % 64) == 0, "a block is freed once")
    map[number / 64] |= 1 << UInt64(number % 64)
    head.pointee.word = min(head.pointee.word, number / 64)
    head.pointee.free += 1
  }
}

/// The pieces of a processor.
///
/// `@unchecked`: all of it is touched under its lock.
private final class Shelf: @unchecked Sendable {
  /// Pieces before this one of a size are not in huge pages, of which one would be more than a few blocks need.
  private static let hugeFrom = 2

  private let number: Int
  private let mostUnused: Int
  private let lock = Mutex<Void>(())
  private let fence = SanitizerFence()
  /// The pieces of each size that have a free block, the first of a list, and how many pieces there are.
  private var open = [UnsafeMutablePointer<Piece.Head>?](repeating: nil, count: SizeClass.count)
  private var counts = [Int](repeating: 0, count: SizeClass.count)
  private var unused = 0

  init(number: Int, mostUnused: Int) { (self.number, self.mostUnused) = (number, mostUnused) }

  deinit {
    for case var head? in open {
      while let next = head.pointee.next {
        head.deallocate()
        head = next
      }
      head.deallocate()
    }
  }

  var pieces: Int { counts.reduce(0, +) }

  func withLock<R>(_ body: (Shelf) -> R) -> R {
    lock.withLock { _ in
      fence.receive()
      defer { fence.release() }
      return body(self)
    }
  }

  func allocate(_ size: SizeClass) -> UnsafeMutableRawPointer {
    let piece = open[size.number].map { Piece($0) } ?? add(size)
    if piece.isUnused { unused -= 1 }
    let block = piece.take()
    if piece.head.pointee.free == 0 { unlink(piece.head) }
    return block
  }

  func deallocate(_ block: UnsafeMutableRawPointer, in piece: Piece) {
    piece.giveBack(block)
    if piece.head.pointee.free == 1 { link(piece.head) }
    guard piece.isUnused else { return }
    unused += 1
    if unused > mostUnused { remove(piece) }
  }

  private func add(_ size: SizeClass) -> Piece {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: Piece.size, alignment: Piece.size)
    // The first ones ask for small pages: where the system's mode is `always`, one block would fetch two megabytes.
    madvise(memory, Piece.size, counts[size.number] < Shelf.hugeFrom ? MADV_NOHUGEPAGE : MADV_HUGEPAGE)
    counts[size.number] += 1
    unused += 1
    let piece = Piece(memory, size, of: number)
    link(piece.head)
    return piece
  }

  private func remove(_ piece: Piece) {
    unlink(piece.head)
    counts[piece.head.pointee.sizeClass] -= 1
    unused -= 1
    piece.head.deallocate()
  }

  private func link(_ head: UnsafeMutablePointer<Piece.Head>) {
    let place = head.pointee.sizeClass
    head.pointee.next = open[place]
    head.pointee.previous = nil
    open[place]?.pointee.previous = head
    open[place] = head
  }

  private func unlink(_ head: UnsafeMutablePointer<Piece.Head>) {
    let (next, previous) = (head.pointee.next, head.pointee.previous)
    next?.pointee.previous = previous
    if let previous { previous.pointee.next = next } else { open[head.pointee.sizeClass] = next }
  }
}
