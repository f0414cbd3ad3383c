import Expectations
import CSQLite
import SimulatedDisk
import Testing

@testable import Store

/// SQLite on a simulated disk, without anything of a state file's.
@Suite struct SimulatedSQLiteTests {
  let disk = SimulatedDisk(.init(seed: 9))

  private func open(_ process: SimulatedProcess, _ mode: String = "WAL") throws -> Database {
    let database = try Database(path: "/d", .init(busyMilliseconds: 0, vfs: process.vfs))
    _ = try database.text("PRAGMA journal_mode = \(mode)")
    return database
  }

  @Test("connections of one process and of two share a file as on any disk", arguments: ["WAL", "DELETE"])
  func shared(mode: String) throws {
    let processes = [disk.start(), disk.start()]
    let first = try open(processes[0], mode)
    try first.execute("CREATE TABLE t (a)")
    for process in processes {
      let second = try open(process, mode)
      let before = try first.integer("SELECT count(*) FROM t")
      try first.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (zeroblob(9000))")
      try expect(second.integer("SELECT count(*) FROM t"), equals: before)
      expect(failure { try second.execute("INSERT INTO t VALUES (2)") }?.kind, equals: .held(by: nil))
      try first.execute("COMMIT")
      try expect(second.integer("SELECT count(*) FROM t"), equals: (before ?? 0) + 1)
      try second.execute("INSERT INTO t VALUES (2)")
      try expect(first.integer("SELECT count(*) FROM t"), equals: (before ?? 0) + 2)
    }
  }

  @Test("a reader keeps its view while another writes and carries over")
  func snapshot() throws {
    let process = disk.start()
    let (writer, reader) = (try open(process), try open(process))
    try writer.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    try reader.execute("BEGIN")
    try expect(reader.integer("SELECT count(*) FROM t"), equals: 1)
    for _ in 0..<50 { try writer.execute("INSERT INTO t VALUES (zeroblob(3000)); PRAGMA wal_checkpoint") }
    try expect(reader.integer("SELECT count(*) FROM t"), equals: 1)
    try reader.execute("COMMIT")
    try expect(reader.integer("SELECT count(*) FROM t"), equals: 51)
  }

  @Test("the files are where they would be, and the last connection takes those beside away")
  func files() throws {
    let process = disk.start()
    do {
      let database = try open(process)
      try database.execute("CREATE TABLE t (a)")
      try expect(process.list("/"), equals: ["d", "d-wal"])
    }
    try expect(process.list("/"), equals: ["d"])
    #expect(try process.read("/d").starts(with: bytes("SQLite format 3\u{0}")))
  }

  @Test("a connection from before a stop harms nothing, and two disks know nothing of each other")
  func stopped() throws {
    let old = try open(disk.start())
    try old.execute("CREATE TABLE t (a); BEGIN; INSERT INTO t VALUES (1)")
    disk.kill()
    let new = try open(disk.start())
    try new.execute("INSERT INTO t VALUES (2)")
    expect(failure { try old.execute("COMMIT") }?.kind, equals: .disk)
    #expect(failure { _ = try old.integer("SELECT count(*) FROM t") } != nil)
    try expect(new.integer("SELECT sum(a) FROM t"), equals: 2)
    let other = SimulatedDisk(.init(seed: 9)).start()
    try expect(open(other).integer("SELECT count(*) FROM sqlite_schema"), equals: 0)
  }

  @Test("time and random bytes come from the disk's seed")
  func seeded() throws {
    let bytes = { (seed: UInt64) -> [CChar] in
      let process = SimulatedDisk(.init(seed: seed)).start()
      var target = [CChar](repeating: 0, count: 16)
      guard let vfs = sqlite3_vfs_find(process.vfs) else { return [] }
      _ = vfs.pointee.xRandomness(vfs, 16, &target)
      return target
    }
    #expect(bytes(1) == bytes(1) && bytes(1) != bytes(2) && bytes(1).count == 16)
    let year = try open(disk.start()).text("SELECT strftime('%Y', 'now')")
    expect(year, equals: "2023")
  }

  @Test("a VFS goes with its process")
  func gone() {
    var process: SimulatedProcess? = disk.start()
    let name = process?.vfs ?? ""
    #expect(sqlite3_vfs_find(name) != nil)
    process = nil
    expectNil(sqlite3_vfs_find(name))
  }
}
