/// The records of sites that several machines share, whose budgets all of them pay from.
public protocol SharedSites: Sendable {
  /// The record of a site, and its version; nil bytes where there is none. It may be stale.
  func record(of site: String) throws(StoreError) -> (bytes: [UInt8]?, version: UInt64)
  /// Replaces the record of a site, unless it has another version by now; false where it has.
  func replace(_ site: String, with bytes: [UInt8], version: UInt64) throws(StoreError) -> Bool
}

/// The shared form of a record is text, a fact a line, with the numbers of its spending:
///
///     keep 86400.0
///     spent 4611686018427387904 1700000000.5 1
///     block 1700003600.0
///     limit 30 1700000000.5
extension WebFile {
  /// The record of a site in the form that is shared.
  public func sharedForm(of site: String) throws(StoreError) -> [UInt8] {
    let record = try self.site(site)
    var text = record.longest > 0 ? "keep \(record.longest)\n" : ""
    let rows = try database.statement("SELECT id, at, count FROM spending WHERE site = ?1 ORDER BY at, id")
    try rows.bind(1, site)
    defer { rows.reset() }
    while try rows.step() { text += "spent \(rows.integer(0)) \(rows.double(1)) \(rows.integer(2))\n" }
    if let block = record.blockedUntil { text += "block \(block)\n" }
    if let limit = record.learned { text += "limit \(limit.limit) \(limit.at)\n" }
    return Array(text.utf8)
  }

  /// Replaces the record of a site by one that is shared; nil for none.
  ///
  /// Facts of later versions are ignored.
  public func replace(_ site: String, with shared: [UInt8]?) throws(StoreError) {
    for table in ["spending", "sites"] {
      let statement = try database.statement("DELETE FROM \(table) WHERE site = ?1")
      try statement.bind(1, site)
      try statement.run()
    }
    for line in String(decoding: shared ?? [], as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ").dropFirst()
      let numbers = words.compactMap { Double($0) }
      guard numbers.count == words.count, let first = words.first, let number = numbers.first else {
        continue
      }
      switch (line.prefix { $0 != " " }, numbers.count) {
      case ("keep", 1): try keepSpending(site, seconds: number)
      case ("block", 1): try block(site, until: number, longest: 0)
      case ("limit", 2): if let limit = Int(first) { try learn(limit, of: site, now: numbers[1]) }
      case ("spent", 3):
        guard let id = Int64(first), let count = Int64(exactly: numbers[2]) else { continue }
        let statement = try database.statement(
          "INSERT INTO spending (id, site, at, count) VALUES (?1, ?2, ?3, ?4)")
        statement.bind(1, id)
        try statement.bind(2, site)
        statement.bind(3, numbers[1])
        statement.bind(4, count)
        try statement.run()
      default: continue
      }
    }
  }
}
