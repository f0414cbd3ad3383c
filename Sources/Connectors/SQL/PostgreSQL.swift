import Engine
import JSON
import Language
import System

/// The driver of PostgreSQL servers: one connection, which is made again after each failure.
final class PostgreSQL: SQLConnection {
  /// A lock of another program is waited for at most so long; then the pipeline waits, and says so.
  private static let longestLock = 5000
  /// How long a statement of a sink may take: each time it is not enough, the next may take twice as long.
  private static let patience = (first: Duration.seconds(60), last: Duration.seconds(3600))

  private let name: String
  private let url: String
  private let log: NodeLog?
  /// Called while the server does not answer a statement.
  private let silence: () -> Void
  var patience = PostgreSQL.patience.first
  private var connection: PQConnection?
  /// Whether a login has worked: a later one that fails is waited for, since rows are at stake.
  private var hasConnected = false
  /// The transaction whose commit was not answered, and what it has refused; where no place is stored with it.
  private var unanswered: (transaction: String, refusals: [SQLRefusal])?

  private var losesAnswer = false

  /// - Parameters:
  ///   - name: The address as messages have it.
  init(_ name: String, _ url: String, log: NodeLog? = nil, silence: @escaping () -> Void = {}) {
    (self.name, self.url, self.log, self.silence) = (name, url, log, silence)
  }

  // MARK: - Connections

  private func connect(_ stop: StopSign, by end: ContinuousClock.Instant?) throws(PQError) -> PQConnection {
    do throws(PQError) {
      let connection = try PQConnection(url, stop, by: end) { [name, log] text in
        log?.detail("\(name): the server notes: \(text)")
      }
      connection.silence = silence
      // What the forms of values depend on; the zone decides upon what now() is as text.
      try connection.run(
        """
        SET DateStyle = ISO; SET IntervalStyle = postgres; SET TimeZone = 'UTC'; SET bytea_output = hex;
        SET extra_float_digits = 1; SET standard_conforming_strings = on; SET lock_timeout = \(Self.longestLock);
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
        """)
      connection.end = nil
      hasConnected = true
      return connection
    } catch {
      var error = error
      if hasConnected { error.mayPass = true }
      // libpq names a wrong address with its password.
      error.message = error.message.replacing(url, by: name)
      throw error
    }
  }

  /// Does something with the connection, and does not keep it after an error.
  private func using<Result>(
    _ stop: StopSign, by end: ContinuousClock.Instant? = nil, _ body: (PQConnection) throws(PQError) -> Result
  ) throws(PQError) -> Result {
    let connection: PQConnection
    if let kept = self.connection { connection = kept } else { connection = try connect(stop, by: end) }
    self.connection = nil
    (connection.end, connection.patience) = (end, patience)
    do throws(PQError) {
      let result = try body(connection)
      patience = Self.patience.first
      if connection.isUsable { self.connection = connection }
      return result
    } catch {
      // A statement that takes long is not given up each time.
      if error.isSilence { patience = min(patience * 2, Self.patience.last) }
      throw error
    }
  }

  private func failure(_ error: PQError) -> SQLFailure {
    var failure = SQLFailure(name, error.message, mayPass: error.mayPass)
    failure.mayBeAwaited = error.mayPass
    return failure
  }

  // MARK: - Reading

  func read(_ query: SQLQuery, stop: StopSign) throws(SQLFailure) -> SQLRows {
    let isKept = connection != nil
    let end = ContinuousClock.now + query.timeout
    do throws(PQError) {
      do throws(PQError) { return try readOnce(query, stop, end) } catch {
        // A connection that was kept may be gone since: the server has restarted.
        guard isKept, error.isLost, !stop.isSet, ContinuousClock.now < end else { throw error }
        return try readOnce(query, stop, end)
      }
    } catch {
      var error = error
      if error.code == "57014" || error.isLost && ContinuousClock.now > end {
        error.message = "took longer than the timeout, \(DurationText.format(query.timeout))"
      } else if error.code == "25006" {
        error.message = "the query changes data: a source only reads"
      }
      throw failure(error)
    }
  }

  private func readOnce(
    _ query: SQLQuery, _ stop: StopSign, _ end: ContinuousClock.Instant
  ) throws(PQError) -> SQLRows {
    try using(stop, by: end) { (connection) throws(PQError) in
      let left = max(1, Int((end - .now) / .milliseconds(1)))
      try connection.run("BEGIN TRANSACTION READ ONLY; SET LOCAL statement_timeout = \(left)")
      var names = query.text.parameters
      let text = query.text.text { name in "$\((names.firstIndex(of: name) ?? 0) + 1)" }
      var description = try connection.prepare(text)
      let columns = description.columns
      if let reason = query.problem(with: columns.map(\.name)) { throw refused(reason) }
      if let after = query.after {
        let column = "flow_rows.\(SQLText.quoted(after.column))"
        let condition = after.from == nil ? "IS NOT NULL" : ">= $\(names.count + 1)"
        description = try connection.prepare(
          "SELECT * FROM (\n\(text)\n) AS flow_rows WHERE \(column) \(condition) ORDER BY \(column)")
        if after.from != nil { names.append("") }
      }
      let types = description.parameters
      var values: [String?] = []
      for (index, name) in names.enumerated() {
        let isFrom = index == query.text.parameters.count
        guard
          let value = isFrom ? query.after?.from : query.parameters.first(where: { $0.name == name })?.value
        else { throw refused("the query has the parameter :\(name), which params does not name") }
        values.append(PostgreSQLForm.parameter(value, of: index < types.count ? types[index] : 0))
      }
      if types.count > names.count {
        throw refused("the query has a parameter without a name: write :name, and name it in params")
      }
      let found = try rows(of: connection, columns, values, query)
      // What was cut off is still on its way, so that the connection is of no more use.
      if found.isCut { connection.isUsable = false } else { try connection.run("COMMIT") }
      return found
    }
  }

