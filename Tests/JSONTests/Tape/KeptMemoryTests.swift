import Dispatch
import Expectations
import Glibc
import Reactive
import Testing

@testable import JSON

/// The memory of values that are kept beyond their documents.
@Suite struct KeptMemoryTests {
  /// A piece of each of eight processors.
  private static let unused = 8 * 2 << 20

  /// A block in use, filled with one byte.
  private struct Block: @unchecked Sendable {
    let memory: UnsafeMutableRawPointer
    let size: Int
    let mark: UInt8

    init(_ size: Int, _ mark: UInt8, of kept: KeptMemory) {
      memory = kept.allocate(size)
      (self.size, self.mark) = (size, mark)
      memory.initializeMemory(as: UInt8.self, repeating: mark, count: size)
    }

    var isIntact: Bool {
      UnsafeRawBufferPointer(start: memory, count: size).allSatisfy { $0 == mark }
    }
  }

  @Test("a block is at most an eighth larger than what was asked for")
  func sizes() {
    var former = SizeClass(1)
    expect(former.number, equals: 0)
    for wanted in 1...KeptMemory.largest {
      let found = SizeClass(wanted)
      #expect(found.size >= wanted && found.size % 16 == 0 && found.number < SizeClass.count)
      if wanted > 128 { #expect((found.size - wanted) * 8 < wanted, "\(wanted): \(found.size)") }
      #expect(found.number == former.number ? found.size == former.size : found.number == former.number + 1)
      former = found
    }
    expect(former.number, equals: SizeClass.count - 1)
  }

  @Test("blocks stay apart, whatever is freed in between", arguments: 1...5 as ClosedRange<UInt64>)
  func blocks(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let kept = KeptMemory(unused: 1)
    var blocks: [Block] = []
    for number in 0..<6000 {
      if random.below(5) < 2, !blocks.isEmpty {
        let block = blocks.remove(at: random.below(blocks.count))
        #expect(block.isIntact)
        kept.deallocate(block.memory, block.size)
      } else {
        // Many of like size, some of any, and some that are too large for a piece.
        let most = [1500, 1600, 3000, KeptMemory.largest, 50_000][min(4, random.below(30) / 6)]
        blocks.append(Block(1 + random.below(most), UInt8(truncatingIfNeeded: number), of: kept))
      }
    }
    #expect(blocks.allSatisfy { $0.isIntact })
    for block in blocks { kept.deallocate(block.memory, block.size) }
    #expect(kept.reserved <= Self.unused)
  }

  @Test("what one thread has allocated another may free")
  func threads() {
    let kept = KeptMemory(unused: 1)
    let shared = Locked([Block]())
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      var random = SplitMix64(seed: UInt64(thread) + 1)
      for _ in 0..<3000 {
        let block = Block(1 + random.below(2000), UInt8(thread), of: kept)
        let other = shared.withLock { blocks -> Block? in
          blocks.append(block)
          return blocks.count < 400 ? nil : blocks.remove(at: random.below(blocks.count))
        }
        guard let other else { continue }
        #expect(other.isIntact)
        kept.deallocate(other.memory, other.size)
      }
    }
    for block in shared.withLock({ $0 }) { kept.deallocate(block.memory, block.size) }
    #expect(kept.reserved <= Self.unused)
  }

  @Test("many blocks take their own size, an eighth and a few pieces, and keep no more than their pieces")
  func memory() {
    let kept = KeptMemory(unused: 1)
    let blocks = (0..<20_000).map { Block(1500 + $0 % 100, 1, of: kept) }
    let size = blocks.reduce(0) { $0 + $1.size }
    #expect(kept.reserved < size + size / 8 + 20 * 2 << 20)
    // Those of one time lie side by side.
    for block in blocks.dropFirst(1000) { kept.deallocate(block.memory, block.size) }
    #expect(kept.reserved < 20 * 2 << 20)
    for block in blocks.prefix(1000) { kept.deallocate(block.memory, block.size) }
    #expect(kept.reserved <= Self.unused)
  }

  @Test("a step that holds and sends in turns has the memory of its last turn")
  func turns() {
    let kept = KeptMemory()
    var pieces: Set<Int> = []
    for turn in 0..<20 {
      let blocks = (0..<100).map { Block(1400 + $0 * 6, 1, of: kept) }
      for block in blocks { kept.deallocate(block.memory, block.size) }
      if turn > 0 { pieces.insert(kept.reserved) }
    }
    #expect(pieces.count <= 8, "one number, unless the thread has moved to another processor")
  }

  @Test(
    "pieces of a size are in huge pages from the third on, and the first two never",
    .enabled(if: access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) == 0))
  func hugePages() {
    let kept = KeptMemory(unused: 1)
    // More than two pieces of each of eight processors.
    let blocks = (0..<1200).map { _ in Block(KeptMemory.largest, 1, of: kept) }
    let other = Block(1000, 1, of: kept)
    let pieces = Set(blocks.map { UInt(bitPattern: $0.memory) >> 21 })
    let marks = Mapping.marks(of: pieces.map { $0 << 21 })
    let first = marks.count { $0.contains("nh") }
    #expect(first >= 2 && first <= 16)
    expect(marks.count { $0.contains("hg") }, equals: pieces.count - first)
    #expect(Mapping.marks(of: [UInt(bitPattern: other.memory)]).allSatisfy { $0.contains("nh") })
    for block in blocks + [other] { kept.deallocate(block.memory, block.size) }
  }

  /// The memory of this process, by the system's list of it.
  private enum Mapping {
    /// The marks of the mappings that hold the addresses.
    static func marks(of addresses: [UInt]) -> [Set<Substring>] {
      guard let list = fopen("/proc/self/smaps", "r") else { return [] }
      defer { fclose(list) }
      var found: [Set<Substring>] = []
      var held = 0
      var line = [CChar](repeating: 0, count: 8192)
      while fgets(&line, Int32(line.count), list) != nil {
        let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
          .split { $0 == " " || $0 == "\n" }
        let ends = words.first?.split(separator: "-").compactMap { UInt($0, radix: 16) } ?? []
        if ends.count == 2 { held = addresses.count { ends[0] <= $0 && $0 < ends[1] } }
        if words.first == "VmFlags:" { found += [Set<Substring>](repeating: Set(words), count: held) }
      }
      return found
    }
  }

  @Test("values that are kept for any time are what they were", arguments: 1...5 as ClosedRange<UInt64>)
  func values(seed: UInt64) throws {
    var random = RandomJSON(seed)
    var held: [(value: Value, text: String)] = []
    for _ in 0..<2000 {
      let numbers = "[12345678901234567890.12345678901234567890,1e999,-0]"
      let row = #"{"n":\#(numbers),"same":1,"same":\#(random.text()),"more":\#(random.text())}"#
      let rows = try json("[\(random.text()),\(row),\(row)]")
      let value = try #require(rows.element(1))
      let kept = value.detach()
      #expect(kept == value && kept.hashValue == value.hashValue)
      held.append((kept, value.description))
      if held.count > 300 {
        let (value, text) = held.remove(at: random.random.below(held.count))
        expect(value.description, equals: text)
      }
    }
    for (value, text) in held { expect(value.description, equals: text) }
  }
}
