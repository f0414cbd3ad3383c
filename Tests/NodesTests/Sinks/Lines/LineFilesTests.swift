import Expectations
import Trials
import TestSupport
import Glibc
import Engine
import Language
import Testing

@testable import Nodes
import System

/// Files without marks, and the marks themselves; see `ResumedFilesTests` for what is done with those.
@Suite struct LineFilesTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  @Test("nothing is written before it is asked for, and then each file with one call")
  func gathered() throws {
    let disk = WatchedDisk()
    let lone = LoneFiles(disk: disk)
    for number in 0..<100 { try lone.files.append(Array("\(number)\n".utf8), to: folder["\(number % 2)"]) }
    try expect(folder.text("0"), equals: "")
    try lone.files.write()
    try lone.files.write()
    expect(disk.count("append"), equals: 2)
    #expect(try folder.text("1").hasPrefix("1\n3\n5\n"))
    #expect(try folder.text("1").hasSuffix("97\n99\n"))
  }

  @Test("without marks a last line that was cut off is ended at opening, and told")
  func cutOff() throws {
    try folder.write("x", "1\n{\"a")
    let lone = LoneFiles()
    try lone.write("2\n".utf8, to: folder["x"])
    try expect(folder.text("x"), equals: "1\n{\"a\n2\n")
    expect(lone.told(), equals: ["\(folder["x"]): the last line was cut off; it has been ended at byte 5"])
  }

  @Test("more files than may be open are all written, one turn after the other")
  func manyFiles() throws {
    let lone = LoneFiles(limit: 2)
    for turn in 0..<3 {
      for number in 0..<10 { try lone.files.append(Array("\(turn)\n".utf8), to: folder["\(number)"]) }
      try lone.files.write()
    }
    try expect(folder.names.map { try folder.text($0) }, equals: Array(repeating: "0\n1\n2\n", count: 10))
  }

  @Test("a full disk is waited for through the world, told once a minute, and nothing is lost or doubled")
  func fullDisk() throws {
    let disk = WatchedDisk(room: 5)
    let lone = LoneFiles(disk: disk) { number, _ in
      if number == 130 { disk.makeRoom(3) }
      if number == 140 { disk.makeRoom(100) }
    }
    try lone.write("one\ntwo\nthree\n".utf8, to: folder["x"])
    try expect(folder.text("x"), equals: "one\ntwo\nthree\n")
    expect(lone.pauses.entries, equals: Array(repeating: 0.5, count: 140))
    expect(lone.told(.error).count, equals: 2)
    expect(lone.told(.notice), equals: ["\(folder["x"]) can be written again"])
  }

  @Test("data that does not fit on a full disk before the stop is reported")
  func stopped() throws {
    let disk = WatchedDisk(room: 5)
    let lone = LoneFiles(disk: disk) { number, stop in if number == 3 { stop.set() } }
    let error = #expect(throws: Sentence.self) {
      try lone.write("one\ntwo\n".utf8, to: folder["x"])
    }
    expect(error?.description.contains("; 3 bytes could not be written before the end"), equals: true)
    expect(lone.pauses.entries.count, equals: 3)
  }

  @Test("a mark is the length that is written, of files that changed since they were asked for last")
  func marks() throws {
    let lone = LoneFiles()
    #expect(!lone.files.needsMarks)
    try lone.files.append(Array("1\n".utf8), to: folder["x"])
    #expect(lone.files.needsMarks)
    let identity = try #require(FileIdentity(at: folder["x"]))
    func offsets() throws -> [String: Int] {
      try lone.files.marks(synced: false).reduce(into: [:]) { offsets, entry in
        offsets[splitPath(entry.path).name] = entry.mark.offset
        if entry.path == folder["x"] { expect(entry.mark.identity, equals: identity) }
      }
    }
    try expect(offsets(), equals: ["x": 0])
    #expect(!lone.files.needsMarks)
    try lone.files.write()
    #expect(!lone.files.needsMarks)
    try expect(offsets(), equals: ["x": 2])
    try expect(offsets(), equals: [:])
    try lone.files.append(Array("2\n".utf8), to: folder["y"])
    try lone.files.append(Array("2\n".utf8), to: folder["x"])
    try lone.files.write()
    try expect(offsets(), equals: ["x": 4, "y": 2])
  }

  @Test("a device has no mark")
  func device() throws {
    let lone = LoneFiles()
    try lone.write("1\n".utf8, to: "/dev/null")
    #expect(try lone.files.marks(synced: true).isEmpty)
  }

  @Test("files that were closed keep their marks until those are kept")
  func closedMarks() throws {
    let lone = LoneFiles(limit: 1, keepsMarks: true)
    for name in ["a", "b", "c"] { try lone.write("\(name)\n".utf8, to: folder[name]) }
    #expect(lone.files.needsMarks)
    let marks = try lone.files.marks(synced: true)
    expect(marks.map { splitPath($0.path).name }, equals: ["a", "b", "c"])
    expect(marks.map(\.mark.offset), equals: [2, 2, 2])
    lone.files.marksAreKept()
    try lone.write("d\n".utf8, to: folder["b"])
    #expect(!lone.files.needsMarks, "its mark is in the same file")
    try expect(lone.files.marks(synced: false).map(\.mark.offset), equals: [4])
  }

  @Test("after a rotation the mark is in the new file, and that is asked for")
  func rotatedMark() throws {
    let lone = LoneFiles(Rotation(size: 4))
    let path = folder["x"]
    try lone.write("1\n".utf8, to: path)
    let first = try #require(try lone.keepMark(of: path))
    try lone.write("2\n".utf8, to: path)
    #expect(!lone.files.needsMarks)
    try lone.write("3\n".utf8, to: path)
    #expect(lone.files.needsMarks)
    let second = try #require(try lone.keepMark(of: path))
    expect(first.identity, equals: FileIdentity(at: folder["x.1"]))
    #expect(second.identity == FileIdentity(at: path) && second.offset == 2 && second.aside == 0)
  }

  @Test("marks are kept of so many files, those written last, and of none that is going to be written")
  func bound() throws {
    let lone = LoneFiles(limit: 2, keepsMarks: true)
    let paths = (0..<1100).map { folder["\(1000 + $0)"] }
    for path in paths {
      try lone.write("1\n".utf8, to: path)
      _ = try lone.keepMark(of: path)
    }
    try lone.files.append(Array("2\n".utf8), to: paths[1])
    _ = lone.files.takeLines()
    _ = try lone.files.marks(synced: false)
    expect(lone.files.takeExcessMarks(), equals: [paths[0]] + paths[2...350])
    expect(lone.files.takeExcessMarks(), equals: [])
    lone.files.marksAreKept()
    try lone.write("2\n".utf8, to: paths[2])
    #expect(lone.files.needsMarks)
  }

  @Test("a rotated file is compressed when the mark of its successor is committed, and not before")
  func packing() throws {
    let lone = LoneFiles(Rotation(size: 2, gzip: true))
    let path = folder["x"]
    try lone.files.append([0x30, 0x0a], to: path)
    _ = try lone.keepMark(of: path)
    for number in 0..<3 { try lone.write("\(number)\n".utf8.dropFirst(number == 0 ? 2 : 0), to: path) }
    expect(folder.names, equals: ["x", "x.1", "x.2"])
    _ = try lone.files.marks(synced: false)
    lone.files.close()
    expect(folder.names, equals: ["x", "x.1", "x.2"], "the mark may not be kept yet")
  }

  @Test("committed marks release older files, which are then compressed")
  func packed() throws {
    let lone = LoneFiles(Rotation(size: 2, gzip: true))
    let path = folder["x"]
    try lone.write("0\n".utf8, to: path)
    _ = try lone.keepMark(of: path)
    for number in 1..<3 { try lone.write("\(number)\n".utf8, to: path) }
    _ = try lone.keepMark(of: path)
    lone.files.close()
    expect(folder.names, equals: ["x", "x.1.gz", "x.2.gz"])
    try expect(folder.text("x.2.gz"), equals: "0\n")
  }

  @Test("a file with a mark is not compressed even after it was closed and reopened")
  func packingClosed() throws {
    let lone = LoneFiles(Rotation(size: 2, gzip: true), limit: 1)
    try lone.write("0\n".utf8, to: folder["x"])
    _ = try lone.keepMark(of: folder["x"])
    try lone.write("0\n".utf8, to: folder["y"])
    try lone.write("1\n".utf8, to: folder["x"])
    // Asked for, and not kept.
    _ = try lone.files.marks(synced: false)
    try lone.write("1\n".utf8, to: folder["y"])
    try lone.write("2\n".utf8, to: folder["x"])
    lone.files.close()
    expect(folder.names, equals: ["x", "x.1", "x.2", "y", "y.1"])
  }

  @Test("a file that cannot be begun after a rotation is tried again, and nothing rotated twice for it")
  func rotationHalfWay() throws {
    let disk = WatchedDisk()
    let lone = LoneFiles(Rotation(size: 2, keep: 1), disk: disk)
    try lone.write("0\n".utf8, to: folder["x"])
    disk.closedDoors.withLock { $0 = 2 }
    try lone.write("1\n".utf8, to: folder["x"])
    try expect(["x.1", "x"].map { try folder.text($0) }, equals: ["0\n", "1\n"])
    expect(lone.pauses.entries.count, equals: 2)
  }

  @Test("a file that a mark may need is not dropped: rotation waits until marks are kept")
  func keepLimit() throws {
    let lone = LoneFiles(Rotation(size: 2, keep: 2))
    let path = folder["x"]
    try lone.write("0\n".utf8, to: path)
    _ = try lone.keepMark(of: path)
    for number in 1..<6 { try lone.write("\(number)\n".utf8, to: path) }
    try expect(["x.2", "x.1", "x"].map { try folder.text($0) }, equals: ["0\n", "1\n", "2\n3\n4\n5\n"])
    _ = try lone.keepMark(of: path)
    for number in 6..<8 { try lone.write("\(number)\n".utf8, to: path) }
    try expect(["x.2", "x.1", "x"].map { try folder.text($0) }, equals: ["2\n3\n4\n5\n", "6\n", "7\n"])
  }
}
