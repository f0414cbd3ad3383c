import Expectations
import Trials
import TestSupport
import Glibc
import Engine
import Language
import Testing

@testable import Nodes
import System

/// Marks before which everything is safe on the disk.
@Suite struct SyncedMarksTests {
  private let killed: KilledRun
  private let disk = WatchedDisk()
  private let rotation = Rotation(size: 8, keep: 20)
  private var folder: TemporaryFolder { killed.folder }

  init() throws { killed = try KilledRun() }

  /// Which of the names are of files that were made safe.
  private func synced(_ names: String...) -> [String] {
    let files = disk.synced.entries
    return names.filter { FileIdentity(at: folder[$0]).map(files.contains) ?? false }
  }

  @Test("marks that are to be safe sync each file once, and the folders above each new one")
  func synced() throws {
    let lone = LoneFiles(disk: disk)
    let paths = [folder["new/deep/x"], folder["new/deep/y"]]
    for path in paths { try lone.write("1\n".utf8, to: path) }
    _ = try lone.files.marks(synced: true)
    expect(disk.count("sync"), equals: 2)
    // Of each file the folders above it, which may all have been made by a run that was killed.
    expect(disk.count("sync \(folder["new/deep"])"), equals: 2)
    expect(disk.count("sync \(folder["new"])"), equals: 2)
    expect(disk.count("sync \(folder.path)"), equals: 2)
    try lone.write("2\n".utf8, to: paths[0])
    _ = try lone.files.marks(synced: true)
    _ = try lone.files.marks(synced: true)
    let own = disk.calls.entries.filter { $0 == "sync" || $0.hasPrefix("sync \(folder.path)") }
    expect(own.count, equals: 9)
  }

  @Test("before a mark is safe so is the file that was rotated, and what was closed for others")
  func syncedOld() throws {
    let lone = LoneFiles(Rotation(size: 2), limit: 1, disk: disk)
    for path in ["x", "y"] { try lone.files.append([0x30, 0x0a], to: folder[path]) }
    _ = try lone.files.marks(synced: true)
    lone.files.marksAreKept()
    try lone.files.write()
    for path in ["x", "y"] { try lone.write([0x31, 0x0a], to: folder[path]) }
    let before = disk.count("sync")
    let marks = try lone.files.marks(synced: true)
    expect(marks.map(\.mark.offset), equals: [2, 2])
    try expect(
      marks.map(\.mark.identity), equals: ["x", "y"].map { try #require(FileIdentity(at: folder[$0])) })
    expect(folder.names, equals: ["x", "x.1", "y", "y.1"])
    expect(disk.count("sync") - before, equals: 4)
  }

  @Test("so is what a file held that was moved away")
  func moved() throws {
    let lone = LoneFiles(disk: disk)
    try lone.write("1\n".utf8, to: folder["x"])
    _ = try lone.keepMark(of: folder["x"])
    try lone.write("2\n".utf8, to: folder["x"])
    rename(folder["x"], folder["elsewhere"])
    try lone.write("3\n".utf8, to: folder["x"])
    _ = try lone.keepMark(of: folder["x"], synced: true)
    expect(synced("elsewhere", "x"), equals: ["elsewhere", "x"])
  }

  @Test(
    "so is skipped data in rotated files, while there is more, also of a closed file", arguments: [1, 64])
  func passedOver(limit: Int) throws {
    let kept = try killed.run(mark: 2, cut: KilledRun.truth.count, rotation)
    let lone = LoneFiles(rotation, limit: limit, disk: disk)
    try killed.replay(KilledRun.truth[2..<10], from: kept, lone)
    try lone.write("1\n".utf8, to: folder["y"])
    _ = try lone.files.marks(synced: true)
    expect(synced("x.3", "x.2", "y"), equals: ["x.3", "x.2", "y"])
  }

  @Test("so is skipped data when there is no more")
  func passed() throws {
    let kept = try killed.run(mark: 2, cut: KilledRun.truth.count, rotation)
    let lone = LoneFiles(rotation, disk: disk)
    try killed.replay(KilledRun.truth[2...] + "7\n".utf8, from: kept, lone)
    _ = try lone.files.marks(synced: true)
    expect(synced("x.3", "x.2", "x.1", "x"), equals: ["x.3", "x.2", "x.1", "x"])
  }

  /// What of a file was written over, as the bytes of it.
  private func writtenOver(_ name: String, _ disk: WatchedDisk) throws -> Set<Int> {
    let identity = try #require(FileIdentity(at: folder[name]))
    return disk.writtenOver.entries.reduce(into: []) { if $1.file == identity { $0.formUnion($1.bytes) } }
  }

  @Test(
    "skipped data is overwritten with itself: after a failed sync, no other would make it durable",
    arguments: [1, 5, 1000])
  func writtenOver(pieces: Int) throws {
    let kept = try killed.run(mark: 2, cut: KilledRun.truth.count, rotation)
    let lone = LoneFiles(rotation, disk: disk, syncs: true)
    try killed.replay(KilledRun.truth[2...], from: kept, pieces: pieces, lone)
    try expect(killed.text(), equals: KilledRun.truth)
    for name in ["x.3", "x.2", "x.1", "x"] {
      let first = name == "x.3" ? 2 : 0
      try expect(writtenOver(name, disk), equals: Set(first..<folder.bytes(name).count), "\(name)")
    }
  }

  @Test("so is what is not made again, and stays, before anything is added behind it")
  func stays() throws {
    let kept = try killed.run(mark: 2, cut: KilledRun.truth.count, rotation)
    let lone = LoneFiles(rotation, disk: disk, syncs: true)
    try killed.replay(KilledRun.truth[2..<4], from: kept, lone)
    try lone.files.endReplay()
    try expect(killed.text(), equals: KilledRun.truth)
    for name in ["x.3", "x.2", "x.1", "x"] {
      let first = name == "x.3" ? 2 : 0
      try expect(writtenOver(name, disk), equals: Set(first..<folder.bytes(name).count), "\(name)")
    }
    _ = try lone.files.marks(synced: true)
    expect(synced("x.3", "x.2", "x.1", "x"), equals: ["x.3", "x.2", "x.1", "x"])
  }

  @Test(
    "where nothing is made safe, and where a file may only be added to, it is read alone",
    arguments: [true, false])
  func onlyRead(isProtected: Bool) throws {
    let disk = WatchedDisk(isProtected: isProtected)
    let kept = try killed.run(mark: 2, cut: 9)
    let lone = LoneFiles(disk: disk, syncs: isProtected)
    try killed.replay(KilledRun.truth[2...], from: kept, lone)
    try expect(killed.text(), equals: KilledRun.truth)
    #expect(disk.writtenOver.entries.isEmpty)
    expect(lone.told(), equals: [])
  }

  @Test("so is what stays in a file that was set aside")
  func setAside() throws {
    let kept = try killed.run(mark: 2, cut: KilledRun.truth.count)
    try folder.write("x", "1\n22\n#")
    let lone = LoneFiles(disk: disk)
    try killed.replay(KilledRun.truth[2...], from: kept, lone)
    _ = try lone.files.marks(synced: true)
    expect(synced("x.aside-1", "x"), equals: ["x.aside-1", "x"])
  }
}
