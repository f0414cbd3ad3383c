import Expectations
import Testing

@testable import Store

@Suite struct DatabaseTests {
  let folder: Folder
  let database: Database
  init() throws {
    folder = try Folder()
    database = try Database(path: folder.file)
    try database.prepareToWrite()
    try database.execute("CREATE TABLE t (a, b)")
  }

  @Test("numbers, texts and bytes come back as they were, empty ones and zeros among them")
  func values() throws {
    let insert = try database.statement("INSERT INTO t VALUES (?1, ?2)")
    let texts = ["", "a", "żółw", "a\u{0}b", String(repeating: "x", count: 100_000)]
    for text in texts {
      try insert.bind(1, text)
      try Array(text.utf8).withUnsafeBufferPointer { bytes in
        try insert.bind(2, bytes)
        try insert.run()
      }
    }
    let select = try database.statement("SELECT a, b, typeof(a), typeof(b) FROM t ORDER BY rowid")
    for text in texts {
      #expect(try select.step())
      expect(select.text(0), equals: text)
      expect(select.bytes(1), equals: Array(text.utf8))
      #expect(select.text(2) == "text" && select.text(3) == "blob")
    }
    #expect(try !select.step())
  }

  @Test("a transaction that throws leaves nothing, and the next one goes on")
  func rollback() throws {
    let failed = failure {
      try database.transaction { () throws(StoreError) in
        try database.execute("INSERT INTO t VALUES (1, 1)")
        throw StoreError("p", .refused, "no")
      }
    }
    expect(failed?.reason, equals: "no")
    try database.transaction { () throws(StoreError) in
      try database.execute("INSERT INTO t VALUES (2, 2)")
    }
    try expect(database.text("SELECT group_concat(a) FROM t"), equals: "2")
  }

  @Test("a full disk is distinguished, and with more room the same transaction succeeds")
  func full() throws {
    let limit = try database.integer("PRAGMA page_count") ?? 0
    try database.execute("PRAGMA max_page_count = \(limit)")
    let fill = { () throws(StoreError) in
      try database.transaction { () throws(StoreError) in
        try database.execute("INSERT INTO t VALUES (zeroblob(100000), 1)", to: "keep it")
      }
    }
    let failed = failure { try fill() }
    expect(failed?.isFull, equals: true)
    expect(failed?.description, equals: "\(folder.file): cannot keep it: database or disk is full")
    try database.execute("PRAGMA max_page_count = 1000000")
    try fill()
    try expect(database.integer("SELECT count(*) FROM t"), equals: 1)
  }

  @Test("a disk that says no while it is written to is a full one where that is why")
  func kinds() {
    typealias Kind = StoreError.Kind
    expect(Kind(code: 778, system: 28), equals: .full)  // SQLITE_IOERR_WRITE, ENOSPC
    expect(Kind(code: 778, system: 27), equals: .full)  // EFBIG
    expect(Kind(code: 778, system: 5), equals: .disk)
    expect(Kind(code: 1034, system: 122), equals: .full)  // SQLITE_IOERR_FSYNC, EDQUOT
    expect(Kind(code: 14, system: 13), equals: .denied)
    expect(Kind(code: 26, system: 0), equals: .corrupt)
    expect(Kind(code: 5, system: 0), equals: .held(by: nil))
    expect(Kind(code: 15, system: 0), equals: .held(by: nil))  // SQLITE_PROTOCOL
    expect(Kind(code: 17, system: 0), equals: .held(by: nil))  // SQLITE_SCHEMA
    expect(Kind(code: 7, system: 0), equals: .unavailable)  // SQLITE_NOMEM
  }

  @Test("what cannot be opened says which file and why")
  func denied() throws {
    let failed = failure { _ = try Database(path: folder.path + "/no/p.db") }
    expect(failed?.kind, equals: .denied)
    expect(
      failed?.description.hasPrefix("\(folder.path)/no/p.db: cannot open the state: unable to open"),
      equals: true)
  }

  @Test("a statement that is wrong says so in SQLite's words")
  func wrong() {
    let failed = failure { _ = try database.statement("SELECT c FROM t") }
    expect(failed?.kind, equals: .refused)
    expect(failed?.reason, equals: "cannot use the state: no such column: c")
  }

  @Test("a busy database is waited for, and then said to be held")
  func busy() throws {
    let other = try Database(path: folder.file, .init(busyMilliseconds: 1))
    let failed = failure {
      try database.transaction { () throws(StoreError) in
        try other.transaction { () throws(StoreError) in }
      }
    }
    expect(failed?.kind, equals: .held(by: nil))
  }

  @Test("a connection goes when its last user does, with the write-ahead file")
  func closing() throws {
    let place = try Folder()
    do {
      let brief = try Database(path: place.file)
      try brief.prepareToWrite()
      _ = try brief.statement("SELECT 1").step()
      try brief.execute("CREATE TABLE t (a)")
      expect(place.names, equals: ["p.db", "p.db-shm", "p.db-wal"])
    }
    expect(place.names, equals: ["p.db"])
  }
}
