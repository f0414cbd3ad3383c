import Expectations
import Testing

@testable import Store

@Suite struct KeyedTableTests {
  let folder: Folder
  init() throws { folder = try Folder() }

  func keys(_ table: KeyedTable) -> String {
    var keys: [String] = []
    table.forEach { key, value in keys.append(String(decoding: key, as: UTF8.self)) }
    return keys.joined(separator: " ")
  }

  @Test("keys are kept in the order of their last writes, over commits and reopening")
  func order() throws {
    do {
      let state = try folder.open()
      let table = try state.table(node: "n", description: ".id")
      for key in ["a", "b", "c", "d"] { table.set(bytes("1"), for: bytes(key)) }
      try state.commit { _ in }
      table.set(bytes("2"), for: bytes("a"))
      expect(table.remove(bytes("b")), equals: bytes("1"))
      expectNil(table.remove(bytes("b")))
      expect(keys(table), equals: "c d a")
      expect(table.oldest?.key, equals: bytes("c"))
      try state.commit { _ in }
    }
    let state = try folder.open()
    let table = try state.table(node: "n", description: ".id")
    #expect(keys(table) == "c d a" && table.count == 3)
    table.set(bytes("3"), for: bytes("c"))
    expect(table.oldest?.key, equals: bytes("d"))
    expect(table.value(for: bytes("a")), equals: bytes("2"))
  }

  @Test("nothing is in the file before the commit")
  func writeBack() throws {
    let state = try folder.open()
    let table = try state.table(node: "n", description: "")
    table.set(bytes("1"), for: bytes("a"))
    try expect(state.database.integer("SELECT count(*) FROM keyed"), equals: 0)
    #expect(state.pendingBytes > 0)
    try state.commit { _ in }
    expect(state.pendingBytes, equals: 0)
    table.set(bytes("2"), for: bytes("a"))
    table.removeAll()
    #expect(state.pendingBytes > 0, "that everything is forgotten waits for a commit too")
    #expect(table.count == 0 && table.oldest == nil && table.value(for: bytes("a")) == nil)
    let stored = try folder.snapshot().open().table(node: "n", description: "")
    #expect(stored.count == 1 && stored.value(for: bytes("a")) == bytes("1"))
  }

  @Test("tables of other nodes are left alone when one forgets everything")
  func removeAll() throws {
    let state = try folder.open()
    let one = try state.table(node: "one", description: "")
    let two = try state.table(node: "two", description: "")
    for table in [one, two] { table.set(bytes("1"), for: bytes("a")) }
    try state.commit { _ in }
    one.removeAll()
    one.set(bytes("2"), for: bytes("b"))
    try state.commit { _ in }
    #expect(keys(one) == "b" && keys(two) == "a" && one.count == 1 && two.count == 1)
    try expect(state.database.integer("SELECT count(*) FROM keyed"), equals: 2)
  }

  @Test("a changed description is noticed until it has been committed")
  func description() throws {
    do {
      let state = try folder.open()
      let table = try state.table(node: "n", description: ".id")
      expectNil(table.formerDescription)
      table.set(bytes("1"), for: bytes("a"))
      try state.commit { _ in }
    }
    do {
      let state = try folder.open()
      let table = try state.table(node: "n", description: ".name")
      expect(table.formerDescription, equals: ".id")
      try state.commit { _ in }
      expectNil(table.formerDescription)
    }
    try expectNil(folder.open().table(node: "n", description: ".name").formerDescription)
  }

  @Test("keys and values may be empty, binary and large")
  func sizes() throws {
    let values: [[UInt8]] = [[], [0], Array(repeating: 7, count: 5000), (0...255).map { UInt8($0) }]
    for commits in [false, true] {
      let state = try folder.open { $0.tableCacheBytes = 0 }
      let table = try state.table(node: "n\(commits)", description: "")
      for (place, value) in values.enumerated() { table.set(values[values.count - 1 - place], for: value) }
      if commits { try state.commit { _ in } }
      for (place, value) in values.enumerated() {
        expect(table.value(for: value), equals: values[values.count - 1 - place])
      }
    }
  }

  @Test("a read that fails answers nothing, and no commit succeeds until the file is opened again")
  func failedRead() throws {
    let state = try folder.open { $0.tableCacheBytes = 0 }
    let table = try state.table(node: "n", description: "")
    table.set(bytes("1"), for: bytes("a"))
    try state.commit { _ in }
    try state.database.execute("ALTER TABLE keyed RENAME TO elsewhere")
    expectNil(table.value(for: bytes("a")))
    table.set(bytes("2"), for: bytes("a"))
    let failed = failure { try state.commit { _ in } }
    expect(failed?.reason.contains("no such table"), equals: true)
    try state.database.execute("ALTER TABLE elsewhere RENAME TO keyed; COMMIT")
    expect(failure { try state.commit { _ in } }, equals: failed)
    expect(state.epoch, equals: 1)
    let copy = try folder.snapshot()
    let again = try copy.open()
    try expect(again.table(node: "n", description: "").value(for: bytes("a")), equals: bytes("1"))
    // A folder that is gone would take its file with it.
    try withExtendedLifetime(copy) { _ = try again.commit { _ in } }
  }

  @Test("a commit that fails keeps the changes for the next try")
  func retried() throws {
    let state = try folder.open()
    let table = try state.table(node: "n", description: "")
    table.set(Array(repeating: 1, count: 200_000), for: bytes("a"))
    let pages = try state.database.integer("PRAGMA page_count") ?? 0
    try state.database.execute("PRAGMA max_page_count = \(pages)")
    expect(failure { try state.commit { _ in } }?.isFull, equals: true)
    #expect(state.epoch == 0 && table.count == 1)
    try state.database.execute("PRAGMA max_page_count = 1000000")
    try expect(state.commit { _ in }, equals: 1)
    try expect(state.database.integer("SELECT length(value) FROM keyed"), equals: 200_000)
  }

  @Test("going from the oldest key to the next within one epoch reads each place of the file once")
  func evicting() throws {
    let state = try folder.open()
    let table = try state.table(node: "n", description: "")
    for number in 0..<4000 { table.set([], for: bytes("\(number)")) }
    try state.commit { _ in }
    for number in 0..<4000 {
      guard let oldest = table.oldest else { break }
      expect(oldest.key, equals: bytes("\(number)"))
      table.remove(oldest.key)
      table.set([], for: bytes("new \(number)"))
    }
    expect(table.oldest?.key, equals: bytes("new 0"))
    try expect(folder.snapshot().open().table(node: "n", description: "").oldest?.key, equals: bytes("0"))
  }

  @Test(
    "a table that is filled and emptied within an epoch leaves nothing to commit, and none without a key is stored"
  )
  func passing() throws {
    let state = try folder.open()
    let table = try state.table(node: "n", description: "")
    table.set(bytes("1"), for: bytes("a"))
    #expect(state.pendingBytes > 0)
    table.removeAll()
    #expect(state.pendingBytes == 0 && table.count == 0 && table.value(for: bytes("a")) == nil)
    try state.commit { _ in }
    try expect(state.database.integer("SELECT count(*) FROM nodes"), equals: 0)
    table.set(bytes("2"), for: bytes("b"))
    try state.commit { _ in }
    table.removeAll()
    #expect(state.pendingBytes > 0)
    try state.commit { _ in }
    let again = try folder.snapshot().open()
    try expect(again.table(node: "n", description: "").count, equals: 0)
    try expect(again.database.integer("SELECT count(*) FROM nodes"), equals: 1)
  }
}
