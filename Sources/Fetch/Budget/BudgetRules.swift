import Reactive
import Store

/// What is known of a site's spending: the rules of budgets, without the file that they are kept in.
///
/// Times are seconds since 1970 by the clock on the wall, which is all that processes share.
struct Ledger: Equatable, Sendable {
  /// How long a limit that was heard of holds.
  static let memory = 86400.0
  /// A site that is to be left alone for longer than anybody asks for was so by a clock that was set back since.
  static let longestBlock = 8 * 86400.0

  var budget: SiteBudget
  var record: SiteRecord

  init(_ budget: SiteBudget, _ record: SiteRecord = SiteRecord()) {
    self.budget = budget
    self.record = record
  }

  /// The windows that hold now.
  func windows(at now: Double) -> [SiteBudget.Window] {
    guard let period = budget.learnedPeriod, let learned = record.learned,
      abs(now - learned.at) < Ledger.memory
    else { return budget.windows }
    return budget.windows.filter { $0.period != period } + [.init(learned.limit, per: period)]
  }

  /// How far back the past counts, in seconds.
  var longest: Double {
    let periods = budget.windows.map(\.period) + [budget.learnedPeriod ?? .zero]
    return periods.reduce(0) { max($0, $1.inSeconds) }
  }

  /// Until when the site is to be left alone.
  func block(at now: Double) -> Double? {
    record.blockedUntil.flatMap { $0 > now && $0 < now + Ledger.longestBlock ? $0 : nil }
  }

  /// The earliest time at which `count` requests can be paid: `now`, or later; nil where there never is one.
  func time(for count: Int = 1, at now: Double) -> Double? {
    var time = block(at: now) ?? now
    for window in windows(at: now) {
      guard window.limit >= count else { return nil }
      let period = window.period.inSeconds
      var spent = spent(in: window.period, at: now)
      for entry in record.spending where entry.at + period > now {
        if spent + count <= window.limit { break }
        spent -= entry.count
        time = max(time, entry.at + period)
      }
    }
    return time
  }

  /// How many requests can be paid now; nil where there is no limit.
  func left(at now: Double) -> Int? {
    if block(at: now) != nil { return 0 }
    return windows(at: now).map { max(0, $0.limit - spent(in: $0.period, at: now)) }.min()
  }

  private func spent(in period: Duration, at now: Double) -> Int {
    record.spending.reduce(0) { $0 + ($1.at + period.inSeconds > now ? $1.count : 0) }
  }

  /// How many requests by others, who share the budget, make up the difference to what the site says is left.
  func foreignSpending(_ report: BudgetReport, at now: Double) -> Int {
    max(0, report.limit - report.remaining - spent(in: report.period, at: now))
  }
}
