import Expectations
import Foundation
import Testing

@testable import Store

@Suite struct StateReaderTests {
  let folder: Folder
  init() throws { folder = try Folder() }

  func fill(_ state: StateFile) throws {
    let table = try state.table(node: "dedupe", description: ".id")
    for key in ["c", "a", "b"] { table.set(bytes("value of \(key)"), for: bytes(key)) }
    _ = try state.table(node: "changes@up", description: ".key")
    try state.commit { epoch throws(StoreError) in
      try epoch.set(.text("{}"), owner: "upcoming", name: "position")
      try epoch.set(.integer(3), owner: "dedupe", name: "count")
      for index in 0..<3 {
        let entry = OutboxEntry(
          sink: "tell", place: .init(epoch: 1, index: Int64(index)), id: "\(index)", bytes: bytes("1"))
        try epoch.put(entry)
        if index == 1 { try epoch.giveUp(entry, reason: "no", at: 5) }
      }
      try epoch.markWritten(sink: "log", through: .init(epoch: 1, index: 7))
    }
  }

  func expectFilled(_ reader: StateReader) throws {
    try expect(reader.epoch(), equals: 1)
    try expect(
      Set(reader.tables().map { "\($0.node) \($0.description) \($0.count)" }), equals: ["dedupe .id 3"],
      "a table that never had a key is not stored")
    try expect(
      reader.facts(),
      equals: [
        StoredFact(owner: "dedupe", name: "count", value: .integer(3)),
        StoredFact(owner: "upcoming", name: "position", value: .text("{}")),
      ])
    try expect(
      reader.sinks(),
      equals: [
        StoredSink(name: "log", written: .init(epoch: 1, index: 7), waiting: 0, dead: 0),
        StoredSink(name: "tell", written: nil, waiting: 2, dead: 1),
      ])
    let keys = try reader.keys(of: "dedupe")
    expect(keys.map(\.key), equals: ["c", "a", "b"].map(bytes))
    expect(keys.map(\.value), equals: ["c", "a", "b"].map { bytes("value of \($0)") })
    let first = try #require(keys.first)
    try expect(reader.keys(of: "dedupe", after: first, limit: 1), equals: [keys[1]])
    #expect(try reader.keys(of: "none").isEmpty)
    try expect(reader.value(of: "dedupe", for: bytes("a")), equals: bytes("value of a"))
    try expectNil(reader.value(of: "dedupe", for: bytes("z")))
    try expectNil(reader.value(of: "changes@up", for: bytes("a")))
    try expect(reader.outbox(sink: "tell").map(\.id), equals: ["0", "2"])
    try expect(reader.deadLetters().map(\.reason), equals: ["no"])
    #expect(try reader.deadLetters(sink: "log").isEmpty)
  }

  @Test("a file that is not in use is read without creating other files")
  func still() throws {
    do { try fill(folder.open()) }
    let before = try folder.read()
    try expectFilled(StateReader(path: folder.file))
    expect(folder.names, equals: ["p.db", "p.db.lock"])
    try expect(folder.read(), equals: before)
  }

  @Test("a name that means something in a URI is a name")
  func names() throws {
    let path = folder.path + "/a%41?mode=rw#b.db"
    do { try fill(StateFile(path: path)) }
    try expectFilled(StateReader(path: path))
    expect(folder.names, equals: ["a%41?mode=rw#b.db", "a%41?mode=rw#b.db.lock"])
  }

  @Test("what a run commits is seen beside it, and neither waits for the other")
  func live() throws {
    let state = try folder.open()
    try fill(state)
    let reader = try StateReader(path: folder.file)
    try expectFilled(reader)
    let table = try state.table(node: "dedupe", description: ".id")
    table.set([], for: bytes("d"))
    try expect(reader.keys(of: "dedupe").count, equals: 3)
    try state.commit { _ in }
    #expect(try reader.keys(of: "dedupe").count == 4 && reader.epoch() == 2)
  }

  @Test("a run that begins after the reader is noticed once it has changed the file")
  func begun() throws {
    do { try fill(folder.open()) }
    let reader = try StateReader(path: folder.file)
    try expect(reader.epoch(), equals: 1)
    do { try folder.open().commit { _ in } }
    try expect(reader.epoch(), equals: 2)
    expect(folder.names, equals: ["p.db", "p.db.lock"])
  }

  @Test("what a killed run left is read")
  func killed() throws {
    let state = try folder.open()
    try fill(state)
    let crashed = try folder.snapshot()
    do { try expectFilled(StateReader(path: crashed.file)) }
    try expect(crashed.open().epoch, equals: 1)
  }

  @Test("a file without tables is state without anything")
  func empty() throws {
    do { try Database(path: folder.file).prepareToWrite() }
    let before = try folder.read()
    let reader = try StateReader(path: folder.file)
    #expect(try reader.epoch() == 0 && reader.tables().isEmpty && reader.sinks().isEmpty)
    #expect(try reader.facts().isEmpty && reader.deadLetters().isEmpty)
    #expect(try folder.names == ["p.db"] && folder.read() == before)
  }

  @Test("no file, a damaged one, and those of others are refused, and nothing is made")
  func refused() throws {
    func refusal() -> StoreError? { failure { _ = try StateReader(path: folder.file) } }
    expect(refusal()?.reason, equals: "cannot open the state: No such file or directory")
    #expect(folder.names.isEmpty)

    try folder.write(bytes("no database"))
    expect(refusal()?.kind, equals: .corrupt)
    expect(
      refusal()?.reason.hasPrefix("damaged: it does not begin as a database does; --reset"), equals: true)
    try FileManager.default.removeItem(atPath: folder.file)

    do { try Database(path: folder.file).execute("CREATE TABLE theirs (a)") }
    expect(refusal()?.kind, equals: .foreign)
    try Database(path: folder.file).execute("PRAGMA application_id = \(Schema.owner)")
    expect(refusal()?.reason, equals: "written by an earlier flow (format 0); a run brings it forward")
    try Database(path: folder.file).execute("PRAGMA user_version = \(Schema.current + 1)")
    expect(refusal()?.kind, equals: .newer)
    expect(folder.names, equals: ["p.db"])
  }
}
