import Glibc
import Store

/// The budgets of the sites that a client calls, in its file or in the records that several machines share.
extension Client {
  /// The end of a paid request, as its budget sees it.
  enum Outcome {
    case refund
    case asPaid
    case answered(Headers, block: Double?)
  }

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

  /// Pays a request from the budgets that all processes share; a retry leaves at least one request in them.
  func pay(_ request: Request, isRetry: Bool, ignoringBlock: Bool) throws(StoreError) -> Payment {
    let (budgetKey, budget, now) = (request.budgetKey, budget(of: request.address.site), wallClock())
    return try transact(budgetKey) { file throws(StoreError) in
      try file.pay(
        budgetKey, budget, reserve: isRetry ? 1 : 0, isRepetition: request.isRepetition,
        ignoringBlock: ignoringBlock, now: now)
    }
  }

  /// Updates the budget after a request, which has been paid with the number of its payment.
  func settle(_ request: Request, _ payment: Int64?, _ outcome: Outcome) throws(StoreError) {
    let (budgetKey, budget, now) = (request.budgetKey, budget(of: request.address.site), wallClock())
    try transact(budgetKey) { file throws(StoreError) in
      switch outcome {
      case .refund: if let payment { try file.refund(payment) }
      case .asPaid: if let payment { try file.settle(payment, now: now) }
      case .answered(let headers, let block):
        let report = budget.learnedPeriod.flatMap { BudgetReport(headers, period: $0) }
        try file.settle(budgetKey, budget, paid: payment, block: block, report, now: now)
      }
    }
  }

  /// The seconds since the site's last report on the budget of such a request: infinity for never, nil if the budget
  /// ignores reports.
  public func ageOfLimit(of request: Request) throws(StoreError) -> Double? {
    if budget(of: request.address.site).learnedPeriod == nil { return nil }
    let (budgetKey, now) = (request.budgetKey, wallClock())
    let learned = try file.withLock { file throws(StoreError) in try file.site(budgetKey).learned }
    return learned.map { abs(now - $0.at) } ?? .infinity
  }

  /// Records a site's report on the budget of such a request that did not come in headers.
  public func learn(_ report: BudgetReport, of request: Request) throws(StoreError) {
    let (budgetKey, budget, now) = (request.budgetKey, budget(of: request.address.site), wallClock())
    try transact(budgetKey) { file throws(StoreError) in
      try file.settle(budgetKey, budget, paid: nil, block: nil, report, now: now)
    }
  }

  /// The rest of the budgets of the services that it has called, one entry for each window in force.
  public func remainingBudgets() throws(StoreError) -> [RemainingBudget] {
    let (now, called) = (wallClock(), called.withLock { $0 })
    return try file.withLock { file throws(StoreError) in
      var all: [RemainingBudget] = []
      for key in try file.sites() {
        // An API key has a budget of its own, `SITE#HASH`.
        let site = key.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(key[..<$0]) } ?? key
        guard called.contains(site) else { continue }
        all += BudgetRules(budget(of: site), try file.site(key)).remaining(of: site, at: now)
      }
      return all
    }
  }
}
