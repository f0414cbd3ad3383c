import Expectations
import TestSupport
import Glibc
import Testing

@testable import System

@Suite struct AppendFileTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  @Test("buffers come one after the other, in folders that are made, with the mode that is asked for")
  func appends() throws {
    let file = try AppendFile(folder["a/b/c.jsonl"], .init(mode: 0o600))
    try file.append(Array("1\n2\n".utf8))
    try file.append(Array("3\n".utf8))
    try file.sync()
    try expect(folder.text("a/b/c.jsonl"), equals: "1\n2\n3\n")
    expect(file.size, equals: 6)
    let status = try #require(OpenDescriptor(opening: file.path, O_RDONLY, to: "open").status)
    expect(status.st_mode & 0o777, equals: 0o600)
  }

  @Test("a last line that was cut off is ended, never taken back, and told")
  func cutOff() throws {
    try folder.write("a", "1\n{\"x")
    var notes: [String] = []
    let file = try AppendFile(folder["a"]) { notes.append($0) }
    try file.append(Array("2\n".utf8))
    try expect(folder.text("a"), equals: "1\n{\"x\n2\n")
    expect(notes, equals: ["\(folder["a"]): the last line was cut off; it has been ended at byte 5"])
  }

  @Test("when the file is moved or removed, the next buffer begins a new one")
  func moved() throws {
    let file = try AppendFile(folder["a"])
    try file.append(Array("1\n".utf8))
    rename(folder["a"], folder["b"])
    try file.append(Array("2\n".utf8))
    unlink(folder["a"])
    try file.append(Array("3\n".utf8))
    try expect(folder.text("b"), equals: "1\n")
    try expect(folder.text("a"), equals: "3\n")
  }

  @Test("a full disk is reported with how much was written, and the rest can be retried")
  func fullDisk() throws {
    let device = try AppendFile("/dev/full")
    #expect(throws: FileFailure.self) { try device.append(Array("1\n".utf8)) }
    do {
      try device.append(Array("1\n".utf8))
    } catch {
      #expect(error.isFull)
      expect(error.written, equals: 0)
      expect(error.description, equals: "/dev/full: cannot write: No space left on device")
    }
  }

  @Test(
    "a write that went half way is completed in the same file, even when that has been moved",
    .enabled(if: SmallDisk.isPossible, .init(rawValue: SmallDisk.missing)))
  func halfWay() throws {
    let disk = try SmallDisk(at: folder["small"], bytes: 65_536)
    let file = try AppendFile("\(disk.path)/a")
    let line = [UInt8](repeating: 0x78, count: 99_999) + [0x0a]
    var written = 0
    do {
      try file.append(line)
    } catch {
      #expect(error.isFull)
      written = error.written
    }
    expect(written, equals: 65_536)
    rename("\(disk.path)/a", "\(disk.path)/b")
    #expect(disk.resize(to: 1 << 20))
    try file.append(Array(line[written...]))
    try file.append(Array("2\n".utf8))
    try expect(folder.bytes("small/b"), equals: line)
    try expect(folder.text("small/a"), equals: "2\n")
  }

  @Test("a link as the last part is not followed where that is asked for")
  func links() throws {
    symlink("/dev/null", folder["a"])
    _ = try AppendFile(folder["a"])
    #expect(throws: FileFailure.self) { _ = try AppendFile(folder["a"], .init(followsLinks: false)) }
  }

  @Test("what cannot be opened says why")
  func cannotOpen() throws {
    try folder.write("a", "")
    do {
      _ = try AppendFile(folder["a/b"])
    } catch {
      expect(error.reason, equals: "cannot open: Not a directory")
    }
    #expect(throws: FileFailure.self) { _ = try AppendFile(folder["a/b/c"]) }
  }
}
