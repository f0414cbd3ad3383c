import JSON
import Language

/// The writing of batches to PostgreSQL: one transaction, in which their place is stored too.
///
/// Rows go to the server as a list in JSON, thousands with one statement. Where that fails by one of them, the server
/// itself writes them one by one, in one request, and says which it refuses.
struct PostgreSQLWriting {
  private static let mostRows = 5000
  private static let mostBytes = 4 << 20

  let batches: [SQLBatch]
  let former: [Value]
  let table: SQLTable
  let connection: PQConnection
  /// Whether deferred constraints are checked with each statement.
  let isStrict: Bool
  private(set) var refusals: [SQLRefusal] = []
  private var types: [String: String] = [:]

  init(
    batches: [SQLBatch], former: [Value], table: SQLTable, connection: PQConnection, isStrict: Bool
  ) {
    (self.batches, self.former, self.table) = (batches, former, table)
    (self.connection, self.isStrict) = (connection, isStrict)
  }

  /// Whether a place is stored with the rows.
  var isPlaced: Bool { batches.contains { $0.output != nil } }

  /// Throws where the table cannot have the columns of a batch, or this user may not write to it.
  static func check(_ batch: SQLBatch, for table: SQLTable, on connection: PQConnection) throws(PQError) {
    var writing = PostgreSQLWriting(
      batches: [batch], former: [], table: table, connection: connection, isStrict: false)
    if try !writing.findTable(), table.isMade { return }
    try writing.checkColumns(batch)
    try connection.run("EXPLAIN \(writing.insertion(batch, "'[]'"))")
  }

