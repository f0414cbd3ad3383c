import Glibc
import Store

/// The budget of a site as one transaction, in the file or in the records that several machines share.
extension Client {
  /// How often a transaction is tried where other machines change the same record.
  private static let attempts = 30

  /// Changes the budget of a site.
  ///
  /// Where that is shared, `body` may be called several times, each time with the record as others have left it.
  func transact<Output: Sendable>(
    _ site: String, _ body: (inout sending WebFile) throws(StoreError) -> Output
  ) throws(StoreError) -> Output {
    guard let shared = options.sharedSites else {
      return try file.withLock { file throws(StoreError) in try body(&file) }
    }
    for attempt in 0..<Self.attempts {
      // What was read may be stale, and which machine is first at the next attempt is random.
      if attempt > 0 { usleep(UInt32.random(in: 1000...(10_000 + 2000 * UInt32(attempt)))) }
      let (former, version) = try shared.record(of: site)
      let (output, record) = try file.withLock { file throws(StoreError) in
        try file.transaction { () throws(StoreError) in try file.replace(site, with: former) }
        let before = try file.sharedForm(of: site)
        let output = try body(&file)
        let after = try file.sharedForm(of: site)
        return (output, after == before ? nil : after)
      }
      guard let record else { return output }
      if try shared.replace(site, with: record, version: version) { return output }
    }
    throw StoreError("the budget of \(site)", .unavailable, "other machines change it all the time")
  }
}
