import Expectations
import Trials
import TestSupport
import Glibc
import Engine
import Language
import Testing

@testable import Nodes
import System

/// Files that others have changed between two runs.
@Suite struct MovedFilesTests {
  private let killed: KilledRun
  private let truth = KilledRun.truth
  private var folder: TemporaryFolder { killed.folder }
  private var path: String { killed.path }

  init() throws { killed = try KilledRun() }

  @Test("a file that was emptied is added to at its end, and that is noted")
  func emptied() throws {
    let kept = try killed.run(mark: 6, cut: truth.count)
    try folder.write("x", "1\n2")
    let lone = try killed.replay("next\n".utf8, from: kept)
    try expect(folder.text("x"), equals: "1\n2\nnext\n")
    expect(
      lone.told(),
      equals: [
        "\(path) is 3 bytes shorter than it was; lines are appended to it",
        "\(path): the last line was cut off; it has been ended at byte 3",
      ])
  }

  @Test(
    "a file that was moved to another folder, and perhaps replaced, is started over, with a notice",
    arguments: [false, true])
  func moved(isReplaced: Bool) throws {
    let kept = try killed.run(mark: 2, cut: 5)
    let away = try TemporaryFolder()
    rename(path, away["elsewhere"])
    if isReplaced { try folder.write("x", "other") }
    let lone = try killed.replay("next\n".utf8, from: kept)
    try expect(folder.text("x"), equals: (isReplaced ? "other\nnext\n" : "next\n"))
    expect(
      lone.told().first, equals: "\(path) is not the file that was written last; lines are appended to it")
    #expect(lone.files.needsMarks)
  }

  @Test(
    "the tail of a file renamed within its folder is skipped there, and the rest is added here",
    arguments: [nil, "", "other", "other\n"], [2, 5, 6, 8, KilledRun.truth.count])
  func renamed(replacement: String?, cut: Int) throws {
    let kept = try killed.run(mark: 2, cut: cut)
    rename(path, folder["x-20261122"])
    if let replacement { try folder.write("x", replacement) }
    let lone = try killed.replay(truth[2...] + Array("next\n".utf8), from: kept, pieces: 3)
    try expect(folder.bytes("x-20261122"), equals: Array(truth[..<cut]))
    let start = KilledRun.lineStart(of: cut)
    let replaced = replacement.map { $0.isEmpty || $0.hasSuffix("\n") ? $0 : $0 + "\n" } ?? ""
    let rest = try folder.bytes("x")
    expect(rest, equals: Array(replaced.utf8) + truth[start...] + Array("next\n".utf8))
    try expect(lone.keepMark(of: path)?.offset, equals: rest.count)
    expect(folder.names.count, equals: 2)
  }

  @Test("a file that is moved while it is open has a mark before anything is written to the new one")
  func movedWhileOpen() throws {
    let lone = LoneFiles(keepsMarks: true)
    try lone.write("1\n".utf8, to: path)
    _ = try lone.keepMark(of: path)
    rename(path, folder["x-20261122"])
    try lone.files.append(Array("22\n".utf8), to: path)
    try lone.files.prepare()
    #expect(lone.files.needsMarks)
    let kept = try #require(try lone.keepMark(of: path))
    #expect(kept.identity == FileIdentity(at: path) && kept.offset == 0)
    try lone.files.write()
    #expect(try folder.text("x") == "22\n" && folder.text("x-20261122") == "1\n")
  }

  @Test("a file that is due to be rotated has a mark before anything is written to the new one")
  func rotatedWhileOpen() throws {
    let lone = LoneFiles(Rotation(size: 3), keepsMarks: true)
    try lone.write("1\n".utf8, to: path)
    _ = try lone.keepMark(of: path)
    try lone.files.append(Array("22\n".utf8), to: path)
    try lone.files.prepare()
    #expect(lone.files.needsMarks)
    let kept = try #require(try lone.keepMark(of: path))
    #expect(kept.identity == FileIdentity(at: path) && kept.offset == 0)
    // Another process may rename the new file at once: its mark leads to it.
    try lone.files.write()
    #expect(try folder.text("x") == "22\n" && folder.text("x.1") == "1\n")
    rename(path, folder["x-20261122"])
    let next = try killed.replay("22\n3\n".utf8, from: kept)
    #expect(try folder.text("x-20261122") == "22\n" && folder.text("x") == "3\n")
    #expect(next.told().isEmpty)
  }

