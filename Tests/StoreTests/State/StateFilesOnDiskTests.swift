import Expectations
import System
import Foundation
import Testing

@testable import Store

@Suite struct StateFilesOnDiskTests {
  let folder: Folder
  let disk = SystemDisk()
  init() throws { folder = try Folder() }

  private func code(_ body: () throws -> Void) -> Int32? {
    do {
      try body()
      return nil
    } catch {
      return (error as? DiskError)?.code
    }
  }

  @Test("a rewritten file is what it was, whatever its size; where there is none, nothing is made")
  func rewrite() throws {
    for size in [0, 1, 1 << 16, 200_001] {
      let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      try folder.write(content)
      try disk.rewrite(folder.file)
      try expect(folder.read(), equals: content)
    }
    try disk.rewrite(folder.path + "/none")
    expect(folder.names, equals: ["p.db"])
    expect(code { try disk.rewrite(folder.path) }, equals: EISDIR)
  }

  @Test("a killed run's write-ahead file is read at the next start as it was left")
  func left() throws {
    let state = try folder.open()
    for number in 0..<30 {
      try state.commit { epoch throws(StoreError) in
        try epoch.set(.integer(Int64(number)), owner: "o", name: "last")
      }
    }
    let copy = try folder.snapshot()
    expect(copy.names, equals: ["p.db", "p.db-wal"])
    let next = try copy.open { $0.database.sync = .everyCommit }
    expect(next.epoch, equals: 30)
  }

  @Test("the first bytes of a file; a path that is not a file is reported without waiting")
  func head() throws {
    try folder.write(bytes("abc"))
    try expect(disk.head(of: folder.file, count: 2), equals: bytes("ab"))
    try expect(disk.head(of: folder.file, count: .max), equals: bytes("abc"))
    try expectNil(disk.head(of: folder.path + "/none", count: 2))
    expect(code { _ = try disk.head(of: folder.path, count: 2) }, equals: EISDIR)
    expect(mkfifo(folder.path + "/pipe", 0o600), equals: 0)
    expect(code { _ = try disk.head(of: folder.path + "/pipe", count: 2) }, equals: EISDIR)
  }

  @Test("names, folders and locks")
  func names() throws {
    expectNil(code { try disk.makeFolder(folder.path, mode: 0o700) })
    expect(code { try disk.makeFolder(folder.path + "/a/b", mode: 0o700) }, equals: ENOENT)
    expect(code { try disk.rename(folder.file, to: folder.path + "/q") }, equals: ENOENT)
    try folder.write([1])
    try disk.rename(folder.file, to: folder.path + "/q")
    #expect(disk.exists(folder.path + "/q") && !disk.exists(folder.file))
    disk.syncFolder(folder.path)
    disk.syncFolder(folder.path + "/none")

    let lock = folder.path + "/lock"
    try withExtendedLifetime(disk.lock(lock)) { _ in
      expect(code { _ = try disk.lock(lock) }, equals: EWOULDBLOCK)
    }
    _ = try disk.lock(lock)
    try expect(folder.read("lock"), equals: bytes("\(getpid())\n"))
  }
}
