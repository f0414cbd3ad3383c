import Reactive
import Store

/// The rules of request budgets: when a site may be asked again, from its limits and its stored spending.
///
/// A stored time in the future is from before a clock was set back. Spending then counts as spent now, and a block as
/// long as the longest: neither holds a site for longer than its longest window or `longestBlock`.
///
/// Pure: `WebFile` stores the record. Times are seconds since 1970 by the wall clock, the only one that processes share.
struct BudgetRules: Equatable, Sendable {
  /// How long a reported limit holds.
  static let memory = 86400.0
  /// A longer block than any server gets dates from before a clock was set back, and is ignored.
  static let longestBlock = longestRequestedWait + WebFile.clockTolerance

  var budget: SiteBudget
  var record: SiteRecord
  /// Whether to ignore a block by the site, as the user may request.
  var ignoresBlock = false

  init(_ budget: SiteBudget, _ record: SiteRecord = SiteRecord()) {
    self.budget = budget
    self.record = record
  }

  /// The windows in force.
  func windows(at now: Double) -> [SiteBudget.Window] {
    guard let period = budget.learnedPeriod, let learned = record.learned,
      abs(now - learned.at) < BudgetRules.memory
    else { return budget.windows }
    return budget.windows.filter { $0.period != period } + [.init(learned.limit, per: period)]
  }

  /// The length of the longest window, in seconds.
  var longest: Double {
    let periods = budget.windows.map(\.period) + [budget.learnedPeriod ?? .zero]
    return periods.reduce(0) { max($0, $1.inSeconds) }
  }

  /// Until when no request may be sent.
  func block(at now: Double) -> Double? {
    if ignoresBlock { return nil }
    return record.blockedUntil.flatMap { $0 > now && $0 < now + BudgetRules.longestBlock ? $0 : nil }
  }

  /// The earliest time for `count` requests, `now` or later; nil if no window is large enough.
  ///
  /// - Parameter isThird: Whether only the first third of each window is for them.
  func time(for count: Int = 1, ofThird isThird: Bool = false, at now: Double) -> Double? {
    var time = block(at: now) ?? now
    for window in windows(at: now) {
      let limit = isThird ? window.limit / 3 : window.limit
      guard limit >= count else { return nil }
      let period = window.period.inSeconds
      var spent = spent(in: window.period, at: now)
      for entry in record.spending where entry.at + period > now {
        if spent + count <= limit { break }
        spent -= entry.count
        time = max(time, entry.at + period)
      }
    }
    return time
  }

  /// The rest of the budget in each window.
  func remaining(of site: String, at now: Double) -> [RemainingBudget] {
    let next = time(at: now).flatMap { $0 > now ? $0 : nil }
    return windows(at: now).map { window in
      RemainingBudget(
        site: site, window: window, remaining: max(0, window.limit - spent(in: window.period, at: now)),
        next: next)
    }
  }

  private func spent(in period: Duration, at now: Double) -> Int {
    record.spending.reduce(0) { $0 + ($1.at + period.inSeconds > now ? $1.count : 0) }
  }

  /// The requests of other clients that share the budget: the difference between the site's count and ours.
  func foreignSpending(_ report: BudgetReport, at now: Double) -> Int {
    max(0, report.limit - report.remaining - spent(in: report.period, at: now))
  }
}

/// The rest of a window of a site's budget.
public struct RemainingBudget: Sendable, Equatable {
  public let site: String
  public let window: SiteBudget.Window
  public let remaining: Int
  /// When the next request is possible, where none is now.
  public let next: Double?
}
