import Expectations
import System
import Glibc
import SimulatedDisk
import Testing

/// What a simulated disk keeps, loses and refuses.
@Suite struct SimulatedDiskTests {
  /// Every kind of content that power cuts leave of what `body` does on disks of many seeds.
  private func outcomes(
    on change: (inout SimulatedDisk.Options) -> Void = { _ in }, of path: String = "/f",
    _ body: (SimulatedProcess) throws -> Void
  ) throws -> Set<[UInt8]?> {
    var outcomes: Set<[UInt8]?> = []
    for seed in 0..<300 {
      var options = SimulatedDisk.Options(seed: UInt64(seed))
      change(&options)
      let disk = SimulatedDisk(options)
      try body(disk.start())
      disk.crash()
      outcomes.insert(try? disk.start().read(path))
    }
    return outcomes
  }

  private func fails(_ body: () throws -> Void) -> DiskFailure? {
    do {
      try body()
      return nil
    } catch {
      return error as? DiskFailure
    }
  }

  @Test("what was synced outlives a power cut; what came after may be there or not")
  func synced() throws {
    let left = try outcomes {
      let file = try $0.open("/f")
      try file.append([1, 1])
      try file.sync()
      try file.append([2])
      try file.write([3], at: 0)
    }
    #expect(left.isSuperset(of: [[1, 1], [3, 1], [1, 1, 2], [3, 1, 2]]))
    // A length without what lies within it.
    expect(left.subtracting([[1, 1], [3, 1], [1, 1, 2], [3, 1, 2]]), equals: [[1, 1, 0], [3, 1, 0]])
  }

  @Test("a file that is killed with its process is left as it was written")
  func killed() throws {
    let disk = SimulatedDisk(.init(seed: 1))
    let process = disk.start()
    let file = try process.open("/f")
    try file.append([1, 2, 3])
    #expect(try file.claim())
    disk.kill()
    expect(fails { try file.append([4]) }, equals: .stopped)
    expect(fails { _ = try file.read(at: 0, count: 1) }, equals: .stopped)
    expect(fails { _ = try process.read("/f") }, equals: .stopped)
    expect(fails { try process.remove("/f") }, equals: .stopped)
    #expect(!process.isRunning && !process.exists("/f"))
    let next = disk.start()
    try expect(next.read("/f"), equals: [1, 2, 3])
    #expect(try next.open("/f").claim())
  }

  @Test("a write is torn between sectors, never within one")
  func torn() throws {
    let left = try outcomes {
      let file = try $0.open("/f")
      try file.append(Array(repeating: 1, count: 2048))
      try file.sync()
      try file.write(Array(repeating: 2, count: 1500), at: 100)
    }
    let edges = [0, 100, 512, 1024, 1536, 1600, 2048]
    for content in left {
      let content = try #require(content)
      expect(content.count, equals: 2048)
      for (from, to) in zip(edges, edges.dropFirst()) { expect(Set(content[from..<to]).count, equals: 1) }
    }
    // Four sectors of it, each of which may be there.
    #expect(left.count > 8 && left.count <= 16)
  }

  @Test("a hole is left where a later write arrives alone, of zeros or of what was there before")
  func holes() throws {
    for leavesGarbage in [false, true] {
      let left = try outcomes(on: { $0.leavesGarbage = leavesGarbage }) {
        let file = try $0.open("/f")
        try file.sync()
        try file.append([1, 1, 1, 1])
        try file.append([2])
      }
      let holed = left.compactMap { $0 }.filter { $0.count == 5 && $0[4] == 2 && $0[0] != 1 }
      #expect(leavesGarbage ? holed.count > 3 : holed == [[0, 0, 0, 0, 2]])
    }
  }

  @Test("a name is kept by the sync of its file or, where it is so, of its folder alone")
  func names() throws {
    let make = { (process: SimulatedProcess) throws in try process.open("/f").sync() }
    try expect(outcomes { _ = try $0.open("/f") }, equals: [nil, []])
    try expect(outcomes(make), equals: [[]])
    try expect(outcomes(on: { $0.names = .separate }, make), equals: [nil, []])
    let kept = try outcomes(on: { $0.names = .separate }) {
      try make($0)
      try $0.syncFolder("/")
    }
    expect(kept, equals: [[]])
    let removed = try outcomes {
      try make($0)
      try $0.remove("/f")
    }
    expect(removed, equals: [nil, []])
  }

  @Test("a file that is renamed over another one is the one or the other, whole, if it was synced before")
  func renamed() throws {
    let replace = { (process: SimulatedProcess, isSynced: Bool) throws in
      try process.write([1, 1], to: "/f")
      try process.open("/f").sync()
      try process.write([2, 2], to: "/g")
      if isSynced { try process.open("/g").sync() }
      try process.rename("/g", to: "/f")
      #expect(try process.read("/f") == [2, 2] && process.list("/") == ["f"])
    }
    try expect(outcomes { try replace($0, true) }, equals: [[1, 1], [2, 2]])
    #expect(try outcomes { try replace($0, false) }.isSuperset(of: [[1, 1], [2, 2], []]))
    try expect(outcomes(of: "/g") { try replace($0, true) }, equals: [nil, [2, 2]])
  }

  @Test("folders hold files, and are lost with what is in them")
  func folders() throws {
    let left = try outcomes(on: { $0.names = .separate }, of: "/a/f") {
      try $0.makeFolder("/a")
      try $0.write([1], to: "/a/f")
      try $0.open("/a/f").sync()
      try $0.syncFolder("/a")
      #expect(try $0.list("/") == ["a"] && $0.list("/a") == ["f"])
    }
    expect(left, equals: [nil, [1]])
    let process = SimulatedDisk(.init(seed: 1)).start()
    expect(fails { _ = try process.open("/a/f") }, equals: .system(ENOENT))
    expect(fails { _ = try process.open("/f", .existing) }, equals: .system(ENOENT))
    try process.makeFolder("/a")
    expect(fails { try process.makeFolder("/a") }, equals: .system(EEXIST))
    expect(fails { _ = try process.open("/a") }, equals: .system(EISDIR))
    _ = try process.open("/f", .createNew)
    expect(fails { _ = try process.open("/f", .createNew) }, equals: .system(EEXIST))
    expect(fails { _ = try process.open("/f/g") }, equals: .system(ENOTDIR))
  }

  @Test(
    "an unlinked file still exists for its open handles, and a new file under its name is a different one")
  func nameless() throws {
    let process = SimulatedDisk(.init(seed: 1)).start()
    let first = try process.open("/f")
    try first.append([1])
    try process.remove("/f")
    let second = try process.open("/f")
    #expect(try first.read(at: 0, count: 9) == [1] && second.size == 0)
    #expect(try first.inode != second.inode && first.device == second.device)
    let other = try process.open("/f")
    try expect(second.inode, equals: other.inode)
    #expect(try second.claim() && !other.claim())
    second.close()
    #expect(try other.claim())
    expect(fails { try second.append([1]) }, equals: .system(EBADF))
  }
}
