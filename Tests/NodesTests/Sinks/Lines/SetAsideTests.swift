import Expectations
import Trials
import TestSupport
import Glibc
import Engine
import Language
import Testing

@testable import Nodes
import System

/// Files in which something else is found than is written again.
@Suite struct SetAsideTests {
  private let killed: KilledRun
  private let truth = KilledRun.truth
  private var folder: TemporaryFolder { killed.folder }
  private var path: String { killed.path }

  init() throws { killed = try KilledRun() }

  private func clear() { for name in folder.names { unlink(folder[name]) } }

  @Test(
    "from the first byte that differs a new file goes on, with the line that was not whole",
    arguments: [1, 5, 1000])
  func differing(pieces: Int) throws {
    for mark in [0, 2, 4, 6, 10, 20] {
      for place in mark..<truth.count {
        let kept = try killed.run(mark: mark, cut: truth.count)
        var other = truth
        other[place] = other[place] == 0x0a ? 0x20 : 0x0a
        try folder.write("x", other)
        let lone = try killed.replay(truth[mark...], from: kept, pieces: pieces)
        try lone.files.endReplay()
        let line = KilledRun.lineStart(of: place)
        try expect(folder.bytes("x.aside-1"), equals: other)
        try expect(folder.bytes("x"), equals: Array(truth[line...]), "mark \(mark), place \(place)")
        expect(
          lone.told(),
          equals: [
            "\(path) differs at byte \(place) from the regenerated lines: \(path) is now \(path).aside-1, "
              + "and a new \(path) begins with the line that differs"
          ])
        expect(lone.log.entries.first?.level, equals: .warning)
        clear()
      }
    }
  }

  @Test(
    "what is longer than a chunk is compared, and its line found from the beginning",
    arguments: [0, 70_000, 139_999])
  func longLine(place: Int) throws {
    let line = [UInt8](repeating: 0x78, count: 140_000) + [0x0a]
    let first = LoneFiles()
    try first.write("1\n".utf8, to: path)
    let kept = try #require(try first.keepMark(of: path))
    var other = line
    other[place] = 0x79
    try first.write(other + other, to: path)
    try killed.replay(line + line, from: kept, pieces: 100_000)
    try expect(folder.bytes("x"), equals: line + line)
    try expect(folder.bytes("x.aside-1"), equals: Array("1\n".utf8) + other + other)
  }

  @Test("a name that is taken is not taken from it")
  func takenName() throws {
    let kept = try killed.run(mark: 2, cut: 6)
    try folder.write("x.aside-1", "other")
    try folder.write("x", "1\n99\n")
    try killed.replay(truth[2...], from: kept)
    try expect(folder.text("x.aside-1"), equals: "other")
    try expect(folder.text("x.aside-2"), equals: "1\n99\n")
    try expect(folder.bytes("x"), equals: Array(truth[2...]))
  }

  @Test("a rotated file that differs is set aside with all that are newer")
  func differingOld() throws {
    let rotation = Rotation(size: 8, keep: 20)
    let kept = try killed.run(mark: 2, cut: truth.count, rotation)
    try folder.write("x.2", "{\"a\":5}\n")
    let lone = try killed.replay(truth[2...], from: kept, LoneFiles(rotation))
    expect(folder.names, equals: ["x", "x.3", "x.aside-1", "x.aside-2", "x.aside-3"])
    let texts = try ["x.3", "x.aside-1", "x.aside-2", "x.aside-3"].map { try folder.text($0) }
    expect(texts, equals: ["1\n22\n\n", "{\"a\":5}\n", "5555555\n", "6\n"])
    try expect(folder.bytes("x"), equals: Array(truth[6...]))
    expect(lone.told(.warning).count, equals: 1)
    expect(lone.told(.warning).first?.hasPrefix("\(path).2 differs at byte 5 "), equals: true)
  }

  @Test("killed after a file was set aside and before its mark was kept, no line is doubled")
  func setAsideTwice() throws {
    for place in 2..<truth.count {
      for cut in place...truth.count {
        let kept = try killed.run(mark: 2, cut: truth.count)
        var other = truth
        other[place] = 0x23
        try folder.write("x", other)
        let first = LoneFiles(Rotation(size: 3))
        first.files.resume(path, at: kept)
        try killed.write(truth[2..<cut], first, pieces: 1)
        if cut > place { #expect(first.files.needsMarks) }
        let second = LoneFiles(Rotation(size: 3))
        second.files.resume(path, at: kept)
        try killed.write(truth[2...], second, pieces: 4)
        expect(folder.names.filter { $0.contains("aside") }, equals: ["x.aside-1"])
        let line = KilledRun.lineStart(of: place)
        try expect(killed.text(), equals: Array(truth[line...]), "place \(place), cut \(cut)")
        clear()
      }
    }
  }

  @Test(
    "nor is it where the mark is in an old file, and the one that was set aside is newer",
    arguments: [false, true])
  func setAsideBehindOld(isNewGone: Bool) throws {
    let rotation = Rotation(size: 18, keep: 20)
    // An older one, which is no part of it, begins as what is written again does.
    try folder.write("x.aside-1", "5555555\n6\n")
    let kept = try killed.run(mark: 2, cut: truth.count, rotation)
    expect(kept.identity, equals: FileIdentity(at: folder["x.1"]))
    try folder.write("x", "5555555\n#\n")
    let first = LoneFiles(rotation)
    first.files.resume(path, at: kept)
    try killed.write(truth[2...], first)
    if isNewGone { unlink(path) }
    let second = try killed.replay(truth[2...] + Array("7\n".utf8), from: kept, LoneFiles(rotation))
    expect(folder.names, equals: ["x", "x.1", "x.aside-1", "x.aside-2"])
    try expect(folder.bytes("x.1"), equals: Array(truth[..<14]))
    try expect(folder.text("x.aside-2"), equals: "5555555\n#\n")
    try expect(folder.text("x"), equals: "6\n7\n")
    expect(second.told(.warning), equals: [])
  }

  @Test("a disk that is full while the new file is begun takes the line when there is room")
  func fullWhileSetAside() throws {
    let kept = try killed.run(mark: 2, cut: truth.count)
    var other = truth
    other[10] = 0x23
    try folder.write("x", other)
    let disk = WatchedDisk(room: 0)
    let lone = LoneFiles(disk: disk) { _, _ in disk.makeRoom(1) }
    lone.files.resume(path, at: kept)
    try killed.write(truth[2...], lone)
    try expect(folder.bytes("x"), equals: Array(truth[6...]))
    expect(lone.pauses.entries.count, equals: truth.count - 6)
  }

  @Test("what differs behind a link is left there, and the link set aside")
  func linkSetAside() throws {
    symlink(folder["target"], path)
    let kept = try killed.run(mark: 2, cut: 5)
    try folder.write("target", "1\n#")
    try killed.replay(truth[2...], from: kept, pieces: 3)
    try expect(folder.text("target"), equals: "1\n#")
    try expect(folder.text("x.aside-1"), equals: "1\n#")
    try expect(folder.bytes("x"), equals: Array(truth[2...]))
    expect(FileIdentity(at: folder["x.aside-1"]), equals: FileIdentity(at: folder["target"]))
  }
}
