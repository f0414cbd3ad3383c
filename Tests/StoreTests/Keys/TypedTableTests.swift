import Expectations
import Testing

@testable import Store

private struct Mark: Storable, Equatable {
  let text: String

  init(_ text: String) { self.text = text }
  init?(stored bytes: [UInt8]) {
    guard bytes.first == UInt8(ascii: "!") else { return nil }
    text = String(decoding: bytes.dropFirst(), as: UTF8.self)
  }

  var stored: [UInt8] { bytes("!" + text) }
  var storedSize: Int { 8 }
}

@Suite struct TypedTableTests {
  let folder: Folder
  init() throws { folder = try Folder() }

  @Test("whether there is a key is known, and what is kept under it can be asked for after that")
  func contains() throws {
    do {
      let state = try folder.open()
      let table = try state.table(node: "n", description: "", of: Mark.self)
      table.set(Mark("1"), for: bytes("a"))
      #expect(table.contains(bytes("a")))
      #expect(!table.contains(bytes("b")))
      try state.commit { _ in }
    }
    let state = try folder.open()
    let table = try state.table(node: "n", description: "", of: Mark.self)
    for _ in 0..<2 {
      #expect(table.contains(bytes("a")))
      expect(table.value(for: bytes("a")), equals: Mark("1"))
    }
  }

  @Test(
    "a missing key exists once it has been set, and not any more once it has been removed")
  func missing() throws {
    let state = try folder.open()
    let table = try state.table(node: "n", description: "", of: Mark.self)
    table.set(Mark("1"), for: bytes("a"))
    try state.commit { _ in }
    for key in ["b", "c", "c", "b"] { #expect(!table.contains(bytes(key))) }
    table.set(Mark("2"), for: bytes("b"))
    expect(table.count, equals: 2)
    expect(table.remove(bytes("b")), equals: Mark("2"))
    #expect(!table.contains(bytes("b")))
    table.set(Mark("3"), for: bytes("b"))
    try state.commit { _ in }
    expect(table.value(for: bytes("b")), equals: Mark("3"))
    expect(table.remove(bytes("b")), equals: Mark("3"))
    try state.commit { _ in }
    #expect(!table.contains(bytes("b")) && table.count == 1)
  }

  @Test("what was not written by the type is a damage when it is asked for, though its key is there")
  func undecodable() throws {
    do {
      let state = try folder.open()
      try state.table(node: "n", description: "").set(bytes("1"), for: bytes("a"))
      try state.commit { _ in }
    }
    let state = try folder.open()
    let table = try state.table(node: "n", description: "", of: Mark.self)
    #expect(table.contains(bytes("a")))
    try state.commit { _ in }
    expectNil(table.value(for: bytes("a")))
    expect(failure { try state.commit { _ in } }?.isCorrupt, equals: true)
  }

  @Test("an epoch larger than what is kept in memory leaves nothing old there")
  func largeEpoch() throws {
    let state = try folder.open { $0.tableCacheBytes = 4000 }
    let table = try state.table(node: "n", description: "", of: Mark.self)
    for round in 1...3 {
      for number in 0..<100 { table.set(Mark("\(round)"), for: bytes("\(number)")) }
      try state.commit { _ in }
      for number in 0..<100 { expect(table.value(for: bytes("\(number)")), equals: Mark("\(round)")) }
    }
  }
}
