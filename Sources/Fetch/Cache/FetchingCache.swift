import JSON
import Reactive
import Store

/// The cache in a fetch: look-up, storage and revalidation.
///
/// If the cache fails, the fetch sends a notice and continues without it.
extension Fetching {
  func lookUp() -> CacheEntry? {
    do throws(StoreError) {
      let key = key
      let cached = try client.file.withLock { file throws(StoreError) in try file.response(key) }
      return cached.flatMap { CacheEntry($0, request.redaction) }
    } catch {
      notice(.notStored("\(error)"))
      return nil
    }
  }

  func store(_ response: TransferResponse) {
    if rule == nil { return }
    let entry = CacheEntry(
      status: response.status, checked: now, headers: response.headers, body: response.body)
    guard let cached = entry.encoded(request.redaction) else { return }
    let (key, url, limit) = (key, "\(request)", client.options.cacheBytes)
    do throws(StoreError) {
      try client.file.withLock { file throws(StoreError) in
        try file.store(cached, key, url: url, limit: limit)
      }
    } catch {
      notice(.notStored("\(error)"))
    }
  }

  func revalidated(_ cached: CacheEntry) {
    let (key, now) = (key, now)
    do throws(StoreError) {
      try client.file.withLock { file throws(StoreError) in try file.revalidate(key, at: now) }
    } catch {
      notice(.notStored("\(error)"))
    }
    var cached = cached
    cached.checked = now
    finish(cached, .revalidated)
  }

  /// Ends the fetch with a cache entry.
  func finish(
    _ cached: CacheEntry, _ freshness: Response.Freshness, because error: FetchError? = nil
  ) {
    do throws(FetchError) {
      let isJSON = request.expectation == .json
      let value =
        isJSON
        ? try readJSON(
          cached.body, contentType: cached.headers["content-type"], status: cached.status, of: request,
          request.redaction)
        : .null
      let tries = state.withLock { $0.tries }
      end(
        .success(
          Response(
            status: cached.status, headers: cached.headers, value: value, bytes: isJSON ? [] : cached.body,
            freshness: freshness, age: cached.age(at: now), isFromCache: true, staleBecause: error,
            address: request.address, tries: tries)))
    } catch {
      end(.failure(error))
    }
  }
}
