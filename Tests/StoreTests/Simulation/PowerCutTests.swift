import Expectations
import System
import Glibc
import SimulatedDisk
import Testing

@testable import Store

/// What walks have found, each as the shortest way there.
@Suite struct PowerCutTests {
  static let path = "/var/state/p.db"

  /// A disk with the folder that is the system's, and a state file of two epochs on it.
  static func filled(seed: Int = 1, _ names: SimulatedDisk.Names = .journaled) throws -> SimulatedDisk {
    let disk = try empty(seed: seed, names)
    let state = try disk.start().state(path)
    let table = try state.table(node: "n", description: "d")
    for number in 0..<20 { table.set(Array(repeating: 7, count: 1000), for: bytes("\(number)")) }
    try state.commit { _ in }
    table.set([8], for: bytes("last"))
    try state.commit { _ in }
    return disk
  }

  static func empty(seed: Int, _ names: SimulatedDisk.Names = .journaled) throws -> SimulatedDisk {
    let disk = SimulatedDisk(.init(seed: UInt64(seed), names: names, leavesGarbage: seed % 2 == 0))
    let process = disk.start()
    try process.makeFolder("/var")
    try process.syncFolder("/")
    return disk
  }

  @Test(
    "a page that cannot be read at the start is a disk that fails, not a damaged file",
    arguments: [true, false])
  func unreadable(isWornOut: Bool) throws {
    let disk = try Self.filled()
    var (number, isRead, failures) = (0, false, 0)
    while !isRead {
      number += 1
      disk.add(DiskFault(.read, isWornOut ? .from(number) : .number(number), code: EIO))
      let process = disk.start()
      let failed = failure {
        let state = try process.state(Self.path) { $0.resetsCorrupt = true }
        #expect(state.epoch == 2 && state.setAside == nil)
        isRead = true
      }
      if !isWornOut { isRead = disk.faultCount > 0 }
      disk.removeFaults()
      guard let failed else { continue }
      expect(failed.kind, equals: .disk, "\(failed)")
      failures += 1
    }
    #expect(failures > 3)
    try expect(disk.start().list("/var/state"), equals: ["p.db", "p.db.lock"])
  }

  @Test("a power cut while the file is made leaves one that can be opened", arguments: 0..<4)
  func making(seed: Int) throws {
    for names in [SimulatedDisk.Names.journaled, .separate] {
      var (number, isWhole) = (0, false)
      while !isWhole {
        number += 1
        let disk = try Self.empty(seed: seed &* 1000 &+ number, names)
        disk.stop(atOperation: number)
        let failed = failure {
          try withExtendedLifetime(disk.start().state(Self.path)) { isWhole = !disk.isStopped }
        }
        #expect(failed == nil || disk.isStopped)
        disk.crash()
        let state = try disk.start().state(Self.path)
        expect(state.epoch, equals: 0)
        try state.commit { _ in }
      }
    }
  }

  @Test("what was acknowledged is there where only a folder's sync keeps the names in it")
  func folders() throws {
    for seed in 0..<20 {
      let disk = try Self.filled(seed: seed, .separate)
      disk.crash()
      try expect(disk.start().state(Self.path).epoch, equals: 2)
    }
  }

  /// What a run finds at its start must be there after a power cut, since it may have acted on it: two epochs, or
  /// the third too, in which a value grew.
  private func expectKept(_ disk: SimulatedDisk) throws {
    let process = disk.start()
    let state = try process.state(Self.path)
    let seen = state.epoch
    disk.crash()
    let left = try disk.start().state(Self.path)
    expect(left.epoch, equals: seen)
    let value = try left.table(node: "n", description: "d").value(for: bytes("1"))
    expect(value?.count, equals: (seen == 3 ? 9000 : 1000))
    try expect(left.database.text("PRAGMA integrity_check"), equals: "ok")
  }

