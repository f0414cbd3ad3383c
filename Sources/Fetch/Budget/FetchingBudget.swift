import Reactive
import Store

/// How a fetch pays for its requests out of the budgets that all processes share.
extension Fetching {
  /// A wait is taken up again after this time, since the clock on the wall may have been set or the machine asleep.
  private static let longestSleep = 60.0

  func pay() {
    let (current, paidSite, isRetry) = state.withLock { ($0.current, $0.paidSite, $0.tries > 1) }
    let site = current.address.site
    let payer = current.payer
    if request.isFree || paidSite == payer { return send(current) }
    let budget = client.budget(of: site)
    let now = now
    do throws(StoreFailure) {
      // The last call is not for a second try.
      let payment = try client.file.withLock { file throws(StoreFailure) in
        try file.pay(payer, budget, reserve: isRetry ? 1 : 0, now: now)
      }
      switch payment {
      case .paid(let number):
        state.withLock { state in
          state.paidSite = payer
          state.payment = number
        }
        send(current)
      case .wait(let until): wait(for: site, until: until, isRetry)
      case .never: giveUp(unpaid(site, until: nil))
      }
    } catch {
      // Without limits there is nothing to exceed.
      if budget.windows.isEmpty { return send(current) }
      giveUp(FetchError(.store, request, "the budget of \(site) cannot be kept: \(error)"))
    }
  }

  private func wait(for site: String, until: Double, _ isRetry: Bool) {
    let left = until - now
    // Less than that is a matter of clocks that do not run alike.
    if isRetry, left > 1 { return giveUp(unpaid(site, until: until)) }
    if !isRetry {
      if request.whenUnpaid == .fail { return giveUp(unpaid(site, until: until)) }
      let isNews = state.withLock { state in
        defer { state.toldUntil = until }
        return state.toldUntil != until
      }
      if isNews {
        notice(.waitingForBudget(site: site, until: until, wait: Duration(clamping: left)))
      }
    }
    // Rounded up, so that it is not asked a moment too early.
    sleep(Duration(clamping: min(left, Self.longestSleep)) + .milliseconds(1)) { [self] in pay() }
  }

  /// The failure that is to be told where a request cannot be paid: for a second try, why it was needed.
  private func unpaid(_ site: String, until: Double?) -> FetchError {
    var error =
      state.withLock { $0.failure }
      ?? FetchError(
        .budget, request,
        until.map { "the budget of \(site) is spent; next call in \(spoken(Duration(clamping: $0 - now)))" }
          ?? "the budget of \(site) allows no call at all")
    error.retryAt = until ?? error.retryAt
    return error
  }

  /// How a request that was paid has ended.
  enum Outcome {
    case refund
    case asPaid
    case answered(Headers, block: Double?)
  }

  /// Writes down what is known of the budget now; that a request was made is written already.
  func settle(_ current: Request, _ outcome: Outcome) {
    let payer = current.payer
    let budget = client.budget(of: current.address.site)
    let now = now
    let payment = state.withLock { state in
      defer { state.payment = nil }
      return state.payment
    }
    do throws(StoreFailure) {
      try client.file.withLock { file throws(StoreFailure) in
        switch outcome {
        case .refund: if let payment { try file.refund(payment) }
        case .asPaid: if let payment { try file.settle(payment, now: now) }
        case .answered(let headers, let block):
          let report = budget.learnedPeriod.flatMap { BudgetReport(headers, period: $0) }
          try file.settle(payer, budget, paid: payment, block: block, report, now: now)
        }
      }
    } catch {
      notice(.notKept("\(error)"))
    }
  }
}
