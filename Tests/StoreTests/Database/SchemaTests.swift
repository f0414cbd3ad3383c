import Expectations
import Testing

@testable import Store

@Suite struct SchemaTests {
  let folder: Folder
  init() throws { folder = try Folder() }

  @Test("a file of a later version is refused as it is, and still opens there")
  func newer() throws {
    do {
      let database = try Database(path: folder.file)
      try Schema.prepare(database, migrations: Schema.migrations + ["CREATE TABLE later (a)"])
    }
    let before = try folder.read()
    let failed = failure { _ = try folder.open { $0.resetsCorrupt = true } }
    expect(failed?.kind, equals: .newer)
    expect(
      failed?.reason.hasPrefix("written by a later flow (format 2, this one knows up to 1)"), equals: true)
    try expect(folder.read(), equals: before)
    expect(folder.names, equals: ["p.db", "p.db.lock"])
    let database = try Database(path: folder.file)
    try Schema.prepare(database, migrations: Schema.migrations + ["CREATE TABLE later (a)"])
  }

  @Test("another program's database is refused as it is, whatever is asked")
  func foreign() throws {
    do { try Database(path: folder.file).execute("CREATE TABLE theirs (a)") }
    let before = try folder.read()
    let failed = failure { _ = try folder.open { $0.resetsCorrupt = true } }
    expect(failed?.kind, equals: .foreign)
    expect(failed?.reason, equals: "a database of another program, not flow's state")
    try expect(folder.read(), equals: before)
  }

  @Test("an earlier file is brought forward, each step once, with what is in it")
  func migrated() throws {
    do {
      let state = try folder.open()
      try state.commit { epoch throws(StoreError) in try epoch.set(.integer(7), owner: "o", name: "n") }
    }
    let steps = Schema.migrations + ["ALTER TABLE facts ADD COLUMN a DEFAULT 1", "CREATE TABLE later (a)"]
    for _ in 0..<2 {
      let database = try Database(path: folder.file)
      try Schema.prepare(database, migrations: steps)
      try expect(database.integer("PRAGMA user_version"), equals: 3)
      try expect(database.integer("SELECT value + a FROM facts WHERE owner = 'o'"), equals: 8)
    }
  }

  @Test("a migration that fails leaves the file at its version")
  func failing() throws {
    do { try folder.open().commit { _ in } }
    let database = try Database(path: folder.file)
    let steps = Schema.migrations + ["CREATE TABLE later (a)", "nonsense"]
    expect(failure { try Schema.prepare(database, migrations: steps) }?.kind, equals: .refused)
    try expect(database.integer("PRAGMA user_version"), equals: 1)
    try expect(database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'later'"), equals: 0)
  }
}
