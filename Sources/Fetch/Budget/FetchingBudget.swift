import Reactive
import Store

/// The budget in a fetch: every request is paid from the budgets that all processes share.
extension Fetching {
  /// The longest wait between two looks at the wall clock, which may be set while the machine may sleep.
  private static let longestSleep = 60.0

  func pay() {
    let (current, paidBudget, isRetry) = state.withLock { ($0.current, $0.paidBudget, $0.tries > 1) }
    // A refresh sends one request at once; after another refusal the server's demand counts.
    let ignoresBlock = request.refresh && !isRetry
    let site = current.address.site
    let budgetKey = current.budgetKey
    if request.isFree || paidBudget == budgetKey { return send(current) }
    let budget = client.budget(of: site)
    let now = now
    do throws(StoreError) {
      // A retry leaves at least one request in the budget.
      let payment = try client.transact(budgetKey) { file throws(StoreError) in
        try file.pay(budgetKey, budget, reserve: isRetry ? 1 : 0, ignoringBlock: ignoresBlock, now: now)
      }
      switch payment {
      case .paid(let number):
        state.withLock { state in
          state.paidBudget = budgetKey
          state.payment = number
        }
        send(current)
      case .wait(let until, let isAsked): wait(for: site, until: until, isAsked: isAsked, isRetry)
      case .never: giveUp(unpaid(site, until: nil))
      }
    } catch {
      // A site without limits needs no budget.
      if budget.windows.isEmpty { return send(current) }
      giveUp(FetchError(.store, request, "the budget of \(site) cannot be kept: \(error)"))
    }
  }

  private func wait(for site: String, until: Double, isAsked: Bool, _ isRetry: Bool) {
    let left = until - now
    // Less than a second is a difference between clocks.
    if isRetry, left > 1 { return giveUp(unpaid(site, until: until)) }
    if !isRetry {
      if request.whenUnpaid == .fail { return giveUp(unpaid(site, until: until)) }
      // No stale response instead: a limit is there to report that there was no request.
      if isTooLong(until) { return end(.failure(unpaid(site, until: until))) }
      let isNew = state.withLock { state in
        defer { state.noticedUntil = until }
        return state.noticedUntil != until
      }
      if isNew {
        let wait = Duration(clamping: left)
        notice(
          isAsked
            ? .waitingAsAsked(site: site, until: until, wait: wait)
            : .waitingForBudget(site: site, until: until, wait: wait))
      }
    }
    // Rounded up, so as not to wake up just too early.
    sleep(Duration(clamping: min(left, Self.longestSleep)) + .milliseconds(1)) { [self] in pay() }
  }

  /// Whether the whole wait of this request for its budget would exceed the client's limit.
  private func isTooLong(_ until: Double) -> Bool {
    guard let longest = client.options.longestBudgetWait else { return false }
    let now = now
    let since = state.withLock { state in
      let since = state.unpaidSince ?? now
      state.unpaidSince = since
      return since
    }
    return until - since > longest.inSeconds
  }

  /// The error for a request that cannot be paid; for a retry the error that made it necessary.
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

  /// The end of a paid request, as its budget sees it.
  enum Outcome {
    case refund
    case asPaid
    case answered(Headers, block: Double?)
  }

  /// Updates the budget after a request; its payment is stored already.
  func settle(_ current: Request, _ outcome: Outcome) {
    let budgetKey = current.budgetKey
    let budget = client.budget(of: current.address.site)
    let now = now
    let payment = state.withLock { state in
      defer { state.payment = nil }
      return state.payment
    }
    do throws(StoreError) {
      try client.transact(budgetKey) { file throws(StoreError) in
        switch outcome {
        case .refund: if let payment { try file.refund(payment) }
        case .asPaid: if let payment { try file.settle(payment, now: now) }
        case .answered(let headers, let block):
          let report = budget.learnedPeriod.flatMap { BudgetReport(headers, period: $0) }
          try file.settle(budgetKey, budget, paid: payment, block: block, report, now: now)
        }
      }
    } catch {
      notice(.notStored("\(error)"))
    }
  }
}
