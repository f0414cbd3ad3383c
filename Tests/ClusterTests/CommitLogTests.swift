import Expectations
import SimulatedDisk
import SimulatedJournal
import Store
import System
import Testing

@testable import Cluster

/// The takeover of a task's log, and the opening of its state.
@Suite struct CommitLogTests {
  private let journal = MemoryJournal(now: { 0 })

  private func takeover(imageBytes: Int = 1 << 20) -> LogTakeover {
    var options = CommitLog.Options(pause: { _ in false })
    options.imageBytes = imageBytes
    return LogTakeover(journal, of: "t", options)
  }

  private func take(_ takeover: LogTakeover, _ writer: String) throws -> CommitLog {
    guard case .taken(let log) = try takeover.take(writer: writer, digest: "d", newLog: "l") else {
      throw StoreError("t", .refused, "\(writer) has not got the task")
    }
    return log
  }

  private func open(_ takeover: LogTakeover, _ log: CommitLog, on disk: SimulatedDisk) throws -> StateFile {
    let process = disk.start()
    try? process.makeFolder("/var")
    let options = StateFile.Options(disk: ProcessDisk(process: process))
    return try takeover.open(log, path: "/var/t.db", options)
  }

  @Test("a worker that opens a state late learns that another has the task", arguments: [true, false])
  func late(isPurged: Bool) throws {
    let slow = takeover()
    let slowLog = try take(slow, "slow#1")
    let fast = takeover(imageBytes: isPurged ? 0 : 1 << 20)
    let fastLog = try take(fast, "fast#1")
    let file = try open(fast, fastLog, on: SimulatedDisk(.init(seed: 1)))
    let table = try file.table(node: "n", description: ".")
    table.set([1], for: [2])
    try file.commit { _ in }
    try expect(journal.read("t", from: 1).count, equals: (isPurged ? 1 : 3))

    let error = #expect(throws: StoreError.self) {
      let file = try open(slow, slowLog, on: SimulatedDisk(.init(seed: 2)))
      let table = try file.table(node: "n", description: ".")
      table.set([1], for: [2])
      try file.commit { _ in }
    }
    expect(error?.kind, equals: .fenced)
    #expect(slowLog.isFenced && !fastLog.isFenced)
  }
}
