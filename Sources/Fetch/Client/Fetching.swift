import System
import JSON
import Reactive
import Store

/// One fetch as a state machine: look-up in the cache, then attempts, each paid from the budget, until there is a
/// response or a retry is useless.
///
/// Everything runs on the client's scheduler. It is no `Observable` chain because `retry(_:on:)` can neither give up by
/// the kind of an error nor report the wait that it chose, which the notices and the limit of all waits need. The budget,
/// redirects and stale responses share the state of an attempt, so a chain would capture the same variables and add
/// a layer around them.
final class Fetching: Sendable {
  private struct State: Sendable {
    /// The request, or the one that a redirect led to.
    var current: Request
    var tries = 0
    var hops = 0
    /// The sum of the waits between attempts.
    var waited = Duration.zero
    /// The pending timer or transfer.
    var pending: Subscription?
    /// The budget that has paid for this attempt, and the number of that spending.
    var paidBudget: String?
    var payment: Int64?
    /// The error of the last attempt.
    var failure: FetchError?
    var cached: CacheEntry?
    var isRevalidating = false
    /// The time at which the wait for the budget began.
    var unpaidSince: Double?
    /// The end of the wait for the budget in the last notice.
    var noticedUntil: Double?
    var isOver = false
  }

  private let request: Request
  private let client: Client
  let subscription = Subscription()
  private let state: Locked<State>
  private let rule: CacheRule?
  private let key: [UInt8]
  private let notice: @Sendable (FetchNotice) -> Void
  private let completion: @Sendable (Result<Response, FetchError>) -> Void

  init(
    _ request: Request, of client: Client, _ notice: @escaping @Sendable (FetchNotice) -> Void,
    _ completion: @escaping @Sendable (Result<Response, FetchError>) -> Void
  ) {
    self.request = request
    self.client = client
    self.notice = notice
    self.completion = completion
    rule = CachePolicy.applies(to: request)
    key = rule.map { CachePolicy.key(of: request, $0) } ?? []
    state = Locked(State(current: request))
  }

  private var now: Double { client.wallClock() }

  func begin() {
    if subscription.isDisposed { return }
    subscription.onDispose { [self] in
      let pending = state.withLock { state in
        state.isOver = true
        return state.pending
      }
      pending?.dispose()
    }
    if let reason = request.invalidReason { return end(.failure(FetchError(.request, request, reason))) }
    if let rule {
      let cached = stored { () throws(StoreError) in try client.cached(request, key) } ?? nil
      state.withLock { $0.cached = cached }
      if request.isFromCacheOnly {
        guard let cached, cached.checked >= rule.since else {
          return end(.failure(FetchError(.failed, request, "there is no earlier answer")))
        }
        return finish(cached, .stale)
      }
      switch CachePolicy.decide(cached, rule, refresh: request.refresh, at: now) {
      case .use: if let cached { return finish(cached, .fresh) }
      case .revalidate: state.withLock { $0.isRevalidating = true }
      case .fetch: break
      }
    }
    attempt()
  }

  /// The redaction for a request and the one that a redirect led to.
  private func redaction(_ current: Request) -> Redaction {
    Redaction(request.secretTexts + current.secretTexts)
  }

  private func attempt() {
    state.withLock { state in
      state.tries += 1
      state.hops = 0
      state.current = request
      state.paidBudget = nil
    }
    pay()
  }

  // MARK: - Budget

  /// The longest wait between two looks at the wall clock, which may be set while the machine may sleep.
  private static let longestSleep = 60.0

