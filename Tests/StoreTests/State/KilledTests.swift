import Expectations
import Foundation
import Reactive
import TestScale
import TestSupport
import Testing

@testable import Store

/// A process that commits endlessly is killed, and its files are examined.
@Suite(.timeLimit(.minutes(30))) struct KilledTests {
  static let variable = "FLOW_STORE_WRITER"
  static let writesHere = ProcessInfo.processInfo.environment[variable]

  /// Runs in the process that is to be killed: this test alone, started by the other one.
  @Test("commits until it is killed", .enabled(if: writesHere != nil, "only in a process of its own"))
  func writer() throws {
    let path = try #require(Self.writesHere)
    var options = StateFile.Options()
    // Carried over often, so that it is killed within that too.
    options.database.checkpointPages = 8
    let state = try StateFile(path: path, options)
    let told = open(path + ".told", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let table = try state.table(node: "n", description: "")
    while true {
      let number = Int(state.epoch) + 1
      for key in 0..<20 { table.set(bytes("\(number)"), for: bytes("\((number * 7 + key) % 300)")) }
      table.set(bytes("\(number)"), for: bytes("last"))
      try state.commit { epoch throws(StoreError) in
        try epoch.set(.integer(epoch.number), owner: "o", name: "last")
        let place = OutputPlace(epoch: epoch.number, index: 0)
        try epoch.put(OutboxEntry(sink: "log", place: place, bytes: bytes("\(number)")))
      }
      var line = bytes("\(number)\n")
      _ = write(told, &line, line.count)
    }
  }

  @Test(
    "killed at any moment, it leaves every epoch that it told of, whole, and at most one more",
    .enabled(if: writesHere == nil))
  func killed() throws {
    let folder = try Folder()
    var dice = SplitMix64(seed: 5)
    var told = 0
    for _ in 0..<TestScale.count(6, atLeast: 2) {
      let child = TestProcess()
      child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      child.arguments = ["--testing-library", "swift-testing", "--filter", "KilledTests/writer"]
      child.environment = ProcessInfo.processInfo.environment.merging([Self.variable: folder.file]) { $1 }
      child.standardOutput = FileHandle.nullDevice
      child.standardError = FileHandle.nullDevice
      try child.run()
      let goal = told + Int.random(in: 1...40, using: &dice)
      let deadline = Date(timeIntervalSinceNow: 60)
      while try last(folder) < goal, child.isRunning, Date() < deadline { usleep(300) }
      kill(child.processIdentifier, SIGKILL)
      child.waitUntilExit()
      expect(child.terminationReason, equals: .uncaughtSignal)
      told = try last(folder)
      #expect(told >= goal)

      let state = try folder.open()
      let epoch = Int(state.epoch)
      #expect(epoch == told || epoch == told + 1)
      try expect(state.fact(owner: "o", name: "last"), equals: .integer(state.epoch))
      let outbox = try state.outbox(sink: "log", limit: .max)
      expect(outbox.map(\.bytes), equals: (1...epoch).map { bytes("\($0)") })
      let table = try state.table(node: "n", description: "")
      expect(table.value(for: bytes("last")), equals: bytes("\(epoch)"))
      for key in 0..<300 {
        let writer = (1...epoch).last { number in (0..<20).contains { (number * 7 + $0) % 300 == key } }
        expect(table.value(for: bytes("\(key)")), equals: writer.map { bytes("\($0)") })
      }
      try expect(state.database.text("PRAGMA integrity_check"), equals: "ok")
    }
  }

  /// The last epoch that the process has told of.
  private func last(_ folder: Folder) throws -> Int {
    guard folder.names.contains("p.db.told") else { return 0 }
    let lines = String(decoding: try folder.read("p.db.told"), as: UTF8.self).split(separator: "\n")
    return lines.last.flatMap { Int($0) } ?? 0
  }
}
