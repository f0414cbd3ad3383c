import Foundation
import TestSupport
import Testing

@testable import flow

/// `flow tail -f` during writes.
@Suite(.timeLimit(.minutes(30))) struct TailFollowTests {
  @Test("what is written later is shown, whole lines only")
  func appending() throws {
    try following("old\n") { log in
      try log.append("new\nhal")
      try log.expect("old\nnew\n")
      try log.append("f\n")
      try log.expect("old\nnew\nhalf\n")
    }
  }

  @Test("reading goes on in the file that takes the name, and nothing of the old one is lost")
  func rotation() throws {
    try following("1\n") { log in
      try log.expect("1\n")
      try FileManager.default.moveItem(atPath: log.path, toPath: log.path + ".1")
      let old = try #require(FileHandle(forWritingAtPath: log.path + ".1"))
      try old.seekToEnd()
      try old.write(contentsOf: Data("2\n".utf8))
      try log.expect("1\n2\n")
      try Data("3\n".utf8).write(to: URL(fileURLWithPath: log.path))
      try log.expect("1\n2\n3\n")
      try log.append("4\n")
      try log.expect("1\n2\n3\n4\n")
      try log.expectErrors("was removed; waiting")
      try log.expectErrors("was replaced; following")
    }
  }

  @Test("two rotations at once lose no file between")
  func twoRotations() throws {
    try following("1\n") { log in
      try log.expect("1\n")
      let files = FileManager.default
      try files.moveItem(atPath: log.path, toPath: log.path + ".1")
      try Data("2\n".utf8).write(to: URL(fileURLWithPath: log.path))
      try files.moveItem(atPath: log.path + ".1", toPath: log.path + ".2")
      try files.moveItem(atPath: log.path, toPath: log.path + ".1")
      try Data("3\n".utf8).write(to: URL(fileURLWithPath: log.path))
      try log.expect("1\n2\n3\n")
    }
  }

  @Test("a truncated file is read from its beginning")
  func truncation() throws {
    try following("1\n2\n3\n") { log in
      try log.expect("1\n2\n3\n")
      try #require(FileHandle(forWritingAtPath: log.path)).truncate(atOffset: 0)
      try log.append("4\n")
      try log.expect("1\n2\n3\n4\n")
    }
  }

  @Test("a file that is not there yet is waited for")
  func notThereYet() throws {
    try following(nil) { log in
      try log.expectErrors("does not exist yet; waiting for it")
      try Data("1\n".utf8).write(to: URL(fileURLWithPath: log.path))
      try log.expect("1\n")
    }
  }

  /// Runs `body` while the log is followed; then stops the command from the keyboard.
  private func following(_ text: String?, _ body: (FollowedLog) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let log = try FollowedLog(folder, text)
    defer { kill(log.process.processIdentifier, SIGKILL) }
    try body(log)
    log.process.interrupt()
    try log.expectEnd()
    #expect(log.process.terminationReason == .exit && log.process.terminationStatus == 130)
  }
}

private struct FollowedLog {
  let path: String
  let process = TestProcess()
  private let output, complaints: URL

  init(_ folder: URL, _ text: String?) throws {
    path = folder.appending(path: "log").path
    output = folder.appending(path: "out")
    complaints = folder.appending(path: "err")
    if let text { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
    try Data().write(to: output)
    try Data().write(to: complaints)
    process.executableURL = try flowCommand()
    process.arguments = ["tail", "-f", path]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: complaints)
    try process.run()
  }

  func append(_ text: String) throws {
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  var errors: String { get throws { String(decoding: try Data(contentsOf: complaints), as: UTF8.self) } }

  /// Waits until that was shown, ten seconds at most.
  func expect(_ shown: String) throws {
    try wait(for: output) { $0 == shown }
  }

  func expectErrors(_ part: String) throws {
    try wait(for: complaints) { $0.contains(part) }
  }

  /// Waits until the command has ended, ten seconds at most.
  func expectEnd() throws {
    for _ in 0..<500 where process.isRunning { Thread.sleep(forTimeInterval: 0.02) }
    try #require(!process.isRunning)
  }

  private func wait(for file: URL, _ isReached: (String) -> Bool) throws {
    var text = ""
    for _ in 0..<500 {
      text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      if isReached(text) { return }
      Thread.sleep(forTimeInterval: 0.02)
    }
    Issue.record("still \(text.debugDescription); \(try errors)")
  }
}
