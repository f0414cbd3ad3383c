import Fetch
import JSON

extension BudgetReport {
  /// The response of `/api-throttle/` of Launch Library; nil for anything else.
  ///
  ///     {"your_request_limit": 15, "limit_frequency_secs": 3600, "current_use": 15, "next_use_secs": 1631}
  package init?(throttle value: Value) {
    // The service's own description declares a list.
    let value = value.items?.first ?? value
    func number(_ name: Key) -> Double? {
      value.kind == .object ? value.member(name)?.double.flatMap { $0.isFinite ? $0 : nil } : nil
    }
    guard let limit = number("your_request_limit"), let period = number("limit_frequency_secs"),
      let used = number("current_use"), limit >= 1, period >= 1, period < 1e8
    else { return nil }
    // It may be negative, which also means that none are left.
    let next = number("next_use_secs").map { Duration.seconds(min(abs($0), 1e8)) }
    self.init(
      limit: Int(min(limit, 1e9)), remaining: Int(max(-1e9, min(limit - used, 1e9))),
      period: .seconds(Int(period)),
      nextIn: next)
  }
}
