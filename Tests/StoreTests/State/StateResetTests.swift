import Expectations
import Glibc
import Testing

@testable import Store

@Suite struct StateResetTests {
  let folder: Folder
  init() throws { folder = try Folder() }

  func fill() throws {
    let state = try folder.open()
    for node in ["a", "a@x", "a@y", "ab", "b@a"] {
      let table = try state.table(node: node, description: "")
      for key in 0..<2 { table.set([], for: bytes("\(key)")) }
    }
    try state.commit { epoch throws(StoreError) in
      for sink in ["a", "b"] {
        try epoch.set(.integer(1), owner: sink, name: "count")
        for index in 0..<4 {
          let entry = OutboxEntry(
            sink: sink, place: .init(epoch: 1, index: Int64(index)), bytes: [])
          try epoch.put(entry)
          if index == 1 { try epoch.giveUp(entry, reason: "no", at: 5) }
        }
        try epoch.markWritten(sink: sink, through: .init(epoch: 1, index: 0))
      }
    }
  }

  @Test("a node's tables, facts and output go, its dead letters and all other nodes stay")
  func node() throws {
    try fill()
    var forgotten: StateReset?
    do {
      try folder.open().update { epoch throws(StoreError) in forgotten = try epoch.reset(node: "a") }
    }
    expect(forgotten, equals: StateReset(keys: 6, facts: 1, waiting: 2))
    let reader = try StateReader(path: folder.file)
    try expect(Set(reader.tables().map(\.node)), equals: ["ab", "b@a"])
    #expect(try reader.keys(of: "ab").count == 2 && reader.keys(of: "b@a").count == 2)
    try expect(reader.facts().map(\.owner), equals: ["b"])
    try expect(
      reader.sinks(),
      equals: [
        StoredSink(name: "a", written: nil, waiting: 0, dead: 1),
        StoredSink(name: "b", written: .init(epoch: 1, index: 0), waiting: 2, dead: 1),
      ])
    try expect(reader.epoch(), equals: 1)
    let state = try folder.open()
    try expect(state.table(node: "a", description: "new").count, equals: 0)
    try expect(state.table(node: "ab", description: "").count, equals: 2)
  }

  @Test("a name without a node forgets nothing, the file's own facts neither")
  func nothing() throws {
    try fill()
    let state = try folder.open()
    try state.update { epoch throws(StoreError) in
      try expect(epoch.reset(node: ""), equals: StateReset())
      try expect(epoch.reset(node: "a_"), equals: StateReset())
    }
    try expect(state.fact(owner: "", name: "epoch")?.integer, equals: 1)
  }

  @Test("a file is removed with what is beside it, but for the lock, and be it damaged")
  func removal() throws {
    for name in ["p.db", "p.db-wal", "p.db-shm"] { try folder.write(bytes("x"), name) }
    let removal = try StateRemoval(path: folder.file)
    expect(failure { _ = try folder.open() }?.kind, equals: .held(by: getpid()))
    try removal.remove()
    expect(folder.names, equals: ["p.db.lock"])
    try removal.remove()
  }

  @Test("a file that a run holds is not removed")
  func held() throws {
    let state = try folder.open()
    expect(failure { _ = try StateRemoval(path: folder.file) }?.kind, equals: .held(by: getpid()))
    try state.commit { _ in }
  }
}
