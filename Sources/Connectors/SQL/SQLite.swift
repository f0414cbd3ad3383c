import Delivery
import JSON
import Language
import Store
import System

/// The driver of SQLite files: the protocol of connections on the wrapper that the state is kept with.
final class SQLite: SQLConnection {
  /// A lock of another program is waited for at most so long, since nothing can end the wait.
  private static let longestLock = Duration.seconds(5)

  private let path: String
  private let disk: any Disk
  /// The database that is written to.
  private var written: (database: Database, identity: FileIdentity)?

  init(_ path: String, on disk: any Disk = SystemDisk()) { (self.path, self.disk) = (path, disk) }

  // MARK: - Reading

  /// The file is opened for each query, since another program may have replaced it.
  func read(_ query: SQLQuery, stop: StopSign) throws(SQLFailure) -> SQLRows {
    do throws(StoreError) {
      let database = try Database(
        foreign: path, on: disk, to: .read,
        busyMilliseconds: Self.milliseconds(min(query.timeout, Self.longestLock)), stop: stop)
      // A statement does not keep the limit.
      defer { withExtendedLifetime(database) {} }
      let end = ContinuousClock.now + query.timeout
      database.limit { stop.isSet || ContinuousClock.now > end }
      let text = query.text.text { ":\($0)" }
      let statement = try database.onlyStatement(text)
      guard statement.isReadOnly else {
        throw refused("the query changes data: a source only reads")
      }
      if let reason = query.problem(with: statement.columns.map(\.name)) { throw refused(reason) }
      guard let after = query.after else { return try rows(of: statement, query) }
      return try rows(of: try database.onlyStatement(Self.text(text, after)), query)
    } catch {
      throw failure(error, query.timeout)
    }
  }

  private static func milliseconds(_ time: Duration) -> Int32 { Int32(max(1, time / .milliseconds(1))) }

  private static func text(_ text: String, _ after: (column: String, from: Value?)) -> String {
    let column = "flow_rows.\(SQLText.quoted(after.column))"
    let condition = after.from == nil ? "IS NOT NULL" : ">= :\(Self.from)"
    return "SELECT * FROM (\n\(text)\n) AS flow_rows WHERE \(column) \(condition) ORDER BY \(column)"
  }

  /// The parameter for the value from which on rows are read.
  private static let from = "flow_after"

  private func refused(_ reason: String) -> StoreError { StoreError(path, .refused, reason) }

  private func failure(_ error: StoreError, _ timeout: Duration) -> SQLFailure {
    let words = error.isLimit ? "took longer than the timeout, \(DurationText.format(timeout))" : error.reason
    let isFinal = [.refused, .corrupt, .foreign, .newer].contains(error.kind)
    var failure = SQLFailure(path, words, mayPass: !isFinal)
    failure.mayBeAwaited = error.isPassing
    return failure
  }

  private func rows(of statement: Statement, _ query: SQLQuery) throws(StoreError) -> SQLRows {
    let columns = statement.columns
    try bind(query, to: statement)
    let shape = Shape(columns.map { Key($0.name) }, isShared: true)
    let forms = columns.map { SQLiteForm(type: $0.type) }
    let place = query.after.flatMap { after in columns.firstIndex { $0.name == after.column } }
    var (found, size, unused) = (SQLRows(), 0, 0)
    while try statement.step() {
      var values: [Value] = []
      values.reserveCapacity(forms.count)
      for (index, form) in forms.enumerated() {
        let column = statement.column(Int32(index))
        if case .text(let bytes) = column, !isValidUTF8(bytes) {
          let name = columns[index].name
          throw refused(
            "the column \(quoted(name)) has a text that is not UTF-8; select CAST(\(SQLText.quoted(name)) AS BLOB) for its bytes"
          )
        }
        values.append(form.value(column, &size))
      }
      if size > query.limit, query.after == nil {
        throw refused(query.tooLarge)
      }
      if size > query.limit, !found.rows.isEmpty {
        found.isCut = true
        break
      }
      if let place {
        if case .bytes = statement.column(Int32(place)) {
          throw refused("after names the column \(quoted(columns[place].name)), which has bytes")
        }
        found.positions.append(SQLiteForm.plain.value(statement.column(Int32(place)), &unused))
      }
      found.rows.append(.object(shape, values))
    }
    return found
  }

  // MARK: - Writing

  func check(_ batch: SQLBatch, for table: SQLTable, stop: StopSign) throws(SQLFailure) {
    if isToBeMade(for: table) { return }
    try writing(to: table, stop) { (database) throws(StoreError) in
      try SQLiteWriting.check(batch, for: table, in: database)
    }
  }

  func write(
    _ batches: [SQLBatch], refused: [Value], to table: SQLTable, stop: StopSign
  ) throws(SQLFailure) -> [SQLRefusal] {
    try writing(to: table, stop) { (database) throws(StoreError) in
      try SQLiteWriting.write(batches, refused: refused, to: table, of: database)
    }
  }

