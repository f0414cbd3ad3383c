import Testing

@testable import Store

/// That a table which is asked often enough whether it has a key answers without its file, and right.
@Suite struct StoredKeysTests {
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
    try state.update { (_) throws(StoreFailure) in try state.database.execute("DELETE FROM keyed") }
  }

  @Test("where many keys are looked for, the file is soon asked no more, but for values")
  func loads() throws {
    try fill(2000)
    let (state, table) = try open()
    #expect((0..<300).allSatisfy { has(table, $0) })
    #expect(!(2000..<2020).contains { has(table, $0) })
    try empty(state)
    #expect((0..<2000).allSatisfy { has(table, $0) })
    #expect(!(2000..<3000).contains { has(table, $0) })
    #expect(table.value(for: bytes("1999")) == nil)
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

  @Test("where they have become many more, they are read anew")
  func grown() throws {
    try fill(2000)
    let (state, table) = try open()
    #expect((0..<400).allSatisfy { has(table, $0) })
    for key in 2000..<17_000 { table.set([1], for: bytes("\(key)")) }
    try state.commit { _ in }
    #expect(!(17_000..<17_200).contains { has(table, $0) })
    try empty(state)
    #expect((0..<17_000).allSatisfy { has(table, $0) })
  }

  @Test("a table that was empty is filled without looking at its file, but for what the filter lets pass")
  func filled() throws {
    let (state, table) = try open()
    for part in 0..<20 {
      for key in part * 500..<(part + 1) * 500 where !has(table, key) {
        table.set([1], for: bytes("\(key)"))
      }
      try state.commit { _ in }
    }
    #expect(table.count == 10_000)
    try empty(state)
    #expect((0..<10_000).allSatisfy { !has(table, $0) }, "its keys were read, which was of no use")
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

  @Test("says what a plain set says, whatever happens", arguments: 0..<max(12 / divisor, 3))
  func model(seed: Int) throws {
    var dice = Dice(state: UInt64(seed))
    try fill(700)
    var kept = Set(0..<700)
    var now = kept
    var place = folder
    var (state, table) = try open(keyBytes: seed % 3 == 0 ? 12_000 : 1 << 20)
    for _ in 0..<1500 {
      let key = Int.random(in: 0..<1000, using: &dice)
      switch Int.random(in: 0..<200, using: &dice) {
      case 0..<100: #expect(has(table, key) == now.contains(key))
      case 100..<150:
        table.set([3], for: bytes("\(key)"))
        now.insert(key)
      case 150..<180: #expect((table.remove(bytes("\(key)")) != nil) == (now.remove(key) != nil))
      case 180..<192:
        try state.commit { _ in }
        kept = now
      case 192..<198:
        state.rollback()
        now = kept
      case 198:
        table.removeAll()
        now = []
      default:
        place = try place.snapshot()
        state = try place.open { $0.tableCacheBytes = 400 }
        table = try state.table(node: "n", description: "")
        now = kept
      }
      #expect(table.count == now.count)
    }
    #expect((0..<1000).allSatisfy { has(table, $0) == now.contains($0) })
  }
}
