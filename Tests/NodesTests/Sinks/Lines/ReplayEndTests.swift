import Expectations
import TestSupport
import Glibc
import Engine
import Language
import Testing

@testable import Nodes
import System

/// What is left in files when nothing comes again.
@Suite struct ReplayEndTests {
  private let killed: KilledRun
  private let truth = KilledRun.truth
  private var folder: TemporaryFolder { killed.folder }
  private var path: String { killed.path }

  init() throws { killed = try KilledRun() }

  @Test(
    "what is left stays, lines are added behind it, and its bytes are told once", arguments: ["a\n", "a\nbc"])
  func endReplay(left: String) throws {
    let kept = try killed.run(mark: 2, cut: 5)
    try folder.append("x", left)
    let lone = try killed.replay(truth[2..<5], from: kept, pieces: 2)
    try lone.files.endReplay()
    try lone.files.endReplay()
    let whole = "1\n22\n" + (left.hasSuffix("\n") ? left : left + "\n")
    try expect(folder.text("x"), equals: whole)
    let mark = try #require(try lone.keepMark(of: path))
    expect(mark.offset, equals: whole.utf8.count)
    try lone.write("next\n".utf8, to: path)
    try expect(folder.text("x"), equals: whole + "next\n")
    expect(
      lone.told().first,
      equals: "\(path): \(left.utf8.count) bytes after the last commit were not regenerated; they stay, "
        + "and new lines follow them")
    expect(lone.told().count, equals: (left.hasSuffix("\n") ? 1 : 2))
  }

  @Test("the same for a file that nothing was written to again, and one that was removed is not made for it")
  func neverOpened() throws {
    let kept = try killed.run(mark: 2, cut: 6)
    let lone = LoneFiles()
    lone.files.resume(path, at: kept)
    lone.files.resume(folder["gone"], at: FileMark(device: kept.device, inode: .max, offset: 2))
    try lone.files.endReplay()
    expect(
      lone.told(),
      equals: [
        "\(path): 4 bytes after the last commit were not regenerated; they stay, and new lines follow them"
      ])
    try expect(lone.keepMark(of: path)?.offset, equals: 6)
    expect(folder.names, equals: ["x"])
    try lone.write("next\n".utf8, to: path)
    try expect(folder.text("x"), equals: "1\n22\n\nnext\n")
  }

  @Test("what is left in rotated files counts too, and stays")
  func leftInOld() throws {
    let rotation = Rotation(size: 8, keep: 20)
    let kept = try killed.run(mark: 2, cut: truth.count, rotation)
    let lone = try killed.replay(truth[2..<5], from: kept, pieces: 2, LoneFiles(rotation))
    try lone.files.endReplay()
    try lone.write("next\n".utf8, to: path)
    expect(lone.told().first?.contains(": \(truth.count - 5) bytes after"), equals: true)
    try expect(killed.text(), equals: truth + "next\n".utf8)
  }
}