  /// Writes all but the commit.
  mutating func run() throws(PQError) {
    try connection.run("BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE")
    if isStrict { try connection.run("SET CONSTRAINTS ALL IMMEDIATE") }
    if let sink = batches.lazy.compactMap(\.output?.sink).first {
      // A transaction whose connection was lost may still be committing: what it stores is seen behind this.
      try connection.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [sink])
      try Self.makePlaces(on: connection)
    }
    for (number, batch) in batches.enumerated() { try write(batch, number) }
    try connection.run("SET CONSTRAINTS ALL IMMEDIATE")
  }

  /// Removes before it sets: a unique value may go from one row to another.
  private mutating func write(_ batch: SQLBatch, _ number: Int) throws(PQError) {
    if let place = batch.output, let known = try stored(place) {
      refusals += known.compactMap { SQLRefusal(stored: $0, of: place, batch: number) }
      return
    }
    if try !findTable(), table.isMade {
      try makeTable(batch)
      _ = try findTable()
    }
    try checkColumns(batch)
    let (before, table) = (refusals.count, self)
    try apply(batch.remove, batch.keys, number, from: batch.set.count) { table.deletion(batch, $0) }
    if batch.isWhole { try removeOthers(batch, number) }
    try apply(batch.set, batch.columns.count, number, from: 0) { table.insertion(batch, $0) }
    if let place = batch.output, !place.isOfRow || refusals.count == before { try store(place) }
  }

  // MARK: - The table

  /// The name, behind that of its schema if there is one.
  private var quotedTable: String {
    table.name.split(separator: ".", maxSplits: 1).map { SQLText.quoted(String($0)) }.joined(separator: ".")
  }

  /// Reads the types of the columns; whether the table is there.
  private mutating func findTable() throws(PQError) -> Bool {
    let found = try connection.run(
      "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = to_regclass($1)"
        + " AND attnum > 0 AND NOT attisdropped", [quotedTable])
    types = [:]
    for row in 0..<found.count { types[found.text(row, 0) ?? ""] = found.text(row, 1) }
    return found.count > 0
  }

  private func checkColumns(_ batch: SQLBatch) throws(PQError) {
    if types.isEmpty { throw PQError("there is no table \(table.name)", mayPass: false) }
    for column in batch.columns where types[column] == nil {
      throw PQError("the table \(table.name) has no column \(column)", mayPass: false)
    }
  }

  /// The types are those of the first values; numbers are of any size, and lists and objects are values of JSON.
  private func makeTable(_ batch: SQLBatch) throws(PQError) {
    let columns = batch.columns.enumerated().map { index, name in
      let kinds = Set(batch.set.lazy.compactMap { $0.items?[index].kind }.filter { $0 != .null })
      let type =
        kinds == [.boolean]
        ? "boolean" : kinds == [.number] ? "numeric" : kinds.isEmpty || kinds == [.string] ? "text" : "jsonb"
      return "\(SQLText.quoted(name)) \(type)\(index < batch.keys ? " NOT NULL" : "")"
    }
    let key = batch.columns.prefix(batch.keys).map(SQLText.quoted).joined(separator: ", ")
    try connection.run(
      "CREATE TABLE \(quotedTable) (\(columns.joined(separator: ", "))"
        + (key.isEmpty ? ")" : ", PRIMARY KEY (\(key)))"))
  }

  // MARK: - Statements

  /// The rows of a list in JSON, with the types of the table; bytes are base64, as the source has them.
  private func rows(_ batch: SQLBatch, _ count: Int, _ json: String) -> String {
    let columns = batch.columns.prefix(count).enumerated().map { index, name in
      let type = types[name] ?? "text"
      return "c\(index) \(type == "bytea" ? "text" : type)"
    }
    return "json_to_recordset(\(json)) AS flow_new (\(columns.joined(separator: ", ")))"
  }

  private func value(_ batch: SQLBatch, _ index: Int) -> String {
    types[batch.columns[index]] == "bytea" ? "decode(flow_new.c\(index), 'base64')" : "flow_new.c\(index)"
  }

  private func insertion(_ batch: SQLBatch, _ json: String) -> String {
    let columns = batch.columns.map(SQLText.quoted)
    let values = columns.indices.map { value(batch, $0) }.joined(separator: ", ")
    let insertion =
      "INSERT INTO \(quotedTable) AS flow_row (\(columns.joined(separator: ", "))) SELECT \(values)"
      + " FROM \(rows(batch, columns.count, json))"
    if batch.keys == 0 { return insertion }
    let others = columns.dropFirst(batch.keys)
    let conflict = " ON CONFLICT (\(columns.prefix(batch.keys).joined(separator: ", "))) DO "
    if others.isEmpty { return insertion + conflict + "NOTHING" }
    func row(_ name: String) -> String {
      "ROW(\(others.map { "\(name).\($0)" }.joined(separator: ", ")))::record"
    }
    // A row that is equal is not written, so that no trigger fires; by bytes, since not each type can be compared.
    return insertion + conflict
      + "UPDATE SET \(others.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))"
      + " WHERE \(row("flow_row")) *<> \(row("excluded"))"
  }

  private func isRow(_ batch: SQLBatch) -> String {
    batch.columns.prefix(batch.keys).enumerated().map {
      "flow_row.\(SQLText.quoted($1)) = \(value(batch, $0))"
    }
    .joined(separator: " AND ")
  }

  private func deletion(_ batch: SQLBatch, _ json: String) -> String {
    "DELETE FROM \(quotedTable) AS flow_row USING \(rows(batch, batch.keys, json)) WHERE \(isRow(batch))"
  }

  // MARK: - Rows

  private static func json(_ rows: ArraySlice<Value>, _ shape: Shape, _ count: Int) -> (
    text: String, count: Int
  ) {
    var (bytes, number): ([UInt8], Int) = ([], 0)
    for row in rows.prefix(mostRows) where bytes.count < mostBytes {
      let values = (row.items ?? []).prefix(count)
      let all = Array(values) + Array(repeating: .null, count: count - values.count)
      bytes.append(UInt8(ascii: number == 0 ? "[" : ","))
      bytes += Value.object(shape, all).json
      number += 1
    }
    return (String(decoding: bytes, as: UTF8.self) + "]", number)
  }

  private static func shape(_ count: Int) -> Shape {
    Shape((0..<count).map { Key("c\($0)") }, isShared: true)
  }

  /// Runs a statement for rows; those that the server refuses change nothing, and the others are written.
  private mutating func apply(
    _ rows: [Value], _ count: Int, _ number: Int, from first: Int, areOthers: Bool = false,
    _ statement: (String) -> String
  ) throws(PQError) {
    let shape = Self.shape(count)
    var done = 0
    while done < rows.count {
      let (json, part) = Self.json(rows[done...], shape, count)
      if try !attempt(statement("$1::json"), json) {
        for (place, reason) in try refused(statement, json) {
          refusals.append(
            SQLRefusal(
              batch: number, row: first + done + place, key: areOthers ? rows[done + place] : nil,
              reason: reason))
        }
      }
      done += part
    }
  }

  /// Runs a statement for all rows; false if the server refuses one of them, so that nothing has changed.
  private func attempt(_ statement: String, _ json: String) throws(PQError) -> Bool {
    try connection.run("SAVEPOINT flow_rows")
    do throws(PQError) { try connection.run(statement, [json]) } catch {
      guard error.isOfRow, !error.isLost else { throw error }
      try connection.run("ROLLBACK TO flow_rows; RELEASE flow_rows")
      return false
    }
    try connection.run("RELEASE flow_rows")
    return true
  }

  /// Has the server run a statement for one row after the other; those that it refuses.
  ///
  /// One that refers to a row that is not there yet is tried again, as long as that leaves fewer.
  private func refused(
    _ statement: (String) -> String, _ json: String
  ) throws(PQError) -> [(place: Int, reason: String)] {
    try connection.run("SELECT set_config('flow.rows', $1, true)", [json])
    try connection.run(
      """
      DO $flow_rows$
      #variable_conflict use_column
      DECLARE
        flow_rows json[] := ARRAY(SELECT json_array_elements(current_setting('flow.rows')::json));
        flow_left int[] := ARRAY(SELECT generate_series(1, cardinality(flow_rows)));
        flow_again int[]; flow_refused json[] := '{}'; flow_waiting json[];
        flow_place int; flow_code text; flow_reason text; flow_detail text;
      BEGIN
        LOOP
          flow_again := '{}';
          flow_waiting := '{}';
          FOREACH flow_place IN ARRAY flow_left LOOP
            BEGIN
              \(statement("json_build_array(flow_rows[flow_place])"));
            EXCEPTION WHEN OTHERS THEN
              GET STACKED DIAGNOSTICS flow_code = RETURNED_SQLSTATE, flow_reason = MESSAGE_TEXT,
                flow_detail = PG_EXCEPTION_DETAIL;
              IF flow_code <> '\(PQError.policy)' AND flow_code ~ '^(\(PQError.ofAll.joined(separator: "|")))' THEN
                RAISE;
              END IF;
              IF flow_code IN ('23503', '23505') AND flow_detail <> '' THEN
                flow_reason := flow_reason || ' (' || flow_detail || ')';
              END IF;
              IF flow_code = '23503' THEN
                flow_again := array_append(flow_again, flow_place);
                flow_waiting := array_append(flow_waiting, json_build_array(flow_place, flow_reason));
              ELSE
                flow_refused := array_append(flow_refused, json_build_array(flow_place, flow_reason));
              END IF;
            END;
          END LOOP;
          EXIT WHEN cardinality(flow_again) IN (0, cardinality(flow_left));
          flow_left := flow_again;
        END LOOP;
        PERFORM set_config('flow.rows', array_to_json(flow_refused || flow_waiting)::text, true);
      END $flow_rows$
      """)
    let text = try connection.run("SELECT current_setting('flow.rows')").text(0, 0) ?? ""
    return ((try? Value.parse(text))?.items ?? []).compactMap { refusal in
      guard let items = refusal.items, items.count == 2, let place = items[0].double else { return nil }
      return (Int(place) - 1, "cannot write: \(items[1].string ?? "")")
    }.sorted { $0.0 < $1.0 }
  }

  /// Removes the rows whose keys are not in the batch.
  private mutating func removeOthers(_ batch: SQLBatch, _ number: Int) throws(PQError) {
    let shape = Self.shape(batch.keys)
    func others(_ json: String) -> String {
      "FROM \(quotedTable) AS flow_row WHERE NOT EXISTS"
        + " (SELECT 1 FROM \(rows(batch, batch.keys, json)) WHERE \(isRow(batch)))"
    }
    func json(_ rows: [Value]) -> String {
      Value.array(rows.map { .object(shape, Array(($0.items ?? []).prefix(batch.keys))) }).description
    }
    var seen = batch.set
    if try attempt("DELETE \(others("$1::json"))", json(seen)) { return }
    // A key that is no value of its column is that of no row.
    let values = (0..<batch.keys).map { value(batch, $0) }.joined(separator: ", ")
    let wrong = Set(
      try refused({ "PERFORM \(values) FROM \(rows(batch, batch.keys, $0))" }, json(seen)).map(\.place))
    seen = seen.enumerated().filter { !wrong.contains($0.offset) }.map(\.element)
    if !wrong.isEmpty, try attempt("DELETE \(others("$1::json"))", json(seen)) { return }
    // One that other rows refer to keeps them all, so each is removed by itself.
    let keys = batch.columns.prefix(batch.keys).map { name in
      let column = "flow_row.\(SQLText.quoted(name))"
      return types[name] == "bytea" ? "encode(\(column), 'base64')" : column
    }
    let found = try connection.run(
      "SELECT json_build_array(\(keys.joined(separator: ", "))) \(others("$1::json"))", [json(seen)],
      limit: 1 << 30)
    let gone = (0..<found.count).compactMap { found.text($0, 0).flatMap { try? Value.parse($0) } }
    let table = self
    try apply(gone, batch.keys, number, from: batch.set.count + batch.remove.count, areOthers: true) {
      table.deletion(batch, $0)
    }
  }

  // MARK: - The place

  private static func makePlaces(on connection: PQConnection) throws(PQError) {
    let found = try connection.run("SELECT to_regclass('\(SQLPlace.table)')")
    if found.text(0, 0) != nil { return }
    // Two that make it at once would be an error for one of them.
    try connection.run(
      "SELECT pg_advisory_xact_lock(hashtextextended('\(SQLPlace.table)', 0)); \(SQLPlace.creation)")
  }

  /// The last epoch of a sink, by the id of its state.
  static func epochs(of sink: String, on connection: PQConnection) throws(PQError) -> [String: Int64] {
    try makePlaces(on: connection)
    let found = try connection.run("SELECT life, epoch FROM \(SQLPlace.table) WHERE sink = $1", [sink])
    var epochs: [String: Int64] = [:]
    for row in 0..<found.count { epochs[found.text(row, 0) ?? ""] = found.text(row, 1).flatMap { Int64($0) } }
    return epochs
  }

  private func values(_ place: SQLPlace) -> [String] {
    [place.sink, place.stateID, "\(place.output.epoch)", "\(place.output.index)"]
  }

  /// The refusals of the transaction that has stored this place, or a later one; nil where it is new.
  private func stored(_ place: SQLPlace) throws(PQError) -> [Value]? {
    let found = try connection.run(SQLPlace.search { "$\($0)" }, values(place))
    guard found.count > 0, let text = found.text(0, 0) else { return nil }
    return (try? Value.parse(text))?.items ?? []
  }

  private func store(_ place: SQLPlace) throws(PQError) {
    let refused = SQLRefusal.stored(refusals, of: batches, behind: former)
    try connection.run(SQLPlace.insertion { "$\($0)" }, values(place) + [refused])
  }
}
