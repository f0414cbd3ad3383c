import Reactive

/// A file's content, as it is read and as a power cut would find it.
struct Inode {
  enum Change {
    case write(at: Int, [UInt8])
    case resize(Int)
  }

  /// Where it was made, for the trace and for rules.
  var path: String
  private(set) var content = FileContent()
  /// What has reached the disk for certain.
  private(set) var durable = FileContent()
  private(set) var unsynced: [Change] = []
  /// How many handles are open on it.
  var opens = 0
  /// The handle that has claimed the file for its process.
  var claimant: Int?
  var locks = FileLocks()
  var shared: SharedIndex?

  init(path: String) { self.path = path }

  mutating func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
    content.write(source, at: offset)
    unsynced.append(.write(at: offset, Array(source)))
  }

  mutating func resize(_ size: Int) {
    guard size != content.count else { return }
    content.resize(to: size)
    unsynced.append(.resize(size))
  }

  mutating func sync() {
    for change in unsynced { Inode.apply(change, to: &durable) }
    unsynced = []
  }

  /// A sync that failed, as Linux does it: some pages were written, and the rest count as clean from now on.
  mutating func failSync(_ random: inout SplitMix64) {
    for change in unsynced where random.below(2) == 0 { Inode.apply(change, to: &durable) }
    unsynced = []
  }

  /// Leaves what was synced and some of the rest, in any order and torn between sectors.
  mutating func losePower(_ random: inout SplitMix64, leavesGarbage: Bool) {
    defer { (content, unsynced) = (durable, []) }
    let chance = random.below(5) * 25
    var arriving = unsynced.filter { _ in random.below(100) < chance }
    if random.below(2) == 0 { arriving.shuffle(using: &random) }
    for change in arriving {
      for part in Inode.torn(change, &random) {
        if leavesGarbage, case .write(let offset, _) = part, durable.count < offset {
          let garbage = (durable.count..<offset).map { _ in UInt8(truncatingIfNeeded: random.next()) }
          Inode.apply(.write(at: durable.count, garbage), to: &durable)
        }
        Inode.apply(part, to: &durable)
      }
    }
    // A length may arrive without what lies within it.
    if durable.count < content.count, random.below(4) == 0 {
      durable.resize(to: durable.count + 1 + random.below(content.count - durable.count))
    }
  }

  /// Those sectors of a write that arrive: all, the first ones, or any.
  private static func torn(_ change: Change, _ random: inout SplitMix64) -> [Change] {
    guard case .write(let start, let bytes) = change, !bytes.isEmpty else { return [change] }
    let size = SimulatedDisk.sectorSize
    let sectors = start / size...(start + bytes.count - 1) / size
    let how = random.below(4)
    guard sectors.count > 1, how > 1 else { return [change] }
    let first = sectors.lowerBound + random.below(sectors.count + 1)
    return sectors.filter { how == 2 ? $0 < first : random.below(2) == 0 }.map { sector in
      let from = max(sector * size, start) - start
      let to = min((sector + 1) * size, start + bytes.count) - start
      return .write(at: start + from, Array(bytes[from..<to]))
    }
  }

  private static func apply(_ change: Change, to content: inout FileContent) {
    switch change {
    case .resize(let size): content.resize(to: size)
    case .write(let offset, let bytes): bytes.withUnsafeBytes { content.write($0, at: offset) }
    }
  }
}
