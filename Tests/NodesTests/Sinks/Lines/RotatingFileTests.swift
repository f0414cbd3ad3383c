import Expectations
import TestSupport
import Glibc
import Engine
import Language
import Reactive
import Testing

@testable import Nodes
import System

@Suite struct RotatingFileTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func line(_ number: Int) -> [UInt8] { Array("line \(number)\n".utf8) }

  @Test("a file is not grown beyond its size, and the oldest ones go")
  func bySize() throws {
    let file = try RotatingFile(folder["x"], Rotation(size: 14, keep: 2), now: 0)
    for number in 0..<8 { try file.append(line(number), now: 0) }
    expect(folder.names, equals: ["x", "x.1", "x.2"])
    try expect(folder.text("x"), equals: "line 6\nline 7\n")
    try expect(folder.text("x.1"), equals: "line 4\nline 5\n")
    try expect(folder.text("x.2"), equals: "line 2\nline 3\n")
  }

  @Test("a buffer larger than the size has a file for itself, and an empty file is not rotated")
  func largeBuffer() throws {
    let file = try RotatingFile(folder["x"], Rotation(size: 3), now: 0)
    for number in 0..<2 { try file.append(line(number), now: 0) }
    expect(folder.names, equals: ["x", "x.1"])
  }

  @Test("a file is rotated by age, which survives a restart")
  func byAge() throws {
    let file = try RotatingFile(folder["x"], Rotation(age: 60), now: 1000)
    try file.append(line(0), now: 1000)
    try file.append(line(1), now: 1059)
    try file.append(line(2), now: 1060)
    try expect(folder.text("x.1"), equals: "line 0\nline 1\n")
    let day = time(nil) + 86_400
    let again = try RotatingFile(folder["x"], Rotation(age: 86_000), now: day)
    try again.append(line(3), now: day)
    try expect(folder.text("x"), equals: "line 3\n")
    try expect(folder.text("x.1"), equals: "line 2\n")
  }

  @Test(
    "a file of a clock that was ahead is rotated at its age, counted from when the clock was corrected",
    arguments: [3600, 86_400, 31_622_400])
  func byAgeOfAnotherClock(step: Int) throws {
    let file = try RotatingFile(folder["x"], Rotation(age: 60), now: 1000 + step)
    try file.append(line(0), now: 1000 + step)
    try file.append(line(1), now: 1000)
    try file.append(line(2), now: 1061)
    try expect(folder.text("x.1"), equals: "line 0\nline 1\n")
    try expect(folder.text("x"), equals: "line 2\n")
  }

  @Test("rotated files are compressed in order, and none is left incomplete")
  func packed() throws {
    let file = try RotatingFile(
      folder["x"], Rotation(size: 7, keep: 3, gzip: true), .init(mode: 0o640), now: 0)
    for number in 0..<6 { try file.append(line(number), now: 0) }
    file.finishPacking()
    expect(folder.names, equals: ["x", "x.1.gz", "x.2.gz", "x.3.gz"])
    try expect(folder.text("x.1.gz"), equals: "line 4\n")
    try expect(folder.text("x.3.gz"), equals: "line 2\n")
    #expect(try InputFile(folder["x.1.gz"]).isCompressed)
    let status = try #require(OpenDescriptor(opening: folder["x.1.gz"], O_RDONLY, to: "open").status)
    expect(status.st_mode & 0o777, equals: 0o640)
  }

  @Test("compression interrupted by a crash is completed: incomplete, complete but not removed, not begun")
  func afterCrash() throws {
    let rotation = Rotation(size: 7, gzip: true)
    try folder.write("x.1", "old\n")
    try folder.write("x.1.gz.tmp", "half")
    try RotatingFile(folder["x"], rotation, now: 0).finishPacking()
    expect(folder.names, equals: ["x", "x.1.gz"])
    try expect(folder.text("x.1.gz"), equals: "old\n")
    try folder.write("x.1", "old\n")
    try RotatingFile(folder["x"], rotation, now: 0).finishPacking()
    expect(folder.names, equals: ["x", "x.1.gz"])
  }

  @Test("a gap that a crash has left is filled, and nothing dropped for it")
  func gap() throws {
    for (name, text) in [("x", "4\n"), ("x.2", "2\n"), ("x.3", "1\n")] { try folder.write(name, text) }
    let file = try RotatingFile(folder["x"], Rotation(size: 2, keep: 3), now: 0)
    try file.append([0x35, 0x0a], now: 0)
    try expect(["x", "x.1", "x.2", "x.3"].map { try folder.text($0) }, equals: ["5\n", "4\n", "2\n", "1\n"])
  }

  @Test("a failed rotation is reported, and writing continues")
  func failing() throws {
    try folder.write("x", "1\n")
    mkdir(folder["x.1"], 0o755)
    mkdir(folder["x.1/full"], 0o755)
    var notes: [String] = []
    let file = try RotatingFile(folder["x"], Rotation(size: 2, keep: 1), now: 0) { notes.append($0) }
    for _ in 0..<3 { try file.append([0x32, 0x0a], now: 0) }
    try expect(folder.text("x"), equals: "1\n2\n2\n2\n")
    expect(notes.count, equals: 1)
    expect(notes.first?.contains("cannot rename to"), equals: true)
  }

  @Test("a follower of the name sees each line once, compressed or not", arguments: [false, true])
  func followed(gzip: Bool) throws {
    let stop = StopSign()
    let path = folder["x"]
    let known = Locked(0)
    let writer = Job { () throws(FileFailure) in
      let file = try RotatingFile(path, Rotation(size: 300, keep: 3, gzip: gzip), now: 0)
      for number in 0..<1000 {
        // Who is more than one file behind misses some, as with `tail -F`.
        while number % 10 == 0, known.withLock({ $0 }) < number { usleep(50) }
        try file.append(Array("{\"id\":\(number)}\n".utf8), now: 0)
      }
    }
    let follower = FollowedFile(path, from: .beginning, stop: stop) { Issue.record("\($0)") }
    var seen: [Int] = []
    while seen.count < 1000 {
      seen += try follower.nextBatch().compactMap { $0.member("id")?.double.map { Int($0) } }
      let count = seen.count
      known.withLock { $0 = count }
    }
    expect(seen, equals: Array(0..<1000))
    writer.wait()
  }
}
