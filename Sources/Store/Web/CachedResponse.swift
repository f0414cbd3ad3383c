/// An answer of a server as it is kept.
public struct CachedAnswer: Sendable, Equatable {
  public var status: Int
  /// When it was last known to be so, in seconds since 1970.
  public var checked: Double
  public var headers: [UInt8]
  public var body: [UInt8]

  public init(status: Int = 200, checked: Double, headers: [UInt8] = [], body: [UInt8]) {
    self.status = status
    self.checked = checked
    self.headers = headers
    self.body = body
  }
}

extension WebFile {
  /// The answer of that name.
  public func answer(_ key: [UInt8]) throws(StoreFailure) -> CachedAnswer? {
    let statement = try database.statement(
      "SELECT status, checked, headers, body FROM answers WHERE key = ?1")
    return try bound(key, statement) { (statement) throws(StoreFailure) in
      guard try statement.step() else { return nil }
      return CachedAnswer(
        status: Int(statement.integer(0)), checked: statement.double(1), headers: statement.bytes(2),
        body: statement.bytes(3))
    }
  }

  /// Keeps an answer, with a URL for people to read; the oldest go where all bodies together exceed `limit` bytes.
  ///
  /// One that is larger than a quarter of that is not kept.
  public func keep(_ answer: CachedAnswer, _ key: [UInt8], url: String, limit: Int) throws(StoreFailure) {
    guard answer.body.count <= limit / 4 else { return try drop(key) }
    try database.transaction { () throws(StoreFailure) in
      let statement = try database.statement(
        "INSERT OR REPLACE INTO answers (key, url, status, checked, size, headers, body)"
          + " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
      try statement.bind(2, url)
      statement.bind(3, Int64(answer.status))
      statement.bind(4, answer.checked)
      statement.bind(5, Int64(answer.body.count))
      try bound(key, statement) { (statement) throws(StoreFailure) in
        // What is bound must lie still until the statement has run.
        let result = answer.headers.withUnsafeBufferPointer { headers in
          answer.body.withUnsafeBufferPointer { body in
            Result { () throws(StoreFailure) in
              try statement.bind(6, headers)
              try statement.bind(7, body)
              try statement.run()
            }
          }
        }
        try result.get()
      }
      try trim(to: limit)
    }
  }

  /// Notes that an answer is still what the server has.
  public func confirm(_ key: [UInt8], at now: Double) throws(StoreFailure) {
    let statement = try database.statement("UPDATE answers SET checked = ?2 WHERE key = ?1")
    statement.bind(2, now)
    try bound(key, statement) { (statement) throws(StoreFailure) in try statement.run() }
  }

  public func drop(_ key: [UInt8]) throws(StoreFailure) {
    let statement = try database.statement("DELETE FROM answers WHERE key = ?1")
    try bound(key, statement) { (statement) throws(StoreFailure) in try statement.run() }
  }

  /// How many answers there are, and the bytes of their bodies.
  public func cacheSize() throws(StoreFailure) -> (count: Int, bytes: Int) {
    let statement = try database.statement("SELECT count(*), coalesce(sum(size), 0) FROM answers")
    defer { statement.reset() }
    guard try statement.step() else { return (0, 0) }
    return (Int(statement.integer(0)), Int(statement.integer(1)))
  }

  private func trim(to limit: Int) throws(StoreFailure) {
    var bytes = try cacheSize().bytes
    if bytes <= limit { return }
    let oldest = try database.statement("SELECT rowid, size FROM answers ORDER BY checked")
    var doomed: [Int64] = []
    while bytes > limit, try oldest.step() {
      doomed.append(oldest.integer(0))
      bytes -= Int(oldest.integer(1))
    }
    oldest.reset()
    let drop = try database.statement("DELETE FROM answers WHERE rowid = ?1")
    for row in doomed {
      drop.bind(1, row)
      try drop.run()
    }
  }

  /// Runs a statement whose first place is a key, which must be there until it is reset.
  private func bound<Result>(
    _ key: [UInt8], _ statement: Statement, _ body: (Statement) throws(StoreFailure) -> Result
  ) throws(StoreFailure) -> Result {
    let result = key.withUnsafeBufferPointer { bytes in
      Swift.Result { () throws(StoreFailure) in
        defer { statement.reset() }
        try statement.bind(1, bytes)
        return try body(statement)
      }
    }
    return try result.get()
  }
}
