import JSON
import Language
import Store
import System

/// The writing of batches to SQLite: one transaction, in which their place is stored too.
struct SQLiteWriting {
  private let database: Database
  private let table: SQLTable
  private let places: [SQLPlace?]
  private var refusals: [SQLRefusal] = []

  private init(_ batches: [SQLBatch], to table: SQLTable, of database: Database) {
    (self.database, self.table, places) = (database, table, batches.map(\.place))
  }

  /// Whether the table has the columns of a batch.
  static func check(_ batch: SQLBatch, for table: SQLTable, in database: Database) throws(StoreError) {
    _ = try database.onlyStatement(Self([batch], to: table, of: database).insertion(batch))
  }

  /// Writes what was not written before; the rows that SQLite refuses, now or then.
  static func write(
    _ batches: [SQLBatch], to table: SQLTable, of database: Database
  ) throws(StoreError) -> [SQLRefusal] {
    try database.transaction { () throws(StoreError) in
      var writing = SQLiteWriting(batches, to: table, of: database)
      if batches.contains(where: { $0.place != nil }) {
        try database.execute(
          "CREATE TABLE IF NOT EXISTS \(SQLPlace.table) (sink TEXT NOT NULL, life TEXT NOT NULL,"
            + " epoch BIGINT NOT NULL, position BIGINT NOT NULL, refused TEXT NOT NULL, PRIMARY KEY (sink, life))",
          to: "make the table \(SQLPlace.table)")
      }
      for (number, batch) in batches.enumerated() { try writing.write(batch, number) }
      return writing.refusals
    }
  }

  private mutating func write(_ batch: SQLBatch, _ number: Int) throws(StoreError) {
    if let place = batch.place, let known = try stored(place) {
      refusals += known.compactMap { SQLRefusal(stored: $0, of: place, batch: number) }
      return
    }
    if table.isMade { try makeTable(batch) }
    let before = refusals.count
    if !batch.set.isEmpty {
      try apply(batch.set, insertion(batch), batch.columns.count, number, from: 0)
    }
    if !batch.remove.isEmpty {
      let sql = "DELETE FROM \(quotedTable) WHERE \(keys(batch) { "\($0) IS ?\($1)" })"
      try apply(batch.remove, sql, batch.keys, number, from: batch.set.count)
    }
    if batch.isWhole { try removeOthers(batch) }
    if let place = batch.place, !place.isLetter || refusals.count == before { try store(place) }
  }

  private var quotedTable: String { SQLText.quoted(table.name) }

  private func keys(_ batch: SQLBatch, _ text: (String, Int) -> String) -> String {
    batch.columns.prefix(batch.keys).enumerated().map { text(SQLText.quoted($1), $0 + 1) }.joined(
      separator: " AND ")
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

  /// Runs a statement for each row; one that SQLite refuses changes nothing, and the others are written.
  private mutating func apply(
    _ rows: [Value], _ sql: String, _ count: Int, _ number: Int, from first: Int
  ) throws(StoreError) {
    let statement = try database.onlyStatement(sql)
    for (index, row) in rows.enumerated() {
      do throws(StoreError) {
        let values = row.items ?? []
        for place in 0..<count {
          try statement.bind(Int32(place + 1), json: place < values.count ? values[place] : .null)
        }
        try statement.run()
      } catch {
        guard error.kind == .refused else { throw error }
        refusals.append(SQLRefusal(batch: number, row: first + index, reason: error.reason))
      }
    }
  }

  /// The columns have no types but those by which the source `sql` knows a value again: SQLite needs none.
  private func makeTable(_ batch: SQLBatch) throws(StoreError) {
    let columns = batch.columns.enumerated().map { index, name in
      let kinds = Set(batch.set.lazy.compactMap { $0.items?[index].kind }.filter { $0 != .null })
      let isJSON = !kinds.isEmpty && kinds.isSubset(of: [.array, .object])
      return SQLText.quoted(name) + (kinds == [.boolean] ? " BOOLEAN" : isJSON ? " JSON" : "")
    }
    let key = batch.columns.prefix(batch.keys).map(SQLText.quoted).joined(separator: ", ")
    try database.execute(
      "CREATE TABLE IF NOT EXISTS \(quotedTable) (\(columns.joined(separator: ", "))"
        + (key.isEmpty ? ")" : ", PRIMARY KEY (\(key)))"), to: "make the table \(table.name)")
  }

  /// Removes the rows whose keys are not in the batch; those keys have the types of the table while they are compared.
  private mutating func removeOthers(_ batch: SQLBatch) throws(StoreError) {
    let names = batch.columns.prefix(batch.keys).map(SQLText.quoted).joined(separator: ", ")
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
    let isSeen = keys(batch) { name, _ in "seen.\(name) IS main.\(quotedTable).\(name)" }
    try database.execute(
      "DELETE FROM main.\(quotedTable) WHERE NOT EXISTS (SELECT 1 FROM temp.flow_seen AS seen WHERE \(isSeen))",
      to: "remove rows that are gone")
  }

  // MARK: - The place

  /// The refusals of the transaction that has stored this place, or a later one; nil where it is new.
  private func stored(_ place: SQLPlace) throws(StoreError) -> [Value]? {
    let statement = try database.statement(
      "SELECT refused FROM \(SQLPlace.table) WHERE sink = ?1 AND life = ?2 AND (epoch, position) >= (?3, ?4)")
    try bind(place, to: statement)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return (try? Value.parse(statement.text(0)))?.items ?? []
  }

  private mutating func store(_ place: SQLPlace) throws(StoreError) {
    let statement = try database.statement(
      "INSERT INTO \(SQLPlace.table) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (sink, life)"
        + " DO UPDATE SET epoch = ?3, position = ?4, refused = ?5")
    try bind(place, to: statement)
    let refused = refusals.compactMap { refusal in places[refusal.batch].map { refusal.stored(of: $0) } }
    try statement.bind(5, Value.array(refused).description)
    try statement.run()
  }

  private func bind(_ place: SQLPlace, to statement: Statement) throws(StoreError) {
    try statement.bind(1, place.sink)
    try statement.bind(2, place.life)
    statement.bind(3, place.output.epoch)
    statement.bind(4, place.output.index)
  }
}
