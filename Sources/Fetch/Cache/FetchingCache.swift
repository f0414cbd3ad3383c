import JSON
import Reactive
import Store

/// What a fetch finds in the cache and leaves there.
///
/// Where that fails it says so and goes on, since an answer is worth more than its copy.
extension Fetching {
  func lookUp() -> KnownAnswer? {
    do throws(StoreFailure) {
      let key = key
      let cached = try client.file.withLock { file throws(StoreFailure) in try file.answer(key) }
      return cached.flatMap { KnownAnswer($0, request.veil) }
    } catch {
      notice(.notKept("\(error)"))
      return nil
    }
  }

  func keep(_ answer: TransferAnswer) {
    if rule == nil { return }
    let known = KnownAnswer(status: answer.status, checked: now, headers: answer.headers, body: answer.body)
    guard let cached = known.cached(request.veil) else { return }
    let (key, url, limit) = (key, "\(request)", client.options.cacheBytes)
    do throws(StoreFailure) {
      try client.file.withLock { file throws(StoreFailure) in
        try file.keep(cached, key, url: url, limit: limit)
      }
    } catch {
      notice(.notKept("\(error)"))
    }
  }

  func confirm(_ cached: KnownAnswer) {
    let (key, now) = (key, now)
    do throws(StoreFailure) {
      try client.file.withLock { file throws(StoreFailure) in try file.confirm(key, at: now) }
    } catch {
      notice(.notKept("\(error)"))
    }
    var cached = cached
    cached.checked = now
    finish(cached, .revalidated)
  }

  /// Answers with what is in the cache.
  func finish(
    _ cached: KnownAnswer, _ freshness: Answer.Freshness, because error: FetchError? = nil
  ) {
    do throws(FetchError) {
      let isJSON = request.expectation == .json
      let value =
        isJSON
        ? try readJSON(
          cached.body, contentType: cached.headers["content-type"], status: cached.status, of: request,
          request.veil)
        : .null
      let tries = state.withLock { $0.tries }
      end(
        .success(
          Answer(
            status: cached.status, headers: cached.headers, value: value, bytes: isJSON ? [] : cached.body,
            freshness: freshness, age: cached.age(at: now), isFromCache: true, staleBecause: error,
            address: request.address, tries: tries)))
    } catch {
      end(.failure(error))
    }
  }
}