  private func refused(_ reason: String) -> PQError { PQError(reason, mayPass: false) }

  private func rows(
    of connection: PQConnection, _ columns: [(name: String, type: UInt32)], _ values: [String?],
    _ query: SQLQuery
  ) throws(PQError) -> SQLRows {
    let shape = Shape(columns.map { Key($0.name) }, isShared: true)
    let forms = columns.map { PostgreSQLForm(type: $0.type) }
    let place = query.after.flatMap { after in columns.firstIndex { $0.name == after.column } }
    var (found, size, unused) = (SQLRows(), 0, 0)
    _ = try connection.each(values) { (result) throws(PQError) in
      var row: [Value] = []
      row.reserveCapacity(forms.count)
      for index in forms.indices { row.append(forms[index].value(result.bytes(0, Int32(index)), &size)) }
      if size > query.limit, query.after == nil { throw refused(query.tooLarge) }
      if size > query.limit, !found.rows.isEmpty {
        found.isCut = true
        return false
      }
      if let place {
        // As the server compares it: a time has no other form than its own.
        if case .integer = forms[place] {
          found.positions.append(row[place])
        } else {
          found.positions.append(PostgreSQLForm.text.value(result.bytes(0, Int32(place)), &unused))
        }
      }
      found.rows.append(.object(shape, row))
      return true
    }
    return found
  }

  // MARK: - Writing

  private func writing<Result>(
    _ stop: StopSign, _ body: (PQConnection) throws(PQError) -> Result
  ) throws(SQLFailure) -> Result {
    do throws(PQError) { return try using(stop, body) } catch { throw failure(error) }
  }

  func check(_ batch: SQLBatch, for table: SQLTable, stop: StopSign) throws(SQLFailure) {
    try writing(stop) { (connection) throws(PQError) in
      try PostgreSQLWriting.check(batch, for: table, on: connection)
    }
  }

  func epochs(of sink: String, in table: SQLTable, stop: StopSign) throws(SQLFailure) -> [String: Int64] {
    try writing(stop) { (connection) throws(PQError) in
      try PostgreSQLWriting.epochs(of: sink, on: connection)
    }
  }

  private func commit(_ connection: PQConnection) throws(PQError) {
    if losesAnswer {
      losesAnswer = false
      try connection.abandon("COMMIT")
    }
    try connection.run("COMMIT")
  }

  /// Has the connection end with the next commit before it is answered; for tests.
  func loseNextAnswer() { losesAnswer = true }

  /// The fate of a transaction; nil where the server, after a crash, does not know it.
  private func fate(of transaction: String, on connection: PQConnection) throws(PQError) -> String? {
    do throws(PQError) {
      return try connection.run("SELECT txid_status($1::bigint)", [transaction]).text(0, 0)
    } catch {
      guard error.code == "22023" else { throw error }
      return nil
    }
  }

  func write(
    _ batches: [SQLBatch], refused: [Value], to table: SQLTable, stop: StopSign
  ) throws(SQLFailure) -> [SQLRefusal] {
    try writing(stop) { (connection) throws(PQError) in
      if let unanswered {
        let status = try fate(of: unanswered.transaction, on: connection)
        if status == "in progress" { throw PQError("the last commit is still going on", mayPass: true) }
        self.unanswered = nil
        if status == "committed" { return unanswered.refusals }
      }
      func run(isStrict: Bool) throws(PQError) -> [SQLRefusal] {
        var writing = PostgreSQLWriting(
          batches: batches, former: refused, table: table, connection: connection, isStrict: isStrict)
        try writing.run()
        let transaction = try writing.isPlaced ? nil : connection.run("SELECT txid_current()").text(0, 0)
        do throws(PQError) { try commit(connection) } catch {
          // With a place the next attempt sees by it what has become of this one.
          if error.isLost, let transaction { unanswered = (transaction, writing.refusals) }
          throw error
        }
        return writing.refusals
      }
      do throws(PQError) { return try run(isStrict: false) } catch {
        // A deferred constraint fails at the end, and says nothing of the row.
        guard error.code.hasPrefix("23"), !error.isLost else { throw error }
        try connection.run("ROLLBACK")
        return try run(isStrict: true)
      }
    }
  }
}
