import Expectations
import Testing

@testable import Store

@Suite struct OutboxTests {
  let folder: Folder
  let state: StateFile
  init() throws {
    folder = try Folder()
    state = try folder.open()
  }

  func entry(_ sink: String, _ epoch: Int64, _ index: Int64) -> OutboxEntry {
    OutboxEntry(
      sink: sink, place: .init(epoch: epoch, index: index), id: "p/\(sink)/\(epoch)/\(index)",
      bytes: bytes("\(sink) \(epoch).\(index)"))
  }

  func places(_ sink: String) throws -> [String] {
    try state.outbox(sink: sink).map { "\($0.place.epoch).\($0.place.index)" }
  }

  func fill() throws {
    for _ in 0..<3 {
      try state.commit { epoch throws(StoreError) in
        for index in 0..<3 {
          try epoch.put(entry("log", epoch.number, Int64(index)))
          try epoch.put(entry("tell", epoch.number, Int64(index)))
        }
      }
    }
  }

  @Test("entries come back in order, whole, by sink, and page by page")
  func order() throws {
    try fill()
    try expect(places("log"), equals: ["1.0", "1.1", "1.2", "2.0", "2.1", "2.2", "3.0", "3.1", "3.2"])
    let page = try state.outbox(sink: "tell", after: .init(epoch: 1, index: 1), limit: 2)
    expect(page, equals: [entry("tell", 1, 2), entry("tell", 2, 0)])
    #expect(try state.outboxCount(sink: "tell") == 9 && state.outboxCount(sink: "none") == 0)
  }

  @Test("what is written goes, up to the mark, and the mark never goes back")
  func written() throws {
    try fill()
    try expectNil(state.written(sink: "log"))
    try state.update { epoch throws(StoreError) in
      try epoch.markWritten(sink: "log", through: .init(epoch: 2, index: 1))
    }
    try expect(places("log"), equals: ["2.2", "3.0", "3.1", "3.2"])
    try expect(places("tell").count, equals: 9)
    try state.commit { epoch throws(StoreError) in
      try epoch.markWritten(sink: "log", through: .init(epoch: 1, index: 2))
    }
    try expect(state.written(sink: "log"), equals: OutputPlace(epoch: 2, index: 1))
  }

  @Test("a failed entry keeps its place and id, with its attempts and its next time")
  func retried() throws {
    try fill()
    var tried = entry("tell", 2, 0)
    tried.attempts = 3
    tried.due = 1_700_000_000.25
    try state.update { epoch throws(StoreError) in try epoch.put(tried) }
    try expect(state.outbox(sink: "tell", after: .init(epoch: 1, index: 2), limit: 1), equals: [tried])
    try state.update { epoch throws(StoreError) in try epoch.remove(sink: "tell", at: tried.place) }
    try expect(state.outboxCount(sink: "tell"), equals: 8)
  }

  @Test("a dead letter is kept with its reason, listed, put back with its old id, or dropped")
  func dead() throws {
    try fill()
    var given = entry("tell", 2, 0)
    given.attempts = 5
    try state.update { epoch throws(StoreError) in
      try epoch.giveUp(given, reason: "exit 1", at: 12.5)
      try epoch.giveUp(entry("log", 1, 0), reason: "gone", at: 13)
    }
    try expect(state.outboxCount(sink: "tell"), equals: 8)
    let letters = try state.deadLetters()
    #expect(letters.map(\.number) == [1, 2] && letters.map(\.reason) == ["exit 1", "gone"])
    #expect(letters.first?.entry == given && letters.first?.at == 12.5)
    try expect(state.deadLetters(sink: "log").map(\.number), equals: [2])
    try expect(state.deadLetters(after: 1).map(\.number), equals: [2])
    try state.update { epoch throws(StoreError) in try epoch.retry(deadLetter: 1) }
    try expect(
      state.outbox(sink: "tell", after: .init(epoch: 1, index: 2), limit: 1), equals: [entry("tell", 2, 0)])
    try state.update { epoch throws(StoreError) in try epoch.drop(deadLetter: 2) }
    #expect(try state.deadLetters().isEmpty)
    try state.update { epoch throws(StoreError) in try epoch.giveUp(given, reason: "again", at: 14) }
    try expect(state.deadLetters().map(\.number), equals: [3])
  }

  @Test("output, state and positions are committed together, or none of them")
  func together() throws {
    let table = try state.table(node: "n", description: "")
    table.set(bytes("1"), for: bytes("a"))
    let failed = failure {
      try state.commit { epoch throws(StoreError) in
        try epoch.put(entry("log", epoch.number, 0))
        try epoch.set(.integer(1), owner: "file", name: "offset")
        throw StoreError("p", .refused, "no")
      }
    }
    #expect(failed != nil && state.epoch == 0)
    let crashed = try folder.snapshot().open()
    #expect(try crashed.outboxCount(sink: "log") == 0 && crashed.fact(owner: "file", name: "offset") == nil)
    try expect(crashed.table(node: "n", description: "").count, equals: 0)
    var within: Folder?
    try state.commit { epoch throws(StoreError) in
      try epoch.put(entry("log", epoch.number, 0))
      within = try? folder.snapshot()
    }
    let before = try #require(within).open()
    #expect(try before.epoch == 0 && before.outboxCount(sink: "log") == 0)
    let after = try folder.snapshot().open()
    #expect(try after.outboxCount(sink: "log") == 1 && after.epoch == 1)
    try expect(after.table(node: "n", description: "").value(for: bytes("a")), equals: bytes("1"))
  }

  @Test("what a table is changed to while a commit is made is part of it")
  func changedWithin() throws {
    let table = try state.table(node: "n", description: "")
    try state.commit { _ in table.set(bytes("1"), for: bytes("a")) }
    try expect(folder.snapshot().open().table(node: "n", description: "").count, equals: 1)
  }
}