  @Test("an interrupted commit that is complete at the next start stays", arguments: 0..<3)
  func cutShort(seed: Int) throws {
    for number in 1..<40 {
      let disk = try Self.filled(seed: seed)
      let state = try disk.start().state(Self.path)
      try state.table(node: "n", description: "d").set(Array(repeating: 1, count: 9000), for: bytes("1"))
      disk.stop(atOperation: number)
      _ = failure { try state.commit { _ in } }
      disk.kill()
      try expectKept(disk)
    }
  }

  @Test("a commit that was lost does not come back behind the start of another one")
  func lost() throws {
    // What lies on the disk when a process is killed that has done something with the state.
    let kill = { (disk: SimulatedDisk, body: (StateFile) throws -> Void) throws in
      let process = disk.start()
      return try withExtendedLifetime(process.state(Self.path)) { state in
        try body(state)
        defer { disk.kill() }
        return try (database: process.read(Self.path), log: process.read(Self.path + "-wal"))
      }
    }
    let commit = { (state: StateFile, value: UInt8) throws in
      try state.table(node: "n", description: "d").set([value], for: bytes("last"))
      try expect(state.commit { _ in }, equals: 4)
    }
    let place = { (database: [UInt8], log: [UInt8]) throws -> SimulatedDisk in
      let disk = try Self.empty(seed: 1)
      let process = disk.start()
      try process.makeFolder("/var/state")
      try process.write(database, to: Self.path)
      try process.write(log, to: Self.path + "-wal")
      return disk
    }
    let disk = try Self.filled()
    let before = try kill(disk) { try $0.commit { _ in } }.log.count
    var first = try kill(disk) { try commit($0, 1) }
    // Of the fourth commit, only the head of the first page has not arrived.
    for place in before..<before + 24 { first.log[place] = 0 }
    let other = try place(first.database, first.log)
    let left = try kill(other) { expect($0.epoch, equals: 3) }
    let second = try kill(other) { try commit($0, 2) }
    for arrived in stride(from: 32, through: second.log.count, by: 4120) {
      let log = Array(second.log[..<arrived] + left.log[min(arrived, left.log.count)...])
      let state = try place(second.database, log).start().state(Self.path)
      let value = try state.table(node: "n", description: "d").value(for: bytes("last"))
      expect(value, equals: [state.epoch == 3 ? 8 : 2], "\(arrived) bytes of \(second.log.count)")
    }
  }

  @Test("a commit whose sync failed is there or not, as the next start finds it", arguments: 0..<12)
  func failedSync(seed: Int) throws {
    for isClosed in [true, false] {
      let disk = try Self.filled(seed: seed)
      try withExtendedLifetime(disk.start().state(Self.path)) { state in
        try state.table(node: "n", description: "d").set(Array(repeating: 1, count: 9000), for: bytes("1"))
        // The first is that of the header.
        disk.add(DiskFault(.sync, .number(2), code: EIO, suffix: "-wal"))
        expect(failure { try state.commit { _ in } }?.kind, equals: .disk)
        if !isClosed { disk.kill() }
      }
      try expectKept(disk)
    }
  }

  @Test("a damaged file is renamed, or still in its place, wherever that is interrupted", arguments: 0..<4)
  func settingAside(seed: Int) throws {
    var (number, isWhole) = (0, false)
    while !isWhole {
      number += 1
      let disk = try Self.filled(seed: seed)
      let process = disk.start()
      try process.write(bytes("damaged"), to: Self.path)
      try process.open(Self.path).sync()
      disk.stop(atOperation: number)
      _ = failure {
        try withExtendedLifetime(process.state(Self.path) { $0.resetsCorrupt = true }) { _ in
          isWhole = !disk.isStopped
        }
      }
      if number % 2 == 0 { disk.crash() } else { disk.kill() }
      let after = disk.start()
      let state = try after.state(Self.path) { $0.resetsCorrupt = true }
      expect(state.epoch, equals: 0)
      try state.commit { _ in }
      try expect(after.read(Self.path + ".corrupt-1"), equals: bytes("damaged"))
      #expect(!after.exists(Self.path + ".corrupt-2"))
    }
  }
}
