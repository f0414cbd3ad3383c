import Expectations
import Glibc
import SimulatedDisk
import Testing

/// How a simulated disk fails on demand.
@Suite struct DiskFaultTests {
  let disk = SimulatedDisk(.init(seed: 5))

  private func fails(_ body: () throws -> Void) -> DiskFailure? {
    do {
      try body()
      return nil
    } catch {
      return error as? DiskFailure
    }
  }

  @Test("a write that finds no room is done as far as there is some, and goes on where room is made")
  func full() throws {
    let process = disk.start()
    let (file, other) = (try process.open("/f"), try process.open("/g"))
    try other.append(Array(repeating: 9, count: 60))
    disk.capacity = 100
    expect(fails { try file.append(Array(repeating: 1, count: 50)) }, equals: .system(ENOSPC))
    #expect(try file.size == 40 && disk.usedBytes == 100)
    try file.write(Array(repeating: 2, count: 40), at: 0)
    expect(fails { try file.append([3]) }, equals: .system(ENOSPC))
    try process.remove("/g")
    expect(fails { try file.append([3]) }, equals: .system(ENOSPC))
    other.close()
    try file.append(Array(repeating: 3, count: 60))
    expect(fails { try file.append([4]) }, equals: .system(ENOSPC))
    disk.capacity = nil
    try file.append([4])
    try expect(file.size, equals: 101)
  }

  @Test("the n-th operation of a kind on a file fails, once, from the first on, or at random")
  func rules() throws {
    let process = disk.start()
    let (file, other) = (try process.open("/f"), try process.open("/g"))
    disk.add(DiskFault(.write, .number(2), code: EIO, suffix: "f"))
    try other.append([1])
    try file.append([1])
    try other.append([1])
    expect(fails { try file.append([2]) }, equals: .system(EIO))
    try file.append([3])
    #expect(try file.read(at: 0, count: 9) == [1, 3] && disk.faultCount == 0)

    disk.add(DiskFault(.write, .number(1), code: ENOSPC, bytesBefore: 2))
    expect(fails { try file.append([4, 5, 6]) }, equals: .system(ENOSPC))
    try file.append([7])
    try expect(file.read(at: 2, count: 9), equals: [4, 5, 7])

    disk.add(DiskFault(.read, .from(2), code: EIO))
    expect(
      (0..<4).map { _ in fails { _ = try file.read(at: 0, count: 1) } == nil },
      equals: [true, false, false, false])
    disk.removeFaults()
    disk.add(DiskFault(.sync, .oneIn(4), code: EIO))
    let failures = (0..<400).count { _ in fails { try file.sync() } != nil }
    #expect((50..<150).contains(failures))
  }

  @Test("a sync that fails may lose what it was to write, though the next one succeeds")
  func failedSync() throws {
    for losesWrites in [true, false] {
      let left = try (0..<UInt64(40)).map { seed in
        let disk = SimulatedDisk(.init(seed: seed, failedSyncLosesWrites: losesWrites))
        let file = try disk.start().open("/f")
        try file.sync()
        try file.append([1])
        disk.add(DiskFault(.sync, .number(1), code: EIO))
        expect(fails { try file.sync() }, equals: .system(EIO))
        try expect(file.read(at: 0, count: 1), equals: [1])
        try file.sync()
        disk.crash()
        return try disk.start().read("/f")
      }
      expect(Set(left), equals: (losesWrites ? [[], [0], [1]] : [[1]]))
    }
  }

  @Test("everything fails from a given operation on, until its outcome is decided")
  func stops() throws {
    let process = disk.start()
    let file = try process.open("/f")
    disk.stop(atOperation: 2)
    try file.append([1])
    #expect(!disk.isStopped)
    expect(fails { try file.append(Array(repeating: 2, count: 100)) }, equals: .stopped)
    #expect(disk.isStopped && !process.isRunning)
    expect(fails { _ = try process.read("/f") }, equals: .stopped)
    expect(fails { _ = try disk.start().open("/g") }, equals: .stopped)
    let operations = disk.operations
    disk.kill()
    let size = try disk.start().read("/f").count
    #expect((1...101).contains(size) && disk.operations == operations)
    expect(disk.trace(last: 1), equals: ["3 write /f at 1, 100 bytes: stopped"])
  }

  @Test("the same seed and the same calls give the same disk")
  func same() throws {
    let run = { (seed: UInt64) throws -> [[UInt8]] in
      let disk = SimulatedDisk(.init(seed: seed, leavesGarbage: true))
      for number in 0..<20 {
        let process = disk.start()
        for name in ["/f", "/g"] {
          let file = try process.open(name)
          try file.write(Array(repeating: UInt8(number), count: 3000), at: number * 700)
          if number % 3 == 0 { try file.sync() }
        }
        disk.crash()
      }
      return try ["/f", "/g"].map { try disk.start().read($0) }
    }
    try expect(run(1), equals: run(1))
    #expect(try run(1) != run(2))
  }

  @Test("threads may share a disk")
  func threads() async throws {
    let process = disk.start()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let (own, shared) = (try process.open("/\(number)"), try process.open("/all"))
          for _ in 0..<200 {
            try own.append([UInt8(number)])
            try shared.append([UInt8(number)])
          }
          try shared.sync()
        }
      }
      try await group.waitForAll()
    }
    let all = try process.read("/all")
    for number in 0..<8 {
      expect(all.count { $0 == UInt8(number) }, equals: 200)
      try expect(process.read("/\(number)"), equals: Array(repeating: UInt8(number), count: 200))
    }
    expect(disk.durableContent("/all"), equals: all)
  }
}