  @Test(
    "a closed file that is moved or due to be rotated has a mark before anything is written to the new one",
    arguments: [false, true])
  func closed(isMoved: Bool) throws {
    let rotation = isMoved ? Rotation() : Rotation(size: 3)
    let lone = LoneFiles(rotation, limit: 1, keepsMarks: true)
    for name in ["x", "y"] { try lone.write("1\n".utf8, to: folder[name]) }
    _ = try lone.keepMark(of: path)
    if isMoved { rename(path, folder["x-20261122"]) }
    // More files than may be open have lines in one turn.
    for name in ["x", "y"] { try lone.files.append(Array("22\n".utf8), to: folder[name]) }
    try lone.files.prepare()
    #expect(lone.files.needsMarks)
    let kept = try #require(try lone.keepMark(of: path))
    #expect(kept.identity == FileIdentity(at: path) && kept.offset == 0)
    try lone.files.write()
    #expect(try folder.text("x") == "22\n" && folder.text(isMoved ? "x-20261122" : "x.1") == "1\n")
    // Another process may rename the new file at once: its mark leads to it.
    rename(path, folder["x-20261123"])
    let next = try killed.replay("22\n3\n".utf8, from: kept)
    #expect(try folder.text("x-20261123") == "22\n" && folder.text("x") == "3\n")
    #expect(next.told().isEmpty)
  }

  @Test("a closed file that is neither moved nor due stays closed until it is written")
  func closedUnchanged() throws {
    let disk = WatchedDisk()
    let lone = LoneFiles(Rotation(size: 100), limit: 1, disk: disk, keepsMarks: true)
    for name in ["x", "y"] { try lone.write("1\n".utf8, to: folder[name]) }
    _ = try lone.files.marks(synced: false)
    lone.files.marksAreKept()
    for name in ["x", "y"] { try lone.files.append(Array("22\n".utf8), to: folder[name]) }
    let before = disk.calls.entries.count
    try lone.files.prepare()
    #expect(disk.calls.entries.count == before && !lone.files.needsMarks)
    try lone.files.write()
    #expect(try folder.text("x") == "1\n22\n" && folder.text("y") == "1\n22\n")
  }

  @Test("in the first turn after a restart lines wait for the mark of a file that a rotation begins")
  func rotatedAfterRestart() throws {
    let kept = try killed.run(mark: 2, cut: 2)
    let lone = LoneFiles(Rotation(size: 3), keepsMarks: true)
    lone.files.resume(path, at: kept)
    try lone.files.append(Array("22\n".utf8), to: path)
    try lone.files.prepare()
    #expect(try lone.files.needsMarks && folder.text("x").isEmpty && folder.text("x.1") == "1\n")
    let waiting = lone.files.takeLines(unmarkedOnly: true)
    expect(waiting.map(\.lines), equals: [Array("22\n".utf8)])
    let mark = try #require(try lone.keepMark(of: path))
    #expect(mark.identity == FileIdentity(at: path) && mark.offset == 0)
  }

