import Expectations
import Glibc
import Reactive
import SimulatedDisk
import Testing

@testable import Store

/// A log in memory, with faults.
final class MemoryLog: StateLog {
  struct State {
    var deltas: [[UInt8]] = []
    /// The errors of the next appends, which then do not happen.
    var failures: [StoreError.Kind] = []
  }

  let state = Locked(State())

  var deltas: [[UInt8]] { state.withLock(\.deltas) }

  func append(_ delta: [UInt8], at place: LogPlace) throws(StoreError) {
    let failure: StoreError.Kind? = state.withLock { state in
      if !state.failures.isEmpty { return state.failures.removeFirst() }
      expect(place, equals: LogPlace(log: "a", ordinal: Int64(state.deltas.count + 1)))
      state.deltas.append(delta)
      return nil
    }
    if let failure { throw StoreError("log", failure, "not now") }
  }

  func fail(_ kinds: StoreError.Kind...) { state.withLock { $0.failures += kinds } }
}

@Suite struct StateLogTests {
  private let folder: Folder
  private let log = MemoryLog()

  init() throws { folder = try Folder() }

  private func place(_ ordinal: Int) -> LogPlace { LogPlace(log: "a", ordinal: Int64(ordinal)) }

  /// Everything in a file, as text.
  private func content(_ file: StateFile) throws -> [String] {
    var lines: [String] = []
    for (sql, columns) in [
      ("SELECT owner, name, value FROM facts ORDER BY 1, 2", 3),
      ("SELECT id, name, description, count FROM nodes ORDER BY 1", 4),
      ("SELECT node, hex(key), sequence, hex(value) FROM keyed ORDER BY 1, 2", 4),
      ("SELECT name, epoch, position FROM sinks ORDER BY 1", 3),
      ("SELECT sink, epoch, position, id, attempts, due, hex(bytes) FROM outbox ORDER BY 1, 2, 3", 7),
      ("SELECT number, sink, epoch, position, id, attempts, at, reason, hex(bytes) FROM dead ORDER BY 1", 9),
    ] {
      let statement = try Statement(sql, of: file.database)
      while try statement.step() {
        lines.append((0..<columns).map { statement.text(Int32($0)) }.joined(separator: "|"))
      }
    }
    return lines
  }

  /// What a run may do in one transaction.
  private func change(_ file: StateFile, _ random: inout SplitMix64) throws {
    let table = try file.table(node: "step\(Int.random(in: 0..<3, using: &random))", description: ".id")
    for _ in 0..<Int.random(in: 0..<20, using: &random) {
      let key = bytes("\(Int.random(in: 0..<40, using: &random))")
      if Int.random(in: 0..<4, using: &random) == 0 {
        table.remove(key)
      } else {
        table.set(bytes("\(Int.random(in: 0..<9, using: &random))"), for: key)
      }
    }
    if Int.random(in: 0..<30, using: &random) == 0 { table.removeAll() }
    let entries = try file.outbox(sink: "s")
    let letters = try file.deadLetters()
    let (act, number) = (Int.random(in: 0..<6, using: &random), Int.random(in: 0..<9, using: &random))
    func write(_ epoch: borrowing Epoch) throws(StoreError) {
      try epoch.set(.integer(Int64(number)), owner: "source", name: "position")
      if act == 0 { try epoch.remove(owner: "source", name: "position") }
      for index in 0..<act {
        try epoch.put(
          OutboxEntry(
            sink: "s", place: .init(epoch: epoch.number, index: Int64(index)), id: "i", bytes: bytes("x")))
      }
      if let first = entries.first {
        if act == 1 { try epoch.markWritten(sink: "s", through: first.place) }
        if act == 2 { try epoch.giveUp(first, reason: "no", at: 1) }
        if act == 3 { try epoch.remove(sink: "s", at: first.place) }
      }
      if act == 4, let first = letters.first { try epoch.retry(deadLetter: first.number) }
      if act == 5, let last = letters.last { try epoch.drop(deadLetter: last.number) }
    }
    if Int.random(in: 0..<5, using: &random) == 0 {
      try file.update { (epoch) throws(StoreError) in try write(epoch) }
    } else {
      try file.commit { (epoch) throws(StoreError) in try write(epoch) }
    }
  }

