import System
import Foundation
import System
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
      #expect(try folder.read() == content)
    }
    try disk.rewrite(folder.path + "/none")
    #expect(folder.names == ["p.db"])
    #expect(code { try disk.rewrite(folder.path) } == EISDIR)
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
    #expect(copy.names == ["p.db", "p.db-wal"])
    let next = try copy.open { $0.database.sync = .everyCommit }
    #expect(next.epoch == 30)
  }

  @Test("the first bytes of a file; a path that is not a file is reported without waiting")
  func head() throws {
    try folder.write(bytes("abc"))
    #expect(try disk.head(of: folder.file, count: 2) == bytes("ab"))
    #expect(try disk.head(of: folder.file, count: .max) == bytes("abc"))
    #expect(try disk.head(of: folder.path + "/none", count: 2) == nil)
    #expect(code { _ = try disk.head(of: folder.path, count: 2) } == EISDIR)
    #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
    #expect(code { _ = try disk.head(of: folder.path + "/pipe", count: 2) } == EISDIR)
  }

  @Test("names, folders and locks")
  func names() throws {
    #expect(code { try disk.makeFolder(folder.path, mode: 0o700) } == nil)
    #expect(code { try disk.makeFolder(folder.path + "/a/b", mode: 0o700) } == ENOENT)
    #expect(code { try disk.rename(folder.file, to: folder.path + "/q") } == ENOENT)
    try folder.write([1])
    try disk.rename(folder.file, to: folder.path + "/q")
    #expect(disk.exists(folder.path + "/q") && !disk.exists(folder.file))
    disk.syncFolder(folder.path)
    disk.syncFolder(folder.path + "/none")

    let lock = folder.path + "/lock"
    try withExtendedLifetime(disk.lock(lock)) { _ in
      #expect(code { _ = try disk.lock(lock) } == EWOULDBLOCK)
    }
    _ = try disk.lock(lock)
    #expect(try folder.read("lock") == bytes("\(getpid())\n"))
  }
}