  func epochs(of sink: String, in table: SQLTable, stop: StopSign) throws(SQLFailure) -> [String: Int64] {
    if isToBeMade(for: table) { return [:] }
    return try writing(to: table, stop) { (database) throws(StoreError) in
      try SQLiteWriting.epochs(of: sink, in: database)
    }
  }

  private func isToBeMade(for table: SQLTable) -> Bool {
    table.isMade && disk.status(of: path) == nil
  }

  /// Opens the file again where another one has taken its place.
  private func writing<Result>(
    to table: SQLTable, _ stop: StopSign, _ body: (Database) throws(StoreError) -> Result
  ) throws(SQLFailure) -> Result {
    do throws(StoreError) {
      if let written, written.identity == disk.status(of: path)?.identity {
        return try body(written.database)
      }
      let database = try Database(
        foreign: path, on: disk, to: table.isMade ? .make : .write,
        busyMilliseconds: Self.milliseconds(Self.longestLock), stop: stop)
      let result = try body(database)
      written = disk.status(of: path).map { (database, $0.identity) }
      return result
    } catch {
      written = nil
      throw failure(error, .zero)
    }
  }

  private func bind(_ query: SQLQuery, to statement: Statement) throws(StoreError) {
    for (index, parameter) in statement.parameters.enumerated() {
      guard let name = parameter?.dropFirst() else {
        throw refused("the query has a parameter without a name: write :name, and name it in params")
      }
      if name == Self.from, let from = query.after?.from {
        try statement.bind(Int32(index + 1), json: from)
      } else if let found = query.parameters.first(where: { $0.name == name }) {
        try statement.bind(Int32(index + 1), json: found.value)
      } else {
        throw refused("the query has the parameter :\(name), which params does not name")
      }
    }
  }
}

extension Statement {
  /// Binds a JSON value as SQLite has it: booleans as 0 and 1, lists and objects as JSON.
  func bind(_ place: Int32, json value: Value) throws(StoreError) {
    switch value.kind {
    case .null: bindNull(place)
    case .boolean: bind(place, Int64(value.isTruthy ? 1 : 0))
    case .number:
      let double = value.double ?? .nan
      let text = value.mayExceedDouble ? value.description : ""
      if let whole = Int64(text) {
        bind(place, whole)
      } else if Self.isLong(text), text != Value.number(double).description {
        // Neither of SQLite's numbers has all of its digits.
        try bind(place, text)
      } else if let whole = Int64(exactly: double) {
        bind(place, whole)
      } else {
        bind(place, double)
      }
    case .string: try bind(place, value.string ?? "")
    case .array, .object: try bind(place, value.description)
    }
  }

  /// Whether a number has more digits than each double keeps, or is beyond all of them.
  private static func isLong(_ number: String) -> Bool {
    let digits = number.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.filter { $0 >= 0x30 && $0 <= 0x39 }
    let double = Double(number) ?? 0
    return digits.drop { $0 == 0x30 }.count > 15 || !double.isFinite
      || double == 0 && digits.contains { $0 != 0x30 }
  }
}

/// How the values of a column become JSON, by the type that its table declares.
enum SQLiteForm {
  case plain, boolean, json, time

  init(type: String) {
    self =
      type.hasPrefix("BOOL")
      ? .boolean
      : type.hasPrefix("JSON")
        ? .json : type.hasPrefix("DATETIME") || type.hasPrefix("TIMESTAMP") ? .time : .plain
  }

  /// The value, whose size is added.
  func value(_ column: Statement.Column, _ size: inout Int) -> Value {
    size += 16
    switch column {
    case .null: return .null
    case .integer(let number):
      if self == .boolean, number == 0 || number == 1 { return .bool(number == 1) }
      // A double has 53 bits.
      return number.magnitude < 1 << 53 ? .number(Double(number)) : Value.literal("\(number)") ?? .null
    case .real(let number):
      return number.isFinite ? .number(number) : .string(number > 0 ? "Infinity" : "-Infinity")
    case .text(let bytes):
      size += bytes.count
      switch self {
      case .json: return (try? Value.parse(bytes).detach()) ?? .string(repairing: bytes)
      case .time: return Self.time(bytes)
      case .plain, .boolean: return .string(repairing: bytes)
      }
    case .bytes(let bytes):
      size += bytes.count * 4 / 3
      return .string(base64(Array(bytes)))
    }
  }

  /// A time as SQLite's functions write it, `2026-01-01 10:00:00`, in ISO 8601; any other text as it is.
  private static func time(_ bytes: UnsafeBufferPointer<UInt8>) -> Value {
    let dashes: [Int: UInt8] = [4: 0x2d, 7: 0x2d, 10: 0x20, 13: 0x3a, 16: 0x3a]
    let isTime =
      bytes.count >= 19
      && bytes.indices.allSatisfy { index in
        if let sign = dashes[index] { return bytes[index] == sign }
        return (0x30...0x39).contains(bytes[index]) || index == 19 && bytes[index] == 0x2e
      }
    guard isTime else { return .string(repairing: bytes) }
    var text = Array(bytes)
    text[10] = UInt8(ascii: "T")
    return .string(text + [UInt8(ascii: "Z")])
  }
}
