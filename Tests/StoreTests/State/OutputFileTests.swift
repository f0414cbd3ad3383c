import Expectations
import Foundation
import System
import Testing

@testable import Store

/// The file for large outputs beside a state.
@Suite struct OutputFileTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open() throws -> StateFile {
    try folder.open {
      $0.database.sync = .everyCommit
      $0.largeOutputBytes = 100
    }
  }

  private func entry(_ epoch: Int64, _ letter: Character, at index: Int64 = 0, count: Int = 100)
    -> OutboxEntry
  {
    OutboxEntry(
      sink: "log", place: .init(epoch: epoch, index: index), id: "\(epoch).\(index)",
      bytes: bytes(String(repeating: letter, count: count)))
  }

  private func size() throws -> Int { try folder.read("p.db-outputs").count }

  @Test("a large output is beside the database, a small one in it, and both come back")
  func comesBack() throws {
    let entries = [entry(1, "a"), entry(1, "b", at: 1, count: 99), entry(1, "c", at: 2, count: 300)]
    do {
      let state = try open()
      try state.commit { epoch throws(StoreError) in for entry in entries { try epoch.put(entry) } }
      try expect(state.outbox(sink: "log"), equals: entries)
    }
    try expect(size(), equals: 400)
    let database = try folder.read()
    #expect(!String(decoding: database, as: UTF8.self).has("aaaaaaaa"))
    try expect(open().outbox(sink: "log"), equals: entries)
    try expect(StateReader(path: folder.file).outbox(sink: "log"), equals: entries)
    // A flow that does not know the file refuses the state.
    try expect(StateReader(path: folder.file).format(), equals: 1 + 1 << 16)
    let mode = try FileManager.default.attributesOfItem(atPath: folder.file + "-outputs")[.posixPermissions]
    expect(mode as? Int, equals: 0o600)
  }

  @Test("a range is used again behind the commit that has removed its row, and not before")
  func reuse() throws {
    let state = try open()
    try state.commit { epoch throws(StoreError) in try epoch.put(entry(1, "a")) }
    try state.commit { epoch throws(StoreError) in
      try epoch.markWritten(sink: "log", through: .init(epoch: 1, index: 0))
      // A crash here brings the row back.
      try epoch.put(entry(2, "b"))
    }
    expect(
      String(decoding: try folder.read("p.db-outputs").prefix(100), as: UTF8.self),
      equals: String(repeating: "a", count: 100))
    for number in 3...20 as ClosedRange<Int64> {
      try state.commit { epoch throws(StoreError) in
        try epoch.markWritten(sink: "log", through: .init(epoch: number - 1, index: 0))
        try epoch.put(entry(number, "c", count: 100 + Int(number % 2)))
      }
      try expect(state.outbox(sink: "log"), equals: [entry(number, "c", count: 100 + Int(number % 2))])
    }
    #expect(try size() < 500)
  }

  @Test("a transaction that is undone leaves its room, and the file goes when nothing needs it")
  func undone() throws {
    var state: StateFile? = try open()
    for _ in 0..<10 {
      _ = failure {
        try state?.commit { epoch throws(StoreError) in
          try epoch.put(entry(1, "a"))
          throw StoreError("p", .refused, "not now")
        }
      }
    }
    try state?.commit { epoch throws(StoreError) in try epoch.put(entry(1, "a")) }
    try expect(size(), equals: 100)
    try state?.commit { epoch throws(StoreError) in
      try epoch.markWritten(sink: "log", through: .init(epoch: 1, index: 0))
    }
    state?.checkpointWAL()
    try expect(StateReader(path: folder.file).format(), equals: 1)
    #expect(!folder.names.contains("p.db-outputs"))
    try state?.commit { epoch throws(StoreError) in try epoch.put(entry(3, "d")) }
    state = nil
    state = try open()
    try expect(state?.outbox(sink: "log"), equals: [entry(3, "d")])
    try state?.update { epoch throws(StoreError) in _ = try epoch.reset(node: "log") }
    state = nil
    state = try open()
    #expect(!folder.names.contains("p.db-outputs"))
  }

  @Test("a state that was moved without it says what is missing, and which command goes on without")
  func missing() throws {
    try open().commit { epoch throws(StoreError) in try epoch.put(entry(1, "a")) }
    try FileManager.default.removeItem(atPath: folder.file + "-outputs")
    let state = try open()
    let refused = failure { _ = try state.outbox(sink: "log") }
    #expect(refused?.kind == .refused)
    #expect(
      refused?.description.has("p.db-outputs: an output that is still to be written is missing here") == true)
    try state.update { epoch throws(StoreError) in _ = try epoch.reset(node: "log") }
    try expect(state.outbox(sink: "log"), equals: [])
  }

  @Test("one that is removed while it is in use takes no commit with it")
  func removed() throws {
    let state = try open()
    try state.commit { epoch throws(StoreError) in try epoch.put(entry(1, "a")) }
    try FileManager.default.removeItem(atPath: folder.file + "-outputs")
    let refused = failure {
      try state.commit { epoch throws(StoreError) in try epoch.put(entry(2, "b")) }
    }
    #expect(refused?.kind == .gone)
    expect(state.epoch, equals: 1)
  }

  @Test(
    "a state without syncs, and one with a log, keep everything in the database", arguments: [false, true])
  func inDatabase(hasLog: Bool) throws {
    let state = try folder.open {
      $0.largeOutputBytes = 100
      $0.database.sync = hasLog ? .everyCommit : .never
    }
    if hasLog { try state.attach(MemoryLog(), at: LogPlace(log: "a", ordinal: 0), by: "w") }
    try state.commit { epoch throws(StoreError) in try epoch.put(entry(1, "a")) }
    #expect(!folder.names.contains("p.db-outputs"))
    try expect(state.outbox(sink: "log"), equals: [entry(1, "a")])
  }

  @Test(
    "where it is missing nothing is put in its place, and what belongs to another state is not taken for its own"
  )
  func foreign() throws {
    try open().commit { epoch throws(StoreError) in try epoch.put(entry(1, "a")) }
    let whole = try folder.read("p.db-outputs")
    try FileManager.default.removeItem(atPath: folder.file + "-outputs")
    let refused = failure {
      let state = try open()
      try state.commit { epoch throws(StoreError) in try epoch.put(entry(2, "b")) }
    }
    #expect(refused?.kind == .refused && !folder.names.contains("p.db-outputs"))
    try folder.write(bytes(String(repeating: "b", count: 100)), "p.db-outputs")
    #expect(failure { _ = try open().outbox(sink: "log") }?.kind == .refused)
    try folder.write(whole, "p.db-outputs")
    try expect(open().outbox(sink: "log"), equals: [entry(1, "a")])
  }

  @Test("a reader that began before the run does not take another output for the one it has seen")
  func readers() throws {
    do {
      let state = try open()
      try state.commit { epoch throws(StoreError) in try epoch.put(entry(1, "a")) }
      state.checkpointWAL()
    }
    let reader = try StateReader(path: folder.file)
    try expect(reader.outbox(sink: "log"), equals: [entry(1, "a")])
    let state = try open()
    for number in 2...3 as ClosedRange<Int64> {
      try state.commit { epoch throws(StoreError) in
        try epoch.markWritten(sink: "log", through: .init(epoch: number - 1, index: 0))
        try epoch.put(entry(number, "b"))
      }
    }
    try expect(reader.outbox(sink: "log"), equals: [entry(3, "b")])
  }

  @Test("an unread change of tables does not keep the note that the file is gone from the database")
  func noteWhileReading() throws {
    do {
      let state = try open()
      try state.commit { epoch throws(StoreError) in try epoch.put(entry(1, "a")) }
      for _ in 0..<2 {
        try state.commit { epoch throws(StoreError) in
          try epoch.markWritten(sink: "log", through: .init(epoch: 1, index: 0))
        }
      }
      _ = try state.table(node: "n", description: "").value(for: bytes("k"))
      state.checkpointWAL()
    }
    #expect(!folder.names.contains("p.db-outputs"))
    try expect(StateReader(path: folder.file).format(), equals: 1)
  }

  @Test("a retry, a dead letter and its way back keep the output")
  func retried() throws {
    let state = try open()
    var failed = entry(1, "a")
    try state.commit { epoch throws(StoreError) in try epoch.put(failed) }
    failed.attempts = 1
    try state.update { epoch throws(StoreError) in try epoch.put(failed) }
    try expect(state.outbox(sink: "log"), equals: [failed])
    try state.update { epoch throws(StoreError) in try epoch.giveUp(failed, reason: "no", at: 1) }
    let letter = try #require(try state.deadLetters().first)
    try state.update { epoch throws(StoreError) in try epoch.retry(deadLetter: letter.number) }
    failed.attempts = 0
    try expect(state.outbox(sink: "log"), equals: [failed])
  }
}

extension StateReader {
  /// The version of the file.
  fileprivate func format() throws -> Int64? { try database.integer("PRAGMA user_version") }
}
