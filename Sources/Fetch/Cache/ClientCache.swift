import JSON
import Reactive
import Store

/// The cache of a client: its entries in the file, and the responses that are made of them.
extension Client {
  func cached(_ request: Request, _ key: [UInt8]) throws(StoreError) -> CacheEntry? {
    let cached = try file.withLock { file throws(StoreError) in try file.response(key) }
    return cached.flatMap { CacheEntry($0, request.redaction) }
  }

  func store(
    _ response: TransferResponse, to request: Request, _ key: [UInt8], at now: Double
  ) throws(StoreError) {
    let entry = CacheEntry(
      status: response.status, checked: now, headers: response.headers, body: response.body)
    guard let cached = entry.encoded(request.redaction) else { return }
    let (url, limit) = ("\(request)", options.cacheBytes)
    try file.withLock { file throws(StoreError) in
      try file.store(cached, key, url: url, limit: limit)
    }
  }

  func revalidate(_ key: [UInt8], at now: Double) throws(StoreError) {
    try file.withLock { file throws(StoreError) in try file.revalidate(key, at: now) }
  }
}

extension CacheEntry {
  /// The response that a request has of it.
  func response(
    to request: Request, _ freshness: Response.Freshness, at now: Double, because error: FetchError?,
    tries: Int
  ) throws(FetchError) -> Response {
    let isJSON = request.expectation == .json
    let value =
      isJSON
      ? try readJSON(
        body, contentType: headers["content-type"], status: status, of: request, request.redaction)
      : .null
    return Response(
      status: status, headers: headers, value: value, bytes: isJSON ? [] : body, freshness: freshness,
      age: age(at: now), isFromCache: true, staleBecause: error, address: request.address, tries: tries)
  }
}
