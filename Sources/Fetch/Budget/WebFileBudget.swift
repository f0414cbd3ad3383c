import Reactive
import Store

/// What came of the attempt to pay for a request.
enum Payment: Equatable, Sendable {
  /// It may be sent; the number is nil where the site has no limit.
  case paid(Int64?)
  case wait(until: Double)
  /// No waiting helps.
  case never
}

/// Budgets as they are kept: each step is one transaction, so that all processes together spend no more than there is.
extension WebFile {
  /// Takes one request out of a site's budget, if `reserve` more are left then.
  func pay(_ site: String, _ budget: SiteBudget, reserve: Int = 0, now: Double) throws(StoreFailure)
    -> Payment
  {
    try transaction { () throws(StoreFailure) in
      var ledger = Ledger(budget, try self.site(site))
      if ledger.record.longest < ledger.longest {
        try remember(site, seconds: ledger.longest)
        // What was heard of before anything was paid is not old.
        ledger.record.longest = ledger.longest
      }
      guard let time = ledger.time(for: 1 + reserve, at: now) else { return .never }
      guard time <= now else { return .wait(until: time) }
      try tidy(site, ledger.record, now: now)
      return ledger.windows(at: now).isEmpty ? .paid(nil) : .paid(try spend(at: site, now: now))
    }
  }

  /// What is learned from an answer to a request that was paid: when it was counted at the latest, how long to wait
  /// where the site asked for that, and what the site says is left.
  func settle(
    _ site: String, _ budget: SiteBudget, paid number: Int64?, block: Double?, _ report: BudgetReport?,
    now: Double
  ) throws(StoreFailure) {
    if number == nil, block == nil, report == nil { return }
    try transaction { () throws(StoreFailure) in
      if let number { try settle(number, now: now) }
      if let block { try self.block(site, until: block) }
      if let report { try hear(report, of: site, budget, now: now) }
    }
  }

  private func hear(
    _ report: BudgetReport, of site: String, _ budget: SiteBudget, now: Double
  ) throws(StoreFailure) {
    if report.period == budget.learnedPeriod { try learn(report.limit, of: site, now: now) }
    let ledger = Ledger(budget, try self.site(site))
    let missing = ledger.foreignSpending(report, at: now)
    if missing == 0 { return }
    // Where it is known when the next can be paid, the first of them is dated so that it lapses then.
    if let nextIn = report.nextIn, report.remaining == 0, nextIn < report.period {
      try spend(at: site, now: now + nextIn.inSeconds - report.period.inSeconds)
      if missing > 1 { try spend(missing - 1, at: site, now: now) }
    } else {
      try spend(missing, at: site, now: now)
    }
  }
}
