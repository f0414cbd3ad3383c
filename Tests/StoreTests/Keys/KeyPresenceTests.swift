import Expectations
import Reactive
import TestScale
import Testing

@testable import Store

/// That a table which is asked often enough whether it has a key answers without its file, and right.
@Suite struct KeyPresenceTests {
  private let folder: Folder
  init() throws { folder = try Folder() }

  private func fill(_ count: Int) throws {
    let state = try folder.open()
    let table = try state.table(node: "n", description: "")
    for key in 0..<count { table.set([1], for: bytes("\(key)")) }
    try state.commit { _ in }
  }

  private func open(keyBytes: Int = 1 << 20) throws -> (StateFile, KeyedTable) {
    let state = try folder.open { ($0.tableCacheBytes, $0.tableKeyBytes) = (0, keyBytes) }
    return (state, try state.table(node: "n", description: ""))
  }

  private func has(_ table: KeyedTable, _ key: Int) -> Bool {
    StateKey.of(bytes("\(key)")) { table.contains($0) }
  }

  /// Empties the file behind the back of the table.
  private func empty(_ state: StateFile) throws {
    try state.update { (_) throws(StoreError) in try state.database.execute("DELETE FROM keyed") }
  }

  @Test("where many keys are looked for, the file is soon asked no more, but for values")
  func loads() throws {
    try fill(2000)
    let (state, table) = try open()
    #expect((0..<300).allSatisfy { has(table, $0) })
    #expect(!(2000..<2020).contains { has(table, $0) })
    try empty(state)
    #expect((0..<2000).allSatisfy { has(table, $0) })
    expectNil(table.value(for: bytes("1999")))
  }

  @Test("where few are looked for, or they would take more memory than they may, it is asked for each")
  func doesNotLoad() throws {
    try fill(2000)
    for (keyBytes, lookUps) in [(1 << 20, 60), (1000, 500)] {
      let copy = try folder.snapshot()
      let state = try copy.open { ($0.tableCacheBytes, $0.tableKeyBytes) = (0, keyBytes) }
      let table = try state.table(node: "n", description: "")
      for key in 0..<lookUps { #expect(has(table, key)) }
      try empty(state)
      #expect(!(1000..<2000).contains { has(table, $0) })
    }
  }

  @Test("keys that come and go meanwhile are known, behind what has been read and before it")
  func between() throws {
    try fill(2000)
    let (state, table) = try open()
    for key in 0..<66 { #expect(has(table, key)) }
    // In the order of the file, 1 is among the first keys and 999 among the last.
    for key in ["1", "999"] { table.remove(bytes(key)) }
    for key in ["00", "zz"] { table.set([2], for: bytes(key)) }
    try state.commit { _ in }
    for key in 2..<20 { #expect(has(table, key)) }
    try empty(state)
    for key in ["1", "999"] { #expect(StateKey.of(bytes(key)) { !table.contains($0) }) }
    for key in ["00", "zz"] { #expect(StateKey.of(bytes(key)) { table.contains($0) }) }
    #expect(has(table, 1000))
  }

  @Test("where they have become many more, the file is asked until they are read anew")
  func grown() throws {
    try fill(2000)
    let (state, table) = try open()
    #expect((0..<400).allSatisfy { has(table, $0) })
    for key in 2000..<17_000 { table.set([1], for: bytes("\(key)")) }
    try state.commit { _ in }
    try empty(state)
    #expect(!(0..<50).contains { has(table, $0) })
  }

  @Test("keys that have outgrown their room, though not what they may take, are read anew")
  func readAnew() throws {
    try fill(2000)
    let (state, table) = try open(keyBytes: 24_000)
    #expect((0..<400).allSatisfy { has(table, $0) })
    for key in 2000..<2300 { table.set([1], for: bytes("\(key)")) }
    try state.commit { _ in }
    #expect((0..<400).allSatisfy { has(table, $0) })
    try empty(state)
    #expect((0..<2300).allSatisfy { has(table, $0) })
  }

  @Test("missing keys do not cause all keys to be read if a filter rules out most")
  func filtered() {
    for isEmpty in [true, false] {
      var keys = KeyPresence(isEmpty: isEmpty, bytes: 1 << 20)
      let begins = (1...100).first { _ in keys.noteLookUp(isThere: false, count: 500) }
      expect(begins, equals: (isEmpty ? nil : 64))
      expect((1...100).first { _ in keys.noteLookUp(isThere: true, count: 500) }, equals: (isEmpty ? 64 : 1))
    }
  }

  @Test("unreadable keys cause no failure unless they are requested")
  func unreadable() throws {
    do {
      let state = try folder.open()
      let table = try state.table(node: "n", description: "", isOrdered: false)
      for key in 0..<4000 { table.set([1], for: bytes("\(key)")) }
      try state.commit { _ in }
      state.checkpointWAL()
    }
    let state = try folder.open { $0.tableCacheBytes = 0 }
    let table = try state.table(node: "n", description: "", isOrdered: false)
    // What was looked at when it was opened is in memory.
    try state.database.execute("PRAGMA shrink_memory")
    let page = 4096
    let size = try folder.read().count
    try folder.overwrite(at: size - 4 * page, Array(repeating: 0xff, count: 4 * page))
    // Each that is missing is looked for in the file, near the first of them, and has a slice read.
    for number in 0..<200 { #expect(StateKey.of(bytes("10\(number)x")) { !table.contains($0) }) }
    #expect((100..<200).allSatisfy { has(table, $0) })
    table.set([2], for: bytes("10x"))
    try state.commit { _ in }
    #expect(StateKey.of(bytes("10x")) { table.contains($0) })
    #expect(!has(table, 999))
    #expect(failure { try state.commit { _ in } } != nil, "a requested key that cannot be read is reported")
  }

  @Test("more keys than they may take memory for are looked for in the file again")
  func outgrown() throws {
    try fill(2000)
    let (state, table) = try open(keyBytes: 22_000)
    for key in 0..<80 { #expect(has(table, key)) }
    for key in 2000..<6000 { table.set([1], for: bytes("\(key)")) }
    try state.commit { _ in }
    #expect((0..<6000).allSatisfy { has(table, $0) })
    try empty(state)
    #expect(!(0..<6000).contains { has(table, $0) })
  }

  @Test("says what a plain set says, whatever happens", arguments: 0..<TestScale.count(12, atLeast: 3))
  func model(seed: Int) throws {
    var dice = SplitMix64(seed: UInt64(seed))
    try fill(700)
    var kept = Set(0..<700)
    var now = kept
    var place = folder
    var (state, table) = try open(keyBytes: seed % 3 == 0 ? 8000 : 1 << 20)
    for _ in 0..<1500 {
      let key = Int.random(in: 0..<1000, using: &dice)
      switch Int.random(in: 0..<200, using: &dice) {
      case 0..<100: expect(has(table, key), equals: now.contains(key))
      case 100..<150:
        table.set([3], for: bytes("\(key)"))
        now.insert(key)
      case 150..<180: expect((table.remove(bytes("\(key)")) != nil), equals: (now.remove(key) != nil))
      case 180..<198:
        try state.commit { _ in }
        kept = now
      case 198:
        table.removeAll()
        now = []
      default:
        place = try place.snapshot()
        state = try place.open { $0.tableCacheBytes = 400 }
        table = try state.table(node: "n", description: "")
        now = kept
      }
      expect(table.count, equals: now.count)
    }
    #expect((0..<1000).allSatisfy { has(table, $0) == now.contains($0) })
  }
}