  @Test("of a state that cannot be read there is no image, rather than one with zeros")
  func unreadImage() throws {
    let disk = SimulatedDisk(.init(seed: 1))
    let process = disk.start()
    try process.makeFolder("/var")
    let state = try StateFile(path: "/var/p.db", StateFile.Options(disk: ProcessDisk(process: process)))
    let table = try state.table(node: "n", description: "")
    for number in 0..<400 { table.set([UInt8](repeating: 7, count: 100), for: Array("\(number)".utf8)) }
    try state.commit { _ in }
    let whole = try state.image()
    var failures = 0
    for read in 1...20 {
      try state.database.execute("PRAGMA shrink_memory")
      disk.add(DiskFault(.read, .number(read), code: EIO))
      do throws(StoreError) { try expect(state.image(), equals: whole, "\(read)") } catch { failures += 1 }
    }
    #expect(failures > 5)
  }

  @Test("the writers of a version that does not note them are not known")
  func unnotedWriters() throws {
    func commit(by writer: String, at ordinal: Int) throws {
      let file = try folder.open()
      try file.attach(log, at: place(ordinal), by: writer)
      try file.commit { _ in }
      try file.commit { _ in }
    }
    func writers(through last: Int64) throws -> [String?] {
      let writers = try folder.open().logWriters
      return (1...last).map { writers.writer(of: $0) }
    }
    try commit(by: "a", at: 0)
    try expect(writers(through: 2), equals: ["a", "a"])
    // The next machine is of 0.3.
    try folder.open().database.execute("UPDATE facts SET value = 'a/2' WHERE owner = '' AND name = 'log'")
    try expect(folder.open().logPlace, equals: place(2))
    try expect(writers(through: 2), equals: ["a", nil])
    try commit(by: "b", at: 2)
    try expect(writers(through: 4), equals: ["a", nil, "b", "b"])
    expect(Int64("+7"), equals: 7, "as 0.3 reads it")
  }

  @Test("a thousand writers are remembered")
  func manyWriters() {
    var writers = LogWriters()
    for number in 1...1001 { writers.begin("\(number)", at: Int64(number)) }
    expectNil(writers.writer(of: 1))
    expect(writers.writer(of: 2), equals: "2")
    expect(LogWriters(text: writers.text), equals: writers)
  }

