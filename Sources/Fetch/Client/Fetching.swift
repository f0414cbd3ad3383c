import System
import JSON
import Reactive

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
    var cached: KnownAnswer?
    var isRevalidating = false
    /// What has been told of the wait for the budget.
    var toldUntil: Double?
    var isOver = false
  }

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
    if subscription.isDisposed { return }
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

  /// The secrets of the request, and of where it was redirected to.
  func veil(_ current: Request) -> Veil { Veil(request.secretTexts + current.secretTexts) }

  private func attempt() {
    state.withLock { state in
      state.tries += 1
      state.hops = 0
      state.current = request
      state.paidSite = nil
    }
    pay()
  }

  // MARK: - Asking

  func send(_ current: Request) {
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
      limits: current.limits, receiver: current.receiver)
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
      let error = FetchError(failure.kind, request, excerpt(veil(current).masked(failure.message)))
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
      fail(FetchError(error.kind, request, veil(current).masked(error.message)))
    }
  }

  /// An answer with a status that is an error.
  private func refused(_ current: Request, _ answer: TransferAnswer) {
    let said = complaint(in: answer.body, contentType: answer.headers["content-type"], veil(current))
    let now = now
    var error = FetchError(
      .status(answer.status), request,
      "answered \(statusText(answer.status))\(said.map { ": \($0)" } ?? "")")
    error.complaint = said
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
        isJSON
        ? try readJSON(answer.body, contentType: type, status: answer.status, of: request, veil(current))
        : .null
      if answer.status == 200, hasBody { keep(answer) }
      let tries = state.withLock { $0.tries }
      end(
        .success(
          Answer(
            status: answer.status, headers: answer.headers, value: value, bytes: isJSON ? [] : answer.body,
            freshness: .fresh, age: 0, isFromCache: false, address: current.address, tries: tries)))
    } catch {
      fail(error)
    }
  }

  // MARK: - Failing

  private func fail(_ error: FetchError) {
    var error = error
    let (tries, waited) = state.withLock { ($0.tries, $0.waited) }
    error.tries = tries
    let policy = request.isTriedOnce ? RetryPolicy.none : client.options.retry
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

  func giveUp(_ error: FetchError) {
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

  func sleep(_ time: Duration, _ work: @escaping @Sendable () -> Void) {
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
