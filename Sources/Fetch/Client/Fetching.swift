import JSON
import Reactive
import Store

/// The course of one fetch: the cache, then tries, each paid for, until there is an answer or no sense in another try.
///
/// Everything happens on the client's scheduler.
final class Fetching: Sendable {
  struct State: Sendable {
    /// What is asked now: the request, or where it was redirected to.
    var current: Request
    var tries = 0
    var hops = 0
    /// How long the waits between tries were.
    var waited = Duration.zero
    /// What is waited for: a timer or a transfer.
    var pending: Subscription?
    /// The site that has been paid in this try, and the number of that spending.
    var paidSite: String?
    var payment: Int64?
    /// The failure that the present try is to make good.
    var failure: FetchError?
    var cached: CachedAnswer?
    var isRevalidating = false
    /// What has been told of the wait for the budget.
    var toldUntil: Double?
    var isOver = false
  }

  /// A wait is taken up again after this time, since the clock on the wall may have been set or the machine asleep.
  private static let longestSleep = 60.0

  let request: Request
  let client: Client
  let subscription = Subscription()
  let state: Locked<State>
  let rule: CacheRule?
  let key: [UInt8]
  let notice: @Sendable (FetchNotice) -> Void
  private let completion: @Sendable (Result<Answer, FetchError>) -> Void

  init(
    _ request: Request, of client: Client, _ notice: @escaping @Sendable (FetchNotice) -> Void,
    _ completion: @escaping @Sendable (Result<Answer, FetchError>) -> Void
  ) {
    self.request = request
    self.client = client
    self.notice = notice
    self.completion = completion
    rule = CachePolicy.applies(to: request)
    key = rule.map { CachePolicy.key(of: request, $0) } ?? []
    state = Locked(State(current: request))
  }

  var now: Double { client.wallClock() }

  func begin() {
    subscription.onDispose { [self] in
      let pending = state.withLock { state in
        state.isOver = true
        return state.pending
      }
      pending?.dispose()
    }
    if let flaw = request.flaw { return end(.failure(FetchError(.request, request, flaw))) }
    if let rule {
      let cached = lookUp()
      state.withLock { $0.cached = cached }
      switch CachePolicy.decide(cached, rule, refresh: request.refresh, at: now) {
      case .use: if let cached { return finish(cached, .fresh) }
      case .revalidate: state.withLock { $0.isRevalidating = true }
      case .fetch: break
      }
    }
    attempt()
  }

  private func attempt() {
    state.withLock { state in
      state.tries += 1
      state.hops = 0
      state.current = request
      state.paidSite = nil
    }
    pay()
  }

  // MARK: - Paying

  private func pay() {
    let (current, paidSite, isRetry) = state.withLock { ($0.current, $0.paidSite, $0.tries > 1) }
    let site = current.address.site
    if request.isFree || paidSite == site { return send(current) }
    let budget = client.budget(of: site)
    let now = now
    do throws(StoreFailure) {
      // The last call is not for a second try.
      let payment = try client.file.withLock { file throws(StoreFailure) in
        try file.pay(site, budget, reserve: isRetry ? 1 : 0, now: now)
      }
      switch payment {
      case .paid(let number):
        state.withLock { state in
          state.paidSite = site
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

  // MARK: - Asking

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
      limits: current.limits)
    let transfer = client.transport.start(order) { [self] result in
      client.scheduler.perform { [self] in receive(result) }
    }
    hold(transfer)
  }

  private func receive(_ result: Result<TransferAnswer, TransferFailure>) {
    let (current, isOver) = state.withLock { ($0.current, $0.isOver) }
    if isOver { return }
    switch result {
    case .failure(let failure):
      let error = FetchError(failure.kind, request, current.veil.masked(excerpt(failure.message)))
      settle(current, error.wasNotActedOn ? .refund : .asPaid)
      fail(error)
    case .success(let answer):
      if answer.status == 304, let cached = state.withLock({ $0.isRevalidating ? $0.cached : nil }) {
        settle(current, .answered(answer.headers, block: nil))
        return confirm(cached)
      }
      if Redirects.isRedirect(answer.status) {
        settle(current, .answered(answer.headers, block: nil))
        return redirect(current, answer)
      }
      guard (200..<300).contains(answer.status) else { return refused(current, answer) }
      settle(current, .answered(answer.headers, block: nil))
      accept(current, answer)
    }
  }

  private func redirect(_ current: Request, _ answer: TransferAnswer) {
    do throws(FetchError) {
      let hops = state.withLock { $0.hops }
      let next = try Redirects.next(
        of: current, answer.status, location: answer.headers["location"], hops: hops)
      state.withLock { state in
        state.hops += 1
        state.current = next
      }
      pay()
    } catch {
      fail(FetchError(error.kind, request, current.veil.masked(error.message)))
    }
  }

  /// An answer with a status that is an error.
  private func refused(_ current: Request, _ answer: TransferAnswer) {
    let said = complaint(in: answer.body, contentType: answer.headers["content-type"]).map(
      current.veil.masked)
    let now = now
    var error = FetchError(
      .status(answer.status), request,
      "answered \(statusText(answer.status))\(said.map { ": \($0)" } ?? "")")
    error.complaint = said.map(request.veil.masked)
    if answer.status == 429 || answer.status == 503 {
      error.requestedWait = requestedWait(answer.headers, complaint: said, now: now)
      error.retryAt = error.requestedWait.map { now + $0.inSeconds }
    }
    settle(current, .answered(answer.headers, block: error.retryAt))
    fail(error)
  }

  private func accept(_ current: Request, _ answer: TransferAnswer) {
    let hasBody = request.method != .head && answer.status != 204 && answer.status != 205
    do throws(FetchError) {
      let isJSON = request.expectation == .json && hasBody
      let type = answer.headers["content-type"]
      let value =
        isJSON ? try readJSON(answer.body, contentType: type, status: answer.status, of: request) : .null
      if answer.status == 200, hasBody { keep(answer) }
      let tries = state.withLock { $0.tries }
      end(
        .success(
          Answer(
            status: answer.status, headers: answer.headers, value: value, bytes: isJSON ? [] : answer.body,
            freshness: .fresh, age: 0, isFromCache: false, address: current.address, tries: tries)))
    } catch {
      var error = error
      error.message = current.veil.masked(error.message)
      error.complaint = error.complaint.map(current.veil.masked)
      fail(error)
    }
  }

  // MARK: - Failing

  private func fail(_ error: FetchError) {
    var error = error
    let (tries, waited) = state.withLock { ($0.tries, $0.waited) }
    error.tries = tries
    let wait = client.options.retry.wait(
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
      CachePolicy.mayStandIn(cached, rule, for: error, at: now)
    {
      return finish(cached, .stale, because: error)
    }
    end(.failure(error))
  }

  func end(_ result: Result<Answer, FetchError>) {
    let wasOver = state.withLock { state in
      defer { (state.isOver, state.pending) = (true, nil) }
      return state.isOver
    }
    if wasOver { return }
    // Lets go of what it holds, which is itself.
    subscription.dispose()
    completion(result)
  }

  // MARK: - Waiting

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
