import Expectations
import Testing

@testable import Store

@Suite struct DivisionTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open() throws -> StateFile {
    try StateFile(path: folder.file, .init(database: .init(sync: .never)))
  }

  private func key(_ number: Int) -> [UInt8] { Array("\(number)".utf8) }

  private func owner(_ key: [UInt8], of tasks: Int) -> Int {
    (Int(String(decoding: key, as: UTF8.self)) ?? 0) % tasks
  }

  /// What is stored for a task, in order.
  private func rows(_ file: StateFile, _ task: Int, of tasks: Int) throws -> [String] {
    var rows: [String] = []
    let table = try file.table(
      node: StateFile.table(of: "step@part", task: task, of: tasks), description: ".id")
    table.forEach { rows.append(String(decoding: $0 + [58] + $1, as: UTF8.self)) }
    #expect(table.count == rows.count && table.formerDescription == nil)
    return rows
  }

  private func fill() throws {
    let file = try open()
    let table = try file.table(node: "step@part", description: ".id")
    // More than one slice.
    for number in 0..<2500 { table.set(key(number * 3), for: key(number)) }
    try file.commit { _ throws(StoreError) in }
  }

  @Test("rows go to the table of their task, keep their order, and come back")
  func divided() throws {
    try fill()
    for (before, tasks) in [(1, 4), (4, 3), (3, 1)] {
      let file = try open()
      let found = try file.divide("step@part", among: tasks, .divided { owner($0, of: tasks) })
      #expect(found?.before == before && found?.keys == 2500)
      try expectNil(file.divide("step@part", among: tasks, .divided { _ in 0 }))
    }
    let file = try open()
    try expect(rows(file, 0, of: 1), equals: (0..<2500).map { "\($0):\($0 * 3)" })
    try expect(file.facts(owner: "").isEmpty, equals: false)
    expect(file.epoch, equals: 1)
  }

  @Test("each task has the rows that are its own")
  func owned() throws {
    try fill()
    let file = try open()
    _ = try file.divide("step@part", among: 4, .divided { owner($0, of: 4) })
    for task in 0..<4 {
      let expected = (0..<2500).filter { $0 % 4 == task }.map { "\($0):\($0 * 3)" }
      try expect(rows(file, task, of: 4), equals: expected)
    }
  }

  @Test("what all tasks share is copied, and entries of queues come one behind the other")
  func shared() throws {
    try fill(["step@cell", "step@queue"])
    for (tasks, queued) in [(2, 3), (1, 6)] { try check(tasks, queued) }
  }

  @Test("a single value is no key, in one task or several")
  func cell() throws {
    func table(_ file: StateFile, _ name: String, isOrdered: Bool) throws -> KeyedTable {
      try file.table(node: name, description: "", isOrdered: isOrdered)
    }
    let null = Array(StoredTable.cell.utf8)
    do {
      let file = try open()
      try table(file, "step@cell", isOrdered: false).set(key(1), for: null)
      try table(file, "step", isOrdered: true).set(key(1), for: null)
      try table(file, "other", isOrdered: false).set(key(1), for: key(1))
      try file.commit { _ throws(StoreError) in }
      try expect(file.storedTables().map(\.keys), equals: [0, 1, 1])
    }
    for (tasks, keys) in [(2, [1, 1, 0, 0]), (1, [1, 1, 0])] {
      let file = try open()
      _ = try file.divide("step@cell", among: tasks, .copied)
      try expect(file.storedTables().map(\.keys), equals: keys)
    }
  }

  /// Three rows in each table.
  private func fill(_ nodes: [String]) throws {
    let file = try open()
    for node in nodes {
      let table = try file.table(node: node, description: "")
      for number in 0..<3 { table.set(key(number + 7), for: key(number)) }
    }
    try file.commit { _ throws(StoreError) in }
  }

  private func check(_ tasks: Int, _ queued: Int) throws {
    let file = try open()
    _ = try file.divide("step@cell", among: tasks, .copied)
    _ = try file.divide("step@queue", among: tasks, .queued)
    for task in 0..<tasks {
      let cell = try file.table(
        node: StateFile.table(of: "step@cell", task: task, of: tasks), description: "")
      let queue = try file.table(
        node: StateFile.table(of: "step@queue", task: task, of: tasks), description: "")
      let (last, next) = (cell.value(for: key(2)), queue.value(for: key(queued - 1)))
      #expect(cell.count == 3 && queue.count == queued)
      #expect(last == key(9) && next == key(9))
    }
  }

  @Test("what belongs to no task is discarded")
  func discarded() throws {
    try fill()
    let file = try open()
    try expect(file.divide("step@part", among: 2, .discarded)?.keys, equals: 2500)
    #expect(try rows(file, 0, of: 2).isEmpty && rows(file, 1, of: 2).isEmpty)
  }

  @Test("names of tables")
  func names() {
    expect(StateFile.table(of: "step", task: 0, of: 1), equals: "step")
    expect(StateFile.table(of: "step", task: 3, of: 16), equals: "step@~3/16")
    expect(StateFile.table(of: "step@a", task: 3, of: 16), equals: "step@a~3/16")
    expect(StateFile.division(of: "step@a~3/16").map { $0.node + "/\($0.tasks)" }, equals: "step@a/16")
    expect(StateFile.division(of: "step@~3/16").map { $0.node + "/\($0.tasks)" }, equals: "step/16")
    for name in ["step", "a~b", "step~1", "step~1/1", "~"] { expectNil(StateFile.division(of: name)) }
  }
}