  @Test(
    "after a restart, lines behind the tail of a renamed file wait for the mark of the new one",
    arguments: [2, 5, 6, 8, KilledRun.truth.count])
  func renamedTwice(cut: Int) throws {
    let kept = try killed.run(mark: 2, cut: cut)
    rename(path, folder["x-20261122"])
    let lone = LoneFiles(keepsMarks: true)
    lone.files.resume(path, at: kept)
    try lone.files.append(truth[2...] + Array("next\n".utf8), to: path)
    try lone.files.prepare()
    try lone.files.write(onlyMarked: true)
    #expect(try folder.text("x").isEmpty && lone.files.needsMarks && !lone.files.isComparingTail)
    let waiting = lone.files.takeLines(unmarkedOnly: true)
    expect(waiting.map(\.lines), equals: [truth[KilledRun.lineStart(of: cut)...] + Array("next\n".utf8)])
    let mark = try #require(try lone.keepMark(of: path))
    #expect(mark.identity == FileIdentity(at: path) && mark.offset == 0)
    for (path, lines) in waiting { try lone.files.append(lines, to: path, areCommitted: true) }
    try lone.files.write()
    rename(path, folder["x-20261123"])
    // The next run is killed before it commits anything, and the one after it finds the lines.
    let next = try killed.replay(waiting[0].lines + Array("last\n".utf8), from: mark)
    try expect(folder.bytes("x-20261122"), equals: Array(truth[..<cut]))
    #expect(try folder.bytes("x-20261123") == waiting[0].lines && folder.text("x") == "last\n")
    #expect(next.told().isEmpty)
  }

  @Test("lines that were committed go to the file of the committed mark, which is rotated afterwards")
  func committed() throws {
    let kept = try killed.run(mark: 2, cut: 2)
    let lone = LoneFiles(Rotation(size: 3), keepsMarks: true)
    lone.files.resume(path, at: kept)
    try lone.files.append(Array("22\n".utf8), to: path, areCommitted: true)
    try lone.files.write()
    #expect(try folder.text("x") == "1\n22\n" && !lone.files.needsMarks)
    try lone.files.append(Array("3\n".utf8), to: path)
    try lone.files.prepare()
    #expect(try lone.files.needsMarks && folder.text("x.1") == "1\n22\n" && folder.text("x").isEmpty)
  }

  @Test("lines of a committed mark stay in its file, even if others rename it before they are written")
  func movedWithinCommit() throws {
    let lone = LoneFiles(keepsMarks: true)
    _ = try lone.files.file(path)
    let mark = try #require(try lone.keepMark(of: path))
    rename(path, folder["x-20261122"])
    try lone.files.append(Array("1\n".utf8), to: path, areCommitted: true)
    try lone.files.write()
    #expect(try folder.text("x-20261122") == "1\n" && folder.names == ["x-20261122"])
    // Killed: the next run finds the line, and one after a turn begins the new file.
    let next = LoneFiles(keepsMarks: true)
    next.files.resume(path, at: mark)
    try next.files.append(Array("1\n".utf8), to: path, areCommitted: true)
    try next.files.write(onlyMarked: true)
    #expect(try folder.text("x-20261122") == "1\n" && folder.text("x").isEmpty)
    try lone.files.append(Array("2\n".utf8), to: path)
    try lone.files.prepare()
    #expect(lone.files.needsMarks)
  }

  @Test(
    "each file has a header, also one that begins where others rename the one before",
    arguments: [false, true])
  func header(isKept: Bool) throws {
    let lone = LoneFiles(header: Array("n\n".utf8), keepsMarks: isKept)
    for number in 1...6 {
      try lone.files.append(Array("\(number)\n".utf8), to: path)
      try lone.files.prepare()
      // After the file is chosen, and between turns.
      if number == 2 { rename(path, folder["x-1"]) }
      if isKept { _ = try lone.keepMark(of: path) }
      try lone.files.write()
      if number == 4 { rename(path, folder["x-2"]) }
    }
    #expect(try folder.text("x-1") == "n\n1\n2\n" && folder.text("x-2") == "n\n3\n4\n")
    try expect(folder.text("x"), equals: "n\n5\n6\n")
  }

  @Test("lines that one epoch takes in several turns stay together, behind their header")
  func headerOfEpoch() throws {
    let lone = LoneFiles(header: Array("n\n".utf8), keepsMarks: true)
    var taken: [UInt8] = []
    for number in 1...2 {
      try lone.files.append(Array("\(number)\n".utf8), to: path)
      try lone.files.prepare()
      taken += lone.files.takeLines().flatMap(\.lines)
      if number == 1 { rename(path, folder["x-1"]) }
    }
    _ = try lone.keepMark(of: path)
    try lone.files.append(taken, to: path, areCommitted: true)
    try lone.files.write()
    try lone.files.append(Array("3\n".utf8), to: path)
    try lone.files.prepare()
    try lone.files.write()
    #expect(try folder.text("x-1") == "n\n1\n2\n" && folder.text("x") == "n\n3\n")
  }

