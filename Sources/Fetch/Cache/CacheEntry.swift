import Store

/// An answer that the cache has.
struct KnownAnswer: Sendable, Equatable {
  var status = 200
  /// When it was last known to be so, in seconds since 1970.
  var checked: Double
  var headers = Headers()
  var body: [UInt8] = []

  var hasValidator: Bool { headers["etag"] != nil || headers["last-modified"] != nil }

  /// An answer from the future, of a clock that was set back, is as old as can be.
  func age(at now: Double) -> Double { checked > now + 5 ? .infinity : max(0, now - checked) }
}

/// As it is kept: without the secrets of the request that it answers.
extension KnownAnswer {
  /// Nil where the veil is not the one it was kept under.
  init?(_ cached: CachedAnswer, _ veil: Veil) {
    guard let head = veil.revealed(cached.headers), let body = veil.revealed(cached.body) else { return nil }
    self.init(status: cached.status, checked: cached.checked, body: body)
    for line in head.split(separator: 0x0a) {
      let parts = line.split(separator: 0x3a, maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      headers.add(String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
    }
  }

  /// Nil where what is secret in it could not be found again.
  func cached(_ veil: Veil) -> CachedAnswer? {
    let lines = headers.fields.filter { $0.name != "set-cookie" }.map { "\($0.name):\($0.value)\n" }
    guard let head = veil.hidden(Array(lines.joined().utf8)), let body = veil.hidden(body) else { return nil }
    return CachedAnswer(status: status, checked: checked, headers: head, body: body)
  }
}
