/// A response as the HTTP cache stores it, in encoded form without secrets.
public struct CachedResponse: Sendable, Equatable {
  public var status: Int
  /// When it was received or last revalidated, in seconds since 1970.
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
  /// The response under a cache key.
  public func response(_ key: [UInt8]) throws(StoreError) -> CachedResponse? {
    let statement = try database.statement(
      "SELECT status, checked, headers, body FROM answers WHERE key = ?1")
    return try bound(key, statement) { (statement) throws(StoreError) in
      guard try statement.step() else { return nil }
      return CachedResponse(
        status: Int(statement.integer(0)), checked: statement.double(1), headers: statement.bytes(2),
        body: statement.bytes(3))
    }
  }

  /// Stores a response, with a URL for people to read; removes the oldest if all bodies together exceed `limit` bytes.
  ///
  /// A body larger than a quarter of the limit is not stored.
  public func store(
    _ response: CachedResponse, _ key: [UInt8], url: String, limit: Int
  ) throws(StoreError) {
    let limit = min(limit, mostBytes)
    guard response.body.count <= limit / 4 else { return try removeResponse(key) }
    try transaction { () throws(StoreError) in
      let statement = try database.statement(
        "INSERT OR REPLACE INTO answers (key, url, status, checked, size, headers, body)"
          + " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
      try statement.bind(2, url)
      statement.bind(3, Int64(response.status))
      statement.bind(4, response.checked)
      statement.bind(5, Int64(response.body.count))
      try bound(key, statement) { (statement) throws(StoreError) in
        // Bound bytes must stay valid until the statement has run.
        let result = response.headers.withUnsafeBufferPointer { headers in
          response.body.withUnsafeBufferPointer { body in
            Result { () throws(StoreError) in
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

  /// Notes that the server has confirmed a response as current.
  public func revalidate(_ key: [UInt8], at now: Double) throws(StoreError) {
    let statement = try database.statement("UPDATE answers SET checked = ?2 WHERE key = ?1")
    statement.bind(2, now)
    try bound(key, statement) { (statement) throws(StoreError) in try statement.run() }
  }

  public func removeResponse(_ key: [UInt8]) throws(StoreError) {
    let statement = try database.statement("DELETE FROM answers WHERE key = ?1")
    try bound(key, statement) { (statement) throws(StoreError) in try statement.run() }
  }

  /// The number of responses, and the bytes of their bodies.
  public func cacheSize() throws(StoreError) -> (count: Int, bytes: Int) {
    let statement = try database.statement("SELECT count(*), coalesce(sum(size), 0) FROM answers")
    defer { statement.reset() }
    guard try statement.step() else { return (0, 0) }
    return (Int(statement.integer(0)), Int(statement.integer(1)))
  }

  private func trim(to limit: Int) throws(StoreError) {
    var bytes = try cacheSize().bytes
    if bytes <= limit { return }
    let oldest = try database.statement("SELECT rowid, size FROM answers ORDER BY checked")
    var expired: [Int64] = []
    while bytes > limit, try oldest.step() {
      expired.append(oldest.integer(0))
      bytes -= Int(oldest.integer(1))
    }
    oldest.reset()
    let drop = try database.statement("DELETE FROM answers WHERE rowid = ?1")
    for row in expired {
      drop.bind(1, row)
      try drop.run()
    }
  }

  /// Runs a statement with a key as its first parameter, valid until the statement is reset.
  private func bound<Result>(
    _ key: [UInt8], _ statement: Statement, _ body: (Statement) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let result = key.withUnsafeBufferPointer { bytes in
      Swift.Result { () throws(StoreError) in
        defer { statement.reset() }
        try statement.bind(1, bytes)
        return try body(statement)
      }
    }
    return try result.get()
  }
}
