import CSQLite

/// A compiled SQL statement.
///
/// Bound bytes are not copied: they must stay valid until the statement is reset.
public final class Statement {
  private let path: String
  /// Its owner closes it; SQLite frees it after the last of its statements.
  private let connection: OpaquePointer
  private let handle: OpaquePointer

  init(
    _ sql: String, of database: Database, to what: String = "use the state", isOnly: Bool = false
  ) throws(StoreError) {
    var made: OpaquePointer?
    var rest = ""
    let code = sql.withCString { text in
      var end: UnsafePointer<CChar>?
      defer { if isOnly, let end { rest = String(cString: end) } }
      return sqlite3_prepare_v3(
        database.connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, &end)
    }
    guard code == SQLITE_OK else {
      throw StoreError(database.path, trying: what, database.connection, code: code)
    }
    guard let made else { throw StoreError(database.path, .refused, "cannot \(what): there is none") }
    var second: OpaquePointer?
    if !rest.isEmpty,
      sqlite3_prepare_v2(database.connection, rest, -1, &second, nil) != SQLITE_OK || second != nil
    {
      sqlite3_finalize(second)
      sqlite3_finalize(made)
      throw StoreError(database.path, .refused, "cannot \(what): there is more than one")
    }
    path = database.path
    connection = database.connection
    handle = made
  }

  deinit { sqlite3_finalize(handle) }

  public func bind(_ place: Int32, _ number: Int64) { sqlite3_bind_int64(handle, place, number) }
  public func bind(_ place: Int32, _ number: Double) { sqlite3_bind_double(handle, place, number) }

  /// Binds a text, which SQLite copies.
  public func bind(_ place: Int32, _ text: String) throws(StoreError) {
    var text = text
    let code = text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) {
        // A text without an address would be bound as null.
        $0.isEmpty
          ? sqlite3_bind_text(handle, place, "", 0, copying)
          : sqlite3_bind_text64(
            handle, place, $0.baseAddress, UInt64($0.count), copying, UInt8(SQLITE_UTF8))
      }
    }
    try check(code, "store a text of \(text.utf8.count) bytes")
  }

  public func bind(_ place: Int32, _ value: Fact) throws(StoreError) {
    switch value {
    case .integer(let number): bind(place, number)
    case .text(let text): try bind(place, text)
    }
  }

  /// Binds bytes without a copy.
  public func bind(_ place: Int32, _ bytes: UnsafeBufferPointer<UInt8>) throws(StoreError) {
    let code =
      bytes.isEmpty
      ? sqlite3_bind_zeroblob(handle, place, 0)
      : sqlite3_bind_blob64(handle, place, bytes.baseAddress, UInt64(bytes.count), nil)
    try check(code, "store \(bytes.count) bytes")
  }

  public func bindNull(_ place: Int32) { sqlite3_bind_null(handle, place) }

  /// The names of its parameters in their order, with the colon; nil for one without a name.
  public var parameters: [String?] {
    (0..<sqlite3_bind_parameter_count(handle)).map { place in
      sqlite3_bind_parameter_name(handle, place + 1).map { String(cString: $0) }
    }
  }

  /// Moves to the next row; false after the last.
  public func step() throws(StoreError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    let failure = StoreError(
      path, trying: sqlite3_stmt_readonly(handle) != 0 ? "read" : "write", connection, code: code)
    sqlite3_reset(handle)
    throw failure
  }

  /// Runs a statement without results and resets it.
  public func run() throws(StoreError) {
    while try step() {}
    reset()
  }

  /// Ends the execution; bindings stay, so bind every parameter before the next step.
  public func reset() { sqlite3_reset(handle) }

  /// The text is an autoclosure because a commit binds hundreds of parameters, and few fail.
  private func check(_ code: Int32, _ what: @autoclosure () -> String) throws(StoreError) {
    if code != SQLITE_OK { throw StoreError(path, trying: what(), connection, code: code) }
  }

  /// Whether it changes nothing.
  public var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  /// The columns of its rows, with their types where they are those of a table, in upper case.
  public var columns: [(name: String, type: String)] {
    (0..<sqlite3_column_count(handle)).map { column in
      let type = sqlite3_column_decltype(handle, column).map { String(cString: $0).uppercased() }
      return (sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "", type ?? "")
    }
  }

  /// A value of any type; bytes are valid until the next step.
  public enum Column {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeBufferPointer<UInt8>)
    case bytes(UnsafeBufferPointer<UInt8>)
  }

  public func column(_ column: Int32) -> Column {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
    case SQLITE_TEXT:
      let start = sqlite3_column_text(handle, column)
      let count = start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
      return .text(UnsafeBufferPointer(start: start, count: count))
    case SQLITE_BLOB: return .bytes(blob(column))
    default: return .null
    }
  }

  public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  public func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  public func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  public func fact(_ column: Int32) -> Fact {
    sqlite3_column_type(handle, column) == SQLITE_INTEGER ? .integer(integer(column)) : .text(text(column))
  }

  public func bytes(_ column: Int32) -> [UInt8] { Array(blob(column)) }

  /// A view of the bytes, valid until the next step.
  func blob(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_column_blob(handle, column)?.assumingMemoryBound(to: UInt8.self)
    return UnsafeBufferPointer(
      start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
  }
}

/// A stored value beside the tables, a position or a counter say: an integer or a text.
public enum Fact: Equatable, Sendable {
  case integer(Int64)
  case text(String)

  public var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  public var text: String? { if case .text(let text) = self { text } else { nil } }
}

/// `SQLITE_TRANSIENT`, a macro that Swift does not import: SQLite copies the bytes at once.
private let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
