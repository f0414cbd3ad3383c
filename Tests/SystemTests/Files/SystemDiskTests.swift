import Expectations
import Glibc
import Testing

import TestSupport
@testable import System

@Suite struct SystemDiskTests {
  let folder: TemporaryFolder
  let disk = SystemDisk()
  init() throws { folder = try TemporaryFolder() }

  private func append(_ text: String, to file: any DiskFile) throws -> Int {
    try Array(text.utf8).withUnsafeBytes { try file.append($0) }
  }

  private func read(_ file: any DiskFile, at offset: Int) throws -> String {
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = try bytes.withUnsafeMutableBytes { try file.read(at: offset, into: $0) }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  @Test(
    "a lock ends with its last reference, though a child that is being spawned has a copy of its descriptor")
  func releasedLock() throws {
    var lock: (any DiskLock)? = try disk.lock(folder["lock"])
    let identity = try #require(FileIdentity(at: folder["lock"]))
    let number = (Int32(0)..<4096).first { number in
      var status = stat()
      return fstat(number, &status) == 0 && UInt(status.st_ino) == identity.inode
        && UInt(status.st_dev) == identity.device
    }
    let copy = dup(try #require(number))
    defer { close(copy) }
    #expect(throws: DiskError.self) { try disk.lock(folder["lock"]) }
    withExtendedLifetime(lock) {}
    lock = nil
    _ = try disk.lock(folder["lock"])
  }

  @Test("what is added is at the end, read from any place, and the file known by what it is")
  func files() throws {
    try folder.write("a", "12")
    let file = try disk.open(toAppend: folder["a"], mode: 0o600, followsLinks: true)
    try expect(append("345", to: file), equals: 3)
    try file.sync()
    let reader = try disk.open(toRead: folder["a"], followsLinks: true)
    try expect(read(reader, at: 0), equals: "12345")
    try expect(read(reader, at: 4), equals: "5")
    try expect(read(reader, at: 5), equals: "")
    try reader.sync()
    let status = try #require(file.status)
    expect(status, equals: disk.status(of: folder["a"]))
    expect(status, equals: reader.status)
    expect(status.size, equals: 5)
    #expect(status.isRegular)
    expect(status.identity, equals: FileIdentity(at: folder["a"]))
  }

  @Test("names are made, given on and taken away")
  func names() throws {
    let before = Int(time(nil))
    _ = try disk.open(toAppend: folder["a"], mode: 0o600, followsLinks: true)
    expect(disk.beginning(of: folder["a"]).map { before - 1...before + 60 ~= $0 }, equals: true)
    try disk.rename(folder["a"], to: folder["b"])
    expect(folder.names, equals: ["b"])
    #expect(!disk.exists(folder["a"]))
    expectNil(disk.status(of: folder["a"]))
    expectNil(disk.beginning(of: folder["a"]))
    disk.unlink(folder["b"])
    expect(folder.names, equals: [])
    try disk.makeFolder(folder["c"])
    try disk.makeFolder(folder["c"])
    disk.syncFolder(folder["c"])
    expect(disk.status(of: folder["c"])?.isRegular, equals: false)
  }

  @Test("a link is one also where it leads nowhere, and is followed only where that is asked for")
  func links() throws {
    symlink(folder["target"], folder["link"])
    #expect(disk.exists(folder["link"]))
    expectNil(disk.status(of: folder["link"]))
    #expect(throws: DiskError(code: ELOOP)) {
      _ = try disk.open(toAppend: folder["link"], mode: 0o600, followsLinks: false)
    }
    _ = try disk.open(toAppend: folder["link"], mode: 0o600, followsLinks: true)
    expect(disk.status(of: folder["link"]), equals: disk.status(of: folder["target"]))
    #expect(throws: DiskError(code: ELOOP)) { _ = try disk.open(toRead: folder["link"], followsLinks: false) }
  }

  @Test("what fails says why by its number")
  func failures() throws {
    #expect(throws: DiskError(code: ENOENT)) { _ = try disk.open(toRead: folder["a"], followsLinks: true) }
    #expect(throws: DiskError(code: ENOENT)) { try disk.rename(folder["a"], to: folder["b"]) }
    #expect(throws: DiskError(code: ENOENT)) { try disk.makeFolder(folder["a/b"]) }
    let full = try disk.open(toAppend: "/dev/full", mode: 0, followsLinks: true)
    expect(full.status?.isRegular, equals: false)
    #expect(throws: DiskError(code: ENOSPC)) { _ = try append("1", to: full) }
    #expect(throws: DiskError(code: EINVAL)) { try full.sync() }
  }
}
