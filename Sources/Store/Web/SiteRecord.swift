/// The stored budget of a site: what was spent, and what the site said about its limit.
public struct SiteRecord: Sendable, Equatable {
  public struct Spending: Sendable, Equatable {
    /// In seconds since 1970.
    public var at: Double
    public var count: Int

    public init(at: Double, count: Int = 1) {
      self.at = at
      self.count = count
    }
  }

  public struct Limit: Sendable, Equatable {
    public var limit: Int
    /// When the site reported it.
    public var at: Double

    public init(_ limit: Int, at: Double) {
      self.limit = limit
      self.at = at
    }
  }

  /// By time.
  public var spending: [Spending] = []
  /// Until when no request may be sent.
  public var blockedUntil: Double?
  public var learned: Limit?
  /// How long spending is kept, in seconds.
  public var longest = 0.0

  public init() {}
}

extension WebFile {
  /// A clock further than this behind a stored time counts as set back.
  public static let clockTolerance = 5.0

  /// The sites with a record, by name.
  public func sites() throws(StoreError) -> [String] {
    let rows = try database.statement("SELECT site FROM spending UNION SELECT site FROM sites ORDER BY 1")
    defer { rows.reset() }
    var names: [String] = []
    while try rows.step() { names.append(rows.text(0)) }
    return names
  }

  /// The record of a site.
  public func site(_ name: String) throws(StoreError) -> SiteRecord {
    var record = SiteRecord()
    let rows = try database.statement("SELECT at, count FROM spending WHERE site = ?1 ORDER BY at")
    try rows.bind(1, name)
    defer { rows.reset() }
    while try rows.step() { record.spending.append(.init(at: rows.double(0), count: Int(rows.integer(1)))) }
    let site = try database.statement(
      "SELECT blocked_until, learned_limit, learned_at, longest FROM sites WHERE site = ?1")
    try site.bind(1, name)
    defer { site.reset() }
    guard try site.step() else { return record }
    if !site.isNull(0) { record.blockedUntil = site.double(0) }
    if !site.isNull(1) { record.learned = .init(Int(site.integer(1)), at: site.double(2)) }
    record.longest = site.double(3)
    return record
  }

  /// Records a spending; its number is for `settle` and `refund`.
  @discardableResult
  public func spend(_ count: Int = 1, at site: String, now: Double) throws(StoreError) -> Int64 {
    let statement = try database.statement(
      // A number that no other machine gives to another spending.
      "INSERT INTO spending (id, site, at, count) VALUES (random() & 0x3fffffffffffffff, ?1, ?2, ?3)"
        + " RETURNING id")
    try statement.bind(1, site)
    statement.bind(2, now)
    statement.bind(3, Int64(count))
    defer { statement.reset() }
    guard try statement.step() else {
      throw StoreError(path, .refused, "cannot write: the spending has no number")
    }
    let number = statement.integer(0)
    while try statement.step() {}
    return number
  }

  /// Moves a spending to the time of its response, because the site may count it only then.
  public func settle(_ number: Int64, now: Double) throws(StoreError) {
    let statement = try database.statement("UPDATE spending SET at = ?2 WHERE id = ?1 AND at < ?2")
    statement.bind(1, number)
    statement.bind(2, now)
    try statement.run()
  }

  /// Removes a spending for a request that never reached the site.
  public func refund(_ number: Int64) throws(StoreError) {
    let statement = try database.statement("DELETE FROM spending WHERE id = ?1")
    statement.bind(1, number)
    try statement.run()
  }

  /// Blocks requests to a site until a time, or a later one that is already stored, but for one more than `longest`
  /// seconds later: that is from before a clock was set back.
  public func block(_ site: String, until time: Double, longest: Double) throws(StoreError) {
    let statement = try database.statement(
      "INSERT INTO sites (site, blocked_until) VALUES (?1, ?2)"
        + " ON CONFLICT (site) DO UPDATE SET blocked_until ="
        + " CASE WHEN blocked_until > ?2 AND blocked_until < ?2 + ?3 THEN blocked_until ELSE ?2 END")
    try statement.bind(1, site)
    statement.bind(2, time)
    statement.bind(3, longest)
    try statement.run()
  }

  /// Stores the limit that a site reports.
  public func learn(_ limit: Int, of site: String, now: Double) throws(StoreError) {
    let statement = try database.statement(
      "INSERT INTO sites (site, learned_limit, learned_at) VALUES (?1, ?2, ?3)"
        + " ON CONFLICT (site) DO UPDATE SET learned_limit = ?2, learned_at = ?3")
    try statement.bind(1, site)
    statement.bind(2, Int64(limit))
    statement.bind(3, now)
    try statement.run()
  }

  /// Keeps a site's spending for at least so many seconds: another process may need a longer window.
  public func keepSpending(_ site: String, seconds: Double) throws(StoreError) {
    let statement = try database.statement(
      "INSERT INTO sites (site, longest) VALUES (?1, ?2)"
        + " ON CONFLICT (site) DO UPDATE SET longest = max(longest, ?2)")
    try statement.bind(1, site)
    statement.bind(2, seconds)
    try statement.run()
  }

  /// Dates spending in the future, from before a clock was set back, to now; whether there was any.
  public func correct(_ site: String, _ record: SiteRecord, now: Double) throws(StoreError) -> Bool {
    guard let last = record.spending.last, last.at > now + WebFile.clockTolerance else { return false }
    let late = try database.statement("UPDATE spending SET at = ?2 WHERE site = ?1 AND at > ?2")
    try late.bind(1, site)
    late.bind(2, now)
    try late.run()
    return true
  }

  /// Removes spending older than the longest window.
  public func removeOldSpending(_ site: String, _ record: SiteRecord, now: Double) throws(StoreError) {
    let horizon = now - record.longest
    if let first = record.spending.first, first.at <= horizon {
      let old = try database.statement("DELETE FROM spending WHERE site = ?1 AND at <= ?2")
      try old.bind(1, site)
      old.bind(2, horizon)
      try old.run()
    }
  }
}
