import JSON
import Language
import Store
import System

/// The writing of batches to SQLite: one transaction, in which their place is stored too.
struct SQLiteWriting {
  private let batches: [SQLBatch]
  private let former: [Value]
  private let table: SQLTable
  private let database: Database
  /// Whether no row may leave a foreign key without its row.
  private let isStrict: Bool
  private var refusals: [SQLRefusal] = []
  /// Rows that leave one, to be tried again behind the others of their batch.
  private var left: [Change] = []

  /// The change for one row.
  private struct Change {
    let statement: Statement
    let values: Value
    let count: Int
    let row: Int
    /// Whether the batch lacks the row.
    let isOther: Bool
  }

  /// Throws where the table cannot have the columns of a batch.
  static func check(_ batch: SQLBatch, for table: SQLTable, in database: Database) throws(StoreError) {
    if table.isMade, try !database.hasTable(table.name) { return }
    let writing = SQLiteWriting(
      batches: [batch], former: [], table: table, database: database, isStrict: false)
    _ = try database.onlyStatement(writing.insertion(batch))
  }

  /// Writes what was not written before; the rows that SQLite refuses, now or then.
  static func write(
    _ batches: [SQLBatch], refused former: [Value], to table: SQLTable, of database: Database
  ) throws(StoreError) -> [SQLRefusal] {
    func run(isStrict: Bool) throws(StoreError) -> [SQLRefusal] {
      var writing = SQLiteWriting(
        batches: batches, former: former, table: table, database: database, isStrict: isStrict)
      return try database.transaction { () throws(StoreError) in try writing.run() }
    }
    do throws(StoreError) { return try run(isStrict: false) } catch {
      // A deferred foreign key fails with the commit, which does not say whose it is.
      guard error.isReference else { throw error }
      return try run(isStrict: true)
    }
  }

  private mutating func run() throws(StoreError) -> [SQLRefusal] {
    if batches.contains(where: { $0.output != nil }) {
      try database.execute(SQLPlace.creation, to: "make the table \(SQLPlace.table)")
    }
    for (number, batch) in batches.enumerated() { try write(batch, number) }
    return refusals
  }

  /// Removes before it sets: a unique value may go from one row to another.
  private mutating func write(_ batch: SQLBatch, _ number: Int) throws(StoreError) {
    if let place = batch.output, let known = try stored(place) {
      refusals += known.compactMap { SQLRefusal(stored: $0, of: place, batch: number) }
      return
    }
    if table.isMade, try !database.hasTable(table.name) { try makeTable(batch) }
    let before = refusals.count
    if !batch.remove.isEmpty {
      try apply(batch.remove, deletion(batch), batch.keys, number, from: batch.set.count)
    }
    if batch.isWhole { try removeOthers(batch, number) }
    if !batch.set.isEmpty {
      try apply(batch.set, insertion(batch), batch.columns.count, number, from: 0)
    }
    try applyLeft(number)
    if let place = batch.output, !place.isOfRow || refusals.count == before { try store(place) }
  }

  private var quotedTable: String { SQLText.quoted(table.name) }

  private func names(ofKey batch: SQLBatch) -> [String] {
    batch.columns.prefix(batch.keys).map(SQLText.quoted)
  }

  private func insertion(_ batch: SQLBatch) -> String {
    let columns = batch.columns.map(SQLText.quoted)
    let signs = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let insertion = "INSERT INTO \(quotedTable) (\(columns.joined(separator: ", "))) VALUES (\(signs))"
    if batch.keys == 0 { return insertion }
    let others = columns.dropFirst(batch.keys)
    let conflict = " ON CONFLICT (\(columns.prefix(batch.keys).joined(separator: ", "))) DO "
    if others.isEmpty { return insertion + conflict + "NOTHING" }
    // A row that is equal is not written, so that no trigger fires.
    return insertion + conflict
      + "UPDATE SET \(others.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))"
      + " WHERE \(others.map { "\(quotedTable).\($0) IS NOT excluded.\($0)" }.joined(separator: " OR "))"
  }

  /// A name without its table would be a text where there is no such column.
  private func deletion(_ batch: SQLBatch) -> String {
    let isRow = names(ofKey: batch).enumerated().map { "\(quotedTable).\($1) IS ?\($0 + 1)" }
    return "DELETE FROM \(quotedTable) WHERE \(isRow.joined(separator: " AND "))"
  }

  // MARK: - Rows

  /// Runs a statement for each row; one that SQLite refuses changes nothing, and the others are written.
  private mutating func apply(
    _ rows: [Value], _ sql: String, _ count: Int, _ number: Int, from first: Int, areOthers: Bool = false
  ) throws(StoreError) {
    let statement = try database.onlyStatement(sql)
    for (index, row) in rows.enumerated() {
      let change = Change(
        statement: statement, values: row, count: count, row: first + index, isOther: areOthers)
      if try !run(change, number) { left.append(change) }
    }
  }

  /// Whether the change is done or refused.
  private mutating func run(_ change: Change, _ number: Int) throws(StoreError) -> Bool {
    if isStrict { try database.execute("SAVEPOINT flow_row") }
    do throws(StoreError) {
      let values = change.values.items ?? []
      for place in 0..<change.count {
        try change.statement.bind(Int32(place + 1), json: place < values.count ? values[place] : .null)
      }
      try change.statement.run()
    } catch {
      // A constraint may roll back more than its row.
      guard error.kind == .refused, database.isInTransaction else { throw error }
      refuse(change, number, error.reason)
    }
    guard isStrict else { return true }
    let isDone = !database.hasOpenReferences
    try database.execute(isDone ? "RELEASE flow_row" : "ROLLBACK TO flow_row; RELEASE flow_row")
    return isDone
  }

