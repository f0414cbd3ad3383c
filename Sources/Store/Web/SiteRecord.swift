/// What is known of a site's budget.
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
    /// When it was heard of.
    public var at: Double

    public init(_ limit: Int, at: Double) {
      self.limit = limit
      self.at = at
    }
  }

  /// In the order of time.
  public var spending: [Spending] = []
  /// Until when the site is to be left alone.
  public var blockedUntil: Double?
  public var learned: Limit?
  /// For how long spending is remembered, in seconds.
  public var longest = 0.0

  public init() {}
}

extension WebFile {
  /// How far a clock may be behind what was written before it is taken for one that was set back.
  static let clockTolerance = 5.0

  /// Several steps that no other process comes between.
  public func transaction<Result>(_ body: () throws(StoreFailure) -> Result) throws(StoreFailure) -> Result {
    try database.transaction(body)
  }

  /// What is known of a site.
  public func site(_ name: String) throws(StoreFailure) -> SiteRecord {
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

  /// Writes down a spending; its number is for `settle` and `refund`.
  @discardableResult
  public func spend(_ count: Int = 1, at site: String, now: Double) throws(StoreFailure) -> Int64 {
    let statement = try database.statement(
      "INSERT INTO spending (site, at, count) VALUES (?1, ?2, ?3) RETURNING id")
    try statement.bind(1, site)
    statement.bind(2, now)
    statement.bind(3, Int64(count))
    defer { statement.reset() }
    guard try statement.step() else {
      throw StoreFailure(path, .refused, "cannot write: the spending has no number")
    }
    let number = statement.integer(0)
    while try statement.step() {}
    return number
  }

  /// Moves a spending to when its answer came, since the site may have counted it only then.
  public func settle(_ number: Int64, now: Double) throws(StoreFailure) {
    let statement = try database.statement("UPDATE spending SET at = ?2 WHERE id = ?1 AND at < ?2")
    statement.bind(1, number)
    statement.bind(2, now)
    try statement.run()
  }

  /// Takes back a spending for what the site never saw.
  public func refund(_ number: Int64) throws(StoreFailure) {
    let statement = try database.statement("DELETE FROM spending WHERE id = ?1")
    statement.bind(1, number)
    try statement.run()
  }

  /// Notes that a site is to be left alone until a time, unless that is known to be later.
  public func block(_ site: String, until time: Double) throws(StoreFailure) {
    let statement = try database.statement(
      "INSERT INTO sites (site, blocked_until) VALUES (?1, ?2)"
        + " ON CONFLICT (site) DO UPDATE SET blocked_until = max(coalesce(blocked_until, 0), ?2)")
    try statement.bind(1, site)
    statement.bind(2, time)
    try statement.run()
  }

  /// Notes what a site says its limit is.
  public func learn(_ limit: Int, of site: String, now: Double) throws(StoreFailure) {
    let statement = try database.statement(
      "INSERT INTO sites (site, learned_limit, learned_at) VALUES (?1, ?2, ?3)"
        + " ON CONFLICT (site) DO UPDATE SET learned_limit = ?2, learned_at = ?3")
    try statement.bind(1, site)
    statement.bind(2, Int64(limit))
    statement.bind(3, now)
    try statement.run()
  }

  /// Has a site's spending remembered for so many seconds, unless it already is for longer: another process may look
  /// back further.
  public func remember(_ site: String, seconds: Double) throws(StoreFailure) {
    let statement = try database.statement(
      "INSERT INTO sites (site, longest) VALUES (?1, ?2)"
        + " ON CONFLICT (site) DO UPDATE SET longest = max(longest, ?2)")
    try statement.bind(1, site)
    statement.bind(2, seconds)
    try statement.run()
  }

  /// Forgets what a site was paid longer ago than anybody looks back, and takes what seems to be paid in the future,
  /// by a clock that was set back since, as paid now.
  public func tidy(_ site: String, _ record: SiteRecord, now: Double) throws(StoreFailure) {
    let horizon = now - record.longest
    if let first = record.spending.first, first.at <= horizon {
      let old = try database.statement("DELETE FROM spending WHERE site = ?1 AND at <= ?2")
      try old.bind(1, site)
      old.bind(2, horizon)
      try old.run()
    }
    if let last = record.spending.last, last.at > now + WebFile.clockTolerance {
      let late = try database.statement("UPDATE spending SET at = ?2 WHERE site = ?1 AND at > ?2")
      try late.bind(1, site)
      late.bind(2, now)
      try late.run()
    }
  }
}
