import Reactive
import Store

/// The result of paying for a request from a budget.
enum Payment: Equatable, Sendable {
  /// The request may be sent; the number of the spending is nil for a site without limits.
  case paid(Int64?)
  /// `isAsked` where the site has asked for the wait.
  case wait(until: Double, isAsked: Bool)
  /// No window is large enough.
  case never
}

/// Payments from the stored budgets: each one is a transaction, so that all processes together stay within the limits.
extension WebFile {
  /// Pays for one request, if the budget has `reserve` more left after it; for a repetition, two thirds of it.
  func pay(
    _ site: String, _ budget: SiteBudget, reserve: Int = 0, isRepetition: Bool = false,
    ignoringBlock: Bool = false, now: Double
  ) throws(StoreError) -> Payment {
    try transaction { () throws(StoreError) in
      var rules = BudgetRules(budget, try self.site(site))
      // Before the rules are asked, so that the wait they find is stored and passes.
      if try correct(site, rules.record, now: now) { rules.record = try self.site(site) }
      rules.ignoresBlock = ignoringBlock
      if rules.record.longest < rules.longest {
        try keepSpending(site, seconds: rules.longest)
        // Otherwise what a report added before the first payment would be removed as too old.
        rules.record.longest = rules.longest
      }
      guard let time = rules.time(for: 1 + reserve, ofThird: isRepetition, at: now) else { return .never }
      guard time <= now else { return .wait(until: time, isAsked: rules.block(at: now) == time) }
      try removeOldSpending(site, rules.record, now: now)
      return rules.windows(at: now).isEmpty ? .paid(nil) : .paid(try spend(at: site, now: now))
    }
  }

  /// Records what a response says about the budget: the latest time at which the site counted the request, the block
  /// that it asks for, and its report.
  func settle(
    _ site: String, _ budget: SiteBudget, paid number: Int64?, block: Double?, _ report: BudgetReport?,
    now: Double
  ) throws(StoreError) {
    if number == nil, block == nil, report == nil { return }
    try transaction { () throws(StoreError) in
      if let number { try settle(number, now: now) }
      if let block { try self.block(site, until: block, longest: BudgetRules.longestBlock) }
      if let report { try record(report, of: site, budget, now: now) }
    }
  }

  private func record(
    _ report: BudgetReport, of site: String, _ budget: SiteBudget, now: Double
  ) throws(StoreError) {
    if report.period == budget.learnedPeriod { try learn(report.limit, of: site, now: now) }
    let rules = BudgetRules(budget, try self.site(site))
    let missing = rules.foreignSpending(report, at: now)
    if missing == 0 { return }
    // If the site says when the next request is possible, the first of them is dated so that it expires then.
    if let nextIn = report.nextIn, report.remaining == 0, nextIn < report.period {
      try spend(at: site, now: now + nextIn.inSeconds - report.period.inSeconds)
      if missing > 1 { try spend(missing - 1, at: site, now: now) }
    } else {
      try spend(missing, at: site, now: now)
    }
  }
}
