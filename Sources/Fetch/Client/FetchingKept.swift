import JSON
import Reactive
import Store

/// What a fetch reads from and writes to the file that all processes share.
///
/// Where that fails it says so and goes on, since an answer is worth more than its copy.
extension Fetching {
  /// How a request that was paid has ended.
  enum Outcome {
    case refund
    case asPaid
    case answered(Headers, block: Double?)
  }

  /// Writes down what is known of the budget now; that a request was made is written already.
  func settle(_ current: Request, _ outcome: Outcome) {
    let site = current.address.site
    let budget = client.budget(of: site)
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
          try file.settle(site, budget, paid: payment, block: block, report, now: now)
        }
      }
    } catch {
      notice(.cacheFailed("\(error)"))
    }
  }

  func lookUp() -> CachedAnswer? {
    do throws(StoreFailure) {
      let key = key
      guard var cached = try client.file.withLock({ file throws(StoreFailure) in try file.answer(key) }),
        let body = request.veil.revealed(cached.body)
      else { return nil }
      cached.body = body
      return cached
    } catch {
      notice(.cacheFailed("\(error)"))
      return nil
    }
  }

  func keep(_ answer: TransferAnswer) {
    guard rule != nil, let body = request.veil.hidden(answer.body) else { return }
    let entry = CachedAnswer(
      status: answer.status, checked: now, etag: answer.headers["etag"],
      lastModified: answer.headers["last-modified"], contentType: answer.headers["content-type"], body: body)
    let (key, url, limit) = (key, "\(request)", client.options.cacheBytes)
    do throws(StoreFailure) {
      try client.file.withLock { file throws(StoreFailure) in
        try file.keep(entry, key, url: url, limit: limit)
      }
    } catch {
      notice(.cacheFailed("\(error)"))
    }
  }

  func confirm(_ cached: CachedAnswer) {
    let (key, now) = (key, now)
    do throws(StoreFailure) {
      try client.file.withLock { file throws(StoreFailure) in try file.confirm(key, at: now) }
    } catch {
      notice(.cacheFailed("\(error)"))
    }
    var cached = cached
    cached.checked = now
    finish(cached, .revalidated)
  }

  /// Answers with what is in the cache.
  func finish(
    _ cached: CachedAnswer, _ freshness: Answer.Freshness, because error: FetchError? = nil
  ) {
    do throws(FetchError) {
      let isJSON = request.expectation == .json
      let value =
        isJSON
        ? try readJSON(cached.body, contentType: cached.contentType, status: cached.status, of: request)
        : .null
      let tries = state.withLock { $0.tries }
      end(
        .success(
          Answer(
            status: cached.status, headers: Headers(), value: value, bytes: isJSON ? [] : cached.body,
            freshness: freshness, age: cached.age(at: now), isFromCache: true, staleBecause: error,
            address: request.address, tries: tries)))
    } catch {
      end(.failure(error))
    }
  }
}