  /// Tries the rows that were left as long as that leaves fewer, and refuses the others.
  private mutating func applyLeft(_ number: Int) throws(StoreError) {
    var count = Int.max
    while left.count < count {
      count = left.count
      let changes = left
      left = []
      for change in changes where try !run(change, number) { left.append(change) }
    }
    for change in left { refuse(change, number, "cannot write: FOREIGN KEY constraint failed") }
    left = []
  }

  private mutating func refuse(_ change: Change, _ number: Int, _ reason: String) {
    refusals.append(
      SQLRefusal(
        batch: number, row: change.row, key: change.isOther ? change.values : nil, reason: reason))
  }

  /// The columns have no types but those by which the source `sql` knows a value again: SQLite needs none.
  private func makeTable(_ batch: SQLBatch) throws(StoreError) {
    let columns = batch.columns.enumerated().map { index, name in
      let kinds = Set(batch.set.lazy.compactMap { $0.items?[index].kind }.filter { $0 != .null })
      let isJSON = !kinds.isEmpty && kinds.isSubset(of: [.array, .object])
      return SQLText.quoted(name) + (kinds == [.boolean] ? " BOOLEAN" : isJSON ? " JSON TEXT" : "")
        + (index < batch.keys ? " NOT NULL" : "")
    }
    let key = names(ofKey: batch).joined(separator: ", ")
    try database.execute(
      "CREATE TABLE \(quotedTable) (\(columns.joined(separator: ", "))"
        + (key.isEmpty ? ")" : ", PRIMARY KEY (\(key)))"), to: "make the table \(table.name)")
  }

  /// Removes the rows whose keys are not in the batch; those keys have the types of the table while they are compared.
  private mutating func removeOthers(_ batch: SQLBatch, _ number: Int) throws(StoreError) {
    let keys = names(ofKey: batch)
    let names = keys.joined(separator: ", ")
    try database.execute(
      "DROP TABLE IF EXISTS temp.flow_seen; CREATE TEMP TABLE flow_seen AS SELECT \(names) FROM main.\(quotedTable)"
        + " WHERE 0; CREATE INDEX temp.flow_seen_key ON flow_seen (\(names))", to: "compare the keys")
    let insertion = try database.onlyStatement(
      "INSERT INTO temp.flow_seen VALUES (\((1...batch.keys).map { "?\($0)" }.joined(separator: ", ")))")
    for row in batch.set {
      for (index, value) in (row.items ?? []).prefix(batch.keys).enumerated() {
        try insertion.bind(Int32(index + 1), json: value)
      }
      try insertion.run()
    }
    // The left side decides upon letters that are compared without their case.
    let isSeen = keys.map { "main.\(quotedTable).\($0) IS seen.\($0)" }.joined(separator: " AND ")
    let others =
      "FROM main.\(quotedTable) WHERE NOT EXISTS (SELECT 1 FROM temp.flow_seen AS seen WHERE \(isSeen))"
    do throws(StoreError) {
      if !isStrict { return try database.execute("DELETE \(others)", to: "remove rows that are gone") }
    } catch {
      guard error.kind == .refused, database.isInTransaction else { throw error }
    }
    // One that other rows refer to keeps them all, so each is removed by itself.
    let selection = try database.onlyStatement("SELECT \(names) \(others)")
    var rows: [Value] = []
    while try selection.step() {
      var size = 0
      rows.append(
        .array(
          try (0..<batch.keys).map { (index) throws(StoreError) in
            let column = selection.column(Int32(index))
            guard case .bytes = column else { return SQLiteForm.plain.value(column, &size) }
            throw StoreError(database.path, .refused, "cannot remove a row that is gone: its key is bytes")
          }))
    }
    selection.reset()
    try apply(
      rows, deletion(batch), batch.keys, number, from: batch.set.count + batch.remove.count, areOthers: true)
  }

  // MARK: - The place

  /// The last epoch of a sink, by the id of its state.
  static func epochs(of sink: String, in database: Database) throws(StoreError) -> [String: Int64] {
    guard try database.hasTable(SQLPlace.table) else { return [:] }
    let statement = try database.statement(
      "SELECT life, epoch FROM \(SQLPlace.table) WHERE sink = ?1")
    try statement.bind(1, sink)
    defer { statement.reset() }
    var epochs: [String: Int64] = [:]
    while try statement.step() { epochs[statement.text(0)] = statement.integer(1) }
    return epochs
  }

  /// The refusals of the transaction that has stored this place, or a later one; nil where it is new.
  private func stored(_ place: SQLPlace) throws(StoreError) -> [Value]? {
    let statement = try database.statement(SQLPlace.search { "?\($0)" })
    try bind(place, to: statement)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return (try? Value.parse(statement.text(0)))?.items ?? []
  }

  private mutating func store(_ place: SQLPlace) throws(StoreError) {
    let statement = try database.statement(SQLPlace.insertion { "?\($0)" })
    try bind(place, to: statement)
    try statement.bind(5, SQLRefusal.stored(refusals, of: batches, behind: former))
    try statement.run()
  }

  private func bind(_ place: SQLPlace, to statement: Statement) throws(StoreError) {
    try statement.bind(1, place.sink)
    try statement.bind(2, place.stateID)
    statement.bind(3, place.output.epoch)
    statement.bind(4, place.output.index)
  }
}