  @Test("a file that begins behind lines that are regenerated has a header", arguments: [0, 1])
  func headerBehindTail(written: Int) throws {
    let header = Array("n\n".utf8)
    let lone = LoneFiles(header: header, keepsMarks: true)
    _ = try lone.files.file(path)
    if written == 1 { try lone.files.append(header + Array("1\n".utf8), to: path) }
    try lone.files.write()
    let mark = try #require(try lone.keepMark(of: path))
    let tail = written == 0 ? header + Array("1\n2\n".utf8) : Array("2\n".utf8)
    try lone.files.append(tail, to: path)
    try lone.files.write()
    rename(path, folder["x-1"])
    let next = LoneFiles(header: header, keepsMarks: true)
    next.files.resume(path, at: mark)
    try next.files.append(Array((written == 0 ? "1\n2\n3\n" : "2\n3\n").utf8), to: path)
    try next.files.prepare()
    try next.files.write(onlyMarked: true)
    let (path, lines) = try #require(next.files.takeLines(unmarkedOnly: true).first)
    #expect(String(decoding: lines, as: UTF8.self) == "n\n3\n" && path == self.path)
    #expect(try folder.text("x-1") == "n\n1\n2\n" && folder.text("x").isEmpty)
  }

  @Test("files that others have moved away are looked for in one reading of their folder")
  func manyMoved() throws {
    let count = 300
    let away = try TemporaryFolder()
    let first = LoneFiles(keepsMarks: true)
    for number in 0..<count { try first.files.append([0x31, 0x0a], to: folder["f\(number)"]) }
    try first.files.write()
    let marks = try first.files.marks(synced: false)
    expect(marks.count, equals: count)
    first.files.close()
    for number in 0..<count - 1 { rename(folder["f\(number)"], away["f\(number)"]) }
    let disk = WatchedDisk()
    let next = LoneFiles(disk: disk)
    for (path, mark) in marks { next.files.resume(path, at: mark) }
    #expect(!next.files.isComparingTail)
    try next.files.endReplay()
    expect(disk.calls.entries.filter { $0 == "names" }.count, equals: 2)
  }

  @Test("a file that was overwritten up to the mark is not taken for the one that was written")
  func overwritten() throws {
    let kept = try killed.run(mark: 5, cut: 8)
    try folder.write("x", "other\n and more\n")
    let lone = try killed.replay(truth[5...], from: kept)
    try expect(folder.bytes("x"), equals: Array("other\n and more\n".utf8) + truth[5...])
    expect(
      lone.told().first, equals: "\(path) is not the file that was written last; lines are appended to it")
  }

  @Test("a file that is moved away while it is compared is compared to its end, and a new one goes on")
  func movedMeanwhile() throws {
    let kept = try killed.run(mark: 2, cut: 8)
    let lone = try killed.replay(truth[2..<4], from: kept, pieces: 1)
    rename(path, folder["elsewhere"])
    try killed.write(truth[4...], lone, pieces: 1)
    try expect(folder.bytes("elsewhere") + folder.bytes("x"), equals: truth)
    try expect(folder.bytes("elsewhere"), equals: Array(truth[..<14]))
  }

  @Test("a link is followed where links are")
  func links() throws {
    symlink(folder["target"], path)
    let kept = try killed.run(mark: 2, cut: 8)
    let lone = try killed.replay(truth[2...], from: kept, pieces: 3)
    try expect(folder.bytes("target"), equals: truth)
    let last = try #require(try lone.keepMark(of: path))
    expect(last.identity, equals: FileIdentity(at: folder["target"]))
    #expect(throws: FileFailure.self) {
      let strict = LoneFiles(Rotation(), .init(followsLinks: false), onPause: { $1.set() })
      strict.files.resume(path, at: last)
      try strict.write("7\n".utf8, to: path)
    }
  }
}
