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
    #expect(try folder.text("x") == "1\n2\nnext\n")
    #expect(
      lone.told() == [
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
    #expect(try folder.text("x") == (isReplaced ? "other\nnext\n" : "next\n"))
    #expect(
      lone.told().first
        == "\(path) is not the file that was written last; lines are appended to it")
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
    #expect(try folder.bytes("x-20261122") == Array(truth[..<cut]))
    let start = KilledRun.lineStart(of: cut)
    let replaced = replacement.map { $0.isEmpty || $0.hasSuffix("\n") ? $0 : $0 + "\n" } ?? ""
    let rest = try folder.bytes("x")
    #expect(rest == Array(replaced.utf8) + truth[start...] + Array("next\n".utf8))
    #expect(try lone.keepMark(of: path)?.offset == rest.count)
    #expect(folder.names.count == 2)
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

  @Test("a file that was overwritten up to the mark is not taken for the one that was written")
  func overwritten() throws {
    let kept = try killed.run(mark: 5, cut: 8)
    try folder.write("x", "other\n and more\n")
    let lone = try killed.replay(truth[5...], from: kept)
    #expect(try folder.bytes("x") == Array("other\n and more\n".utf8) + truth[5...])
    #expect(
      lone.told().first
        == "\(path) is not the file that was written last; lines are appended to it")
  }

  @Test("a file that is moved away while it is compared is compared to its end, and a new one goes on")
  func movedMeanwhile() throws {
    let kept = try killed.run(mark: 2, cut: 8)
    let lone = try killed.replay(truth[2..<4], from: kept, pieces: 1)
    rename(path, folder["elsewhere"])
    try killed.write(truth[4...], lone, pieces: 1)
    #expect(try folder.bytes("elsewhere") + folder.bytes("x") == truth)
    #expect(try folder.bytes("elsewhere") == Array(truth[..<14]))
  }

  @Test("a link is followed where links are")
  func links() throws {
    symlink(folder["target"], path)
    let kept = try killed.run(mark: 2, cut: 8)
    let lone = try killed.replay(truth[2...], from: kept, pieces: 3)
    #expect(try folder.bytes("target") == truth)
    let last = try #require(try lone.keepMark(of: path))
    #expect(last.identity == FileIdentity(at: folder["target"]))
    #expect(throws: FileFailure.self) {
      let strict = LoneFiles(Rotation(), .init(followsLinks: false), onPause: { $1.set() })
      strict.files.resume(path, at: last)
      try strict.write("7\n".utf8, to: path)
    }
  }
}