  @Test(
    "a file that is rebuilt from the deltas, or from an image and the later ones, is the same",
    arguments: 1...20)
  func rebuilt(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    var image: (bytes: [UInt8], place: LogPlace)?
    let expected: [String]
    do {
      let file = try folder.open()
      try file.attach(log, at: place(0), by: "w")
      for step in 0..<60 {
        try change(file, &random)
        if step == 20 {
          let tasks = 2 + Int.random(in: 0..<3, using: &random)
          let found = try file.divide("other", among: tasks, .discarded)
          expectNil(found)
        }
        if step == 30 { image = (try file.image(), try #require(try file.logPlace)) }
      }
      expected = try content(file)
      try expect(file.logPlace, equals: place(log.deltas.count))
    }
    for isFromImage in [false, true] {
      let path = "\(folder.path)/copy\(isFromImage).db"
      let options = StateFile.Options(database: .init(sync: .never))
      var first = 0
      if isFromImage {
        let image = try #require(image)
        // What an earlier owner has left here goes.
        try write("stale", to: path)
        try StateReplica.install(image.bytes, at: path, options)
        first = Int(image.place.ordinal)
      }
      do {
        let replica = try StateReplica(path: path, options)
        try expect(replica.place, equals: (isFromImage ? image?.place : nil))
        for (index, delta) in log.deltas.enumerated().dropFirst(first) {
          try replica.apply(delta, to: place(index + 1))
        }
      }
      let copy = try StateFile(path: path, options)
      try expect(content(copy), equals: expected)
      #expect(copy.epoch > 0)
      try copy.attach(log, at: place(log.deltas.count), by: "w")
    }
  }

  private func write(_ text: String, to path: String) throws {
    let file = try StateFile(path: path, .init(database: .init(sync: .never)))
    try file.commit { (epoch) throws(StoreError) in
      try epoch.set(.text(text), owner: "source", name: "stale")
    }
  }

  @Test("what the log refuses is not committed, and can be committed later")
  func refused() throws {
    let file = try folder.open()
    try file.attach(log, at: place(0), by: "w")
    let table = try file.table(node: "step", description: ".id")
    table.set([1], for: [1])
    try file.commit { _ throws(StoreError) in }
    table.set([2], for: [1])
    // Once more after a checkpoint.
    log.fail(.full, .full)
    expect(failure { try file.commit { _ throws(StoreError) in } }?.kind, equals: .full)
    log.fail(.unavailable)
    expect(failure { try file.commit { _ throws(StoreError) in } }?.kind, equals: .unavailable)
    let before = try StateReader(path: folder.file)
    try expect(before.epoch(), equals: 1)
    try file.commit { _ throws(StoreError) in }
    expect(file.epoch, equals: 2)
    log.fail(.fenced)
    expect(failure { try file.commit { _ throws(StoreError) in } }?.kind, equals: .fenced)
    #expect(log.deltas.count == 2 && file.epoch == 2)
  }

  @Test("a local commit that fails behind the log is repeated without another append")
  func localFailure() throws {
    var file: StateFile? = try folder.open()
    try file?.attach(log, at: place(0), by: "w")
    let table = try #require(try file?.table(node: "step", description: ".id"))
    table.set([1], for: [1])
    try file?.commit { _ throws(StoreError) in }
    // The commit itself fails in a transaction with a deferred constraint.
    try file?.database.execute(
      "PRAGMA foreign_keys = ON; CREATE TEMP TABLE up (id INTEGER PRIMARY KEY);"
        + " CREATE TEMP TABLE down (id REFERENCES up DEFERRABLE INITIALLY DEFERRED)")
    table.set([2], for: [1])
    func commit(_ value: Int64, isFailing: Bool) -> StoreError? {
      failure {
        try file?.commit { (epoch) throws(StoreError) in
          try epoch.set(.integer(value), owner: "source", name: "position")
          if isFailing { try epoch.database.execute("INSERT INTO down VALUES (7)") }
        }
      }
    }
    #expect(commit(1, isFailing: true) != nil)
    #expect(log.deltas.count == 2 && file?.epoch == 1)
    // Something else would not be what the log has.
    expect(commit(2, isFailing: false)?.kind, equals: .gone)
    expectNil(commit(1, isFailing: false))
    #expect(log.deltas.count == 2 && file?.epoch == 2)
    try expect(file?.logPlace, equals: place(2))
    // Killed between append and commit, the file is a prefix: the rest is applied.
    #expect(commit(3, isFailing: true) != nil)
    file = nil
    do {
      let replica = try StateReplica(path: folder.file, .init(database: .init(sync: .never)))
      try expect(replica.place, equals: place(2))
      try replica.apply(log.deltas[2], to: place(3))
      #expect(failure { try replica.apply(log.deltas[0], to: place(4)) } != nil)
    }
    try expect(folder.open().fact(owner: "source", name: "position"), equals: .integer(3))
  }

  @Test("a file is not attached where it does not belong")
  func foreign() throws {
    let file = try folder.open()
    expectNil(StateFile.logFlaw)
    try file.commit { _ throws(StoreError) in }
    expect(failure { try file.attach(log, at: place(0), by: "w") }?.kind, equals: .refused)
    expect(failure { try file.attach(log, at: place(5), by: "w") }?.kind, equals: .refused)
  }
}