  private func pay() {
    let (current, paidBudget, isRetry) = state.withLock { ($0.current, $0.paidBudget, $0.tries > 1) }
    let site = current.address.site
    if request.isFree || paidBudget == current.budgetKey { return send(current) }
    do throws(StoreError) {
      // A refresh sends one request at once; after another refusal the server's demand counts.
      switch try client.pay(current, isRetry: isRetry, ignoringBlock: request.refresh && !isRetry) {
      case .paid(let number):
        state.withLock { ($0.paidBudget, $0.payment) = (current.budgetKey, number) }
        send(current)
      case .wait(let until, let isAsked): wait(for: site, until: until, isAsked: isAsked, isRetry)
      case .never: giveUp(unpaid(site, until: request.isRepetition ? .infinity : nil))
      }
    } catch {
      // A site without limits needs no budget.
      if client.budget(of: site).windows.isEmpty { return send(current) }
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

  /// Updates the budget after a request; its payment is stored already.
  private func settle(_ current: Request, _ outcome: Client.Outcome) {
    let payment = state.withLock { $0.payment.take() }
    stored { () throws(StoreError) in try client.settle(current, payment, outcome) }
  }

  // MARK: - Cache

  /// Uses the cache or the budget; where that fails, sends a notice, and the fetch goes on without.
  @discardableResult
  private func stored<Output>(_ body: () throws(StoreError) -> Output) -> Output? {
    do throws(StoreError) { return try body() } catch {
      notice(.notStored("\(error)"))
      return nil
    }
  }

  private func revalidated(_ cached: CacheEntry) {
    let now = now
    stored { () throws(StoreError) in try client.revalidate(key, at: now) }
    var cached = cached
    cached.checked = now
    finish(cached, .revalidated)
  }

  /// Ends the fetch with a cache entry.
  private func finish(
    _ cached: CacheEntry, _ freshness: Response.Freshness, because error: FetchError? = nil
  ) {
    do throws(FetchError) {
      end(
        .success(
          try cached.response(
            to: request, freshness, at: now, because: error, tries: state.withLock { $0.tries })))
    } catch {
      end(.failure(error))
    }
  }

  // MARK: - Transfer

  private func send(_ current: Request) {
    let conditions = state.withLock { state in
      state.isRevalidating ? state.cached.map(CachePolicy.conditions) ?? [] : []
    }
    let names = Set(current.headers.map { $0.name.lowercased() })
    var headers = current.headers + conditions
    if request.expectation == .json, !names.contains("accept") {
      headers.append(Header("Accept", "application/json"))
    }
    if request.refresh { headers.append(Header("Cache-Control", "no-cache")) }
    let order = TransferOrder(
      method: current.method, address: current.address, headers: headers, body: current.body,
      limits: current.limits, receiver: current.receiver, page: current.page)
    let transfer = client.transport.start(order) { [self] result in
      client.scheduler.perform { [self] in receive(result) }
    }
    hold(transfer)
  }

  private func receive(_ result: Result<TransferResponse, TransferError>) {
    let (current, isOver) = state.withLock { ($0.current, $0.isOver) }
    if isOver { return }
    switch result {
    case .failure(let failure):
      let error = FetchError(failure.kind, request, excerpt(redaction(current).masked(failure.message)))
      settle(current, error.wasNotProcessed ? .refund : .asPaid)
      fail(error)
    case .success(let response):
      if response.status == 304, let cached = state.withLock({ $0.isRevalidating ? $0.cached : nil }) {
        settle(current, .answered(response.headers, block: nil))
        return revalidated(cached)
      }
      if Redirects.isRedirect(response.status) {
        settle(current, .answered(response.headers, block: nil))
        return redirect(current, response)
      }
      guard (200..<300).contains(response.status) else { return reject(current, response) }
      settle(current, .answered(response.headers, block: nil))
      if response.status == 206, current.asksForWhole {
        let words = "answered \(statusText(206)), only a part of what was requested"
        return fail(FetchError(.status(206), request, words))
      }
      accept(current, response)
    }
  }

  private func redirect(_ current: Request, _ response: TransferResponse) {
    do throws(FetchError) {
      let hops = state.withLock { $0.hops }
      let next = try Redirects.next(
        of: current, response.status, location: response.headers["location"], hops: hops)
      state.withLock { state in
        state.hops += 1
        state.current = next
      }
      pay()
    } catch {
      fail(FetchError(error.kind, request, redaction(current).masked(error.message)))
    }
  }

  /// Handles a response with an error status.
  private func reject(_ current: Request, _ response: TransferResponse) {
    let message = errorMessage(
      in: response.body, contentType: response.headers["content-type"], redaction(current))
    let now = now
    var error = FetchError(
      .status(response.status), request,
      "answered \(statusText(response.status))\(message.map { ": \($0)" } ?? "")")
    error.serverMessage = message
    if response.body.count <= 1 << 16 { error.serverValue = try? Value.parse(response.body) }
    if response.status == 429 || response.status == 503 {
      error.requestedWait = requestedWait(response.headers, serverMessage: message, now: now)
      error.retryAt = error.requestedWait.map { now + $0.inSeconds }
    }
    settle(current, .answered(response.headers, block: error.retryAt))
    fail(error)
  }

  private func accept(_ current: Request, _ response: TransferResponse) {
    let hasBody = request.method != .head && response.status != 204 && response.status != 205
    do throws(FetchError) {
      let isJSON = request.expectation == .json && hasBody
      let type = response.headers["content-type"]
      let value =
        isJSON
        ? try readJSON(
          response.body, contentType: type, status: response.status, of: request, redaction(current))
        : .null
      var answer = Response(
        status: response.status, headers: response.headers, value: value, bytes: isJSON ? [] : response.body,
        freshness: .fresh, age: 0, isFromCache: false,
        address: response.address ?? current.address,
        tries: state.withLock { $0.tries })
      (answer.remark, answer.picture) = (response.remark, response.picture)
      if response.status == 200, hasBody, rule != nil {
        let now = now
        let keep: @Sendable () -> Void = { [self] in
          stored { () throws(StoreError) in try client.store(response, to: request, key, at: now) }
        }
        if request.isKeptLater { answer.keep = keep } else { keep() }
      }
      end(.success(answer))
    } catch {
      fail(error)
    }
  }

  // MARK: - Retries

  private func fail(_ error: FetchError) {
    var error = error
    let (tries, waited) = state.withLock { ($0.tries, $0.waited) }
    error.tries = tries
    let policy = request.isTriedOnce || request.isRepetition ? RetryPolicy.none : client.options.retry
    let wait = policy.wait(
      after: error, tries: tries, waited: waited, canBeRepeated: request.canBeRepeated)
    guard let wait else { return giveUp(error) }
    let failure = error
    state.withLock { state in
      state.failure = failure
      state.waited += wait
    }
    notice(.retrying(error, wait: wait))
    sleep(wait) { [self] in attempt() }
  }

  private func giveUp(_ error: FetchError) {
    if let rule, let cached = state.withLock({ $0.cached }),
      CachePolicy.mayServeStale(cached, rule, for: error, at: now)
    {
      return finish(cached, .stale, because: error)
    }
    end(.failure(error))
  }

  private func end(_ result: Result<Response, FetchError>) {
    let wasOver = state.withLock { state in
      defer { (state.isOver, state.pending) = (true, nil) }
      return state.isOver
    }
    if wasOver { return }
    // Breaks the reference cycle through the subscription's closure.
    subscription.dispose()
    completion(result)
  }

  // MARK: - Waits

  private func sleep(_ time: Duration, _ work: @escaping @Sendable () -> Void) {
    hold(client.scheduler.schedule(after: time, work))
  }

  private func hold(_ pending: Subscription) {
    let isOver = state.withLock { state in
      state.pending = pending
      return state.isOver
    }
    if isOver { pending.dispose() }
  }
}

extension Client {
  /// Starts a fetch; `completion` is called once on the client's scheduler, unless the result is disposed before.
  ///
  /// `notice` is called there with the reason for each wait.
  @discardableResult
  public func start(
    _ request: Request, notice: @escaping @Sendable (FetchNotice) -> Void = { _ in },
    completion: @escaping @Sendable (Result<Response, FetchError>) -> Void
  ) -> Subscription {
    var request = request
    request.knownSecrets = options.secrets.filter { request.contains($0) }
    called.withLock { _ = $0.insert(request.address.site) }
    let fetching = Fetching(request, of: self, notice, completion)
    scheduler.perform { fetching.begin() }
    return fetching.subscription
  }
}
