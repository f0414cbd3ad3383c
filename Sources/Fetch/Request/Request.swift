import System

/// A request: what to fetch, what the cache may answer, and how long it may take.
///
///     var request = Request(try Address("https://ll.thespacedevs.com/2.3.0/launches/upcoming/"))
///     request.headers = [Header("Authorization", "Token \(key)")]
///     request.cache = CacheRule(maximumAge: .seconds(6 * 3600))
///
/// Its description redacts its secrets.
public struct Request: Sendable, CustomStringConvertible {
  public enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// The expected body of the response.
  public enum Expectation: Sendable {
    /// One JSON value; anything else is an error.
    case json
    /// Any bytes.
    case anything
  }

  /// The policy for a spent budget of the host.
  public enum WhenUnpaid: Sendable {
    case wait
    case fail
  }

  public var address: Address
  public var method = Method.get
  public var headers: [Header] = []
  public var body: [UInt8] = []
  /// Whether the request is idempotent; GET and HEAD always are.
  public var isRepeatable = false
  /// Whether it is never retried, because the caller can use its failure say.
  public var isTriedOnce = false
  /// Whether it repeats one of a poll that has failed: it is tried once, out of the first third of its host's budget.
  public var isRepetition = false
  public var expectation = Expectation.json
  /// Receives the body as it arrives, so that the response has none.
  ///
  /// Not for JSON or for a request with a cache rule.
  public var receiver: (any BodyReceiver)?
  public var limits = TransferLimits()
  /// The page to show in a browser; nil for a plain request.
  public var page: PageOrder?
  /// Nil bypasses the cache.
  public var cache: CacheRule?
  /// Whether the cache alone may answer, however old what it has.
  public var isFromCacheOnly = false
  /// Whether the response is stored by its `keep`, once the caller has found it good, and not at once.
  public var isKeptLater = false
  /// Whether to fetch even if the cache has a young entry; the response is stored.
  public var refresh = false
  public var whenUnpaid = WhenUnpaid.wait
  /// Whether it costs nothing of the host's budget, as a request for the budget itself.
  public var isFree = false
  /// More texts to redact, beside the secret headers and query items.
  public var secrets: [String] = []
  /// The hosts to which the headers may follow a redirect or a link, beside the request's own origin.
  public var allowedHosts: Set<String> = []
  /// The client's secrets that the request contains: redacted, and no part of the budget's key, since a value of the
  /// environment need not be an API key.
  var knownSecrets: [String] = []

  public init(_ address: Address) {
    self.address = address
  }

  public var description: String { masked("\(method.rawValue) \(address)") }

  /// A text without the secrets of this request.
  public func masked(_ text: String) -> String { redaction.masked(text) }

  /// The same request for a link of its response, to the next page say.
  ///
  /// Headers do not go to another origin, unless its host is allowed.
  public func following(_ link: String) throws(Sentence) -> Request {
    moved(to: try address.following(link))
  }

  func moved(to target: Address) -> Request {
    var copy = self
    copy.address = target
    let isAllowed =
      target.sharesOrigin(with: address)
      || allowedHosts.contains(target.host) && (target.scheme == .https || address.scheme == .http)
    // What the bodies are, and behind which event a stream goes on, is no secret.
    let kept = ["accept", "content-type", "cache-control", "last-event-id"]
    if !isAllowed { copy.headers.removeAll { $0.isSecret || !kept.contains($0.name.lowercased()) } }
    return copy
  }

  var canBeRepeated: Bool { isRepeatable || method == .get || method == .head }

  /// Whether a response of a part would be mistaken for the whole.
  var asksForWhole: Bool {
    (method == .get || expectation == .json) && !headers.contains { $0.name.lowercased() == "range" }
  }

  var redaction: Redaction { Redaction(secretTexts) }

  /// Whether a text, or a form of it, is anywhere in the request.
  func contains(_ secret: String) -> Bool {
    let forms = secretForms(secret)
    let texts =
      [address.text] + headers.map(\.value) + (body.isEmpty ? [] : [String(decoding: body, as: UTF8.self)])
      + (page?.values ?? [])
    return texts.contains { text in forms.contains { text.has($0) } }
  }

  /// All texts to redact.
  var secretTexts: [String] { keyTexts + knownSecrets }

  /// The secrets that are declared as such, which may be API keys.
  private var keyTexts: [String] {
    var all = secrets + address.query.filter(\.isSecret).compactMap(\.value)
    for header in headers where header.isSecret {
      all.append(header.value)
      // The key of `Token KEY` is a secret by itself.
      if let space = header.value.firstIndex(of: " ") {
        all.append(String(header.value[header.value.index(after: space)...]))
      }
    }
    return all
  }

  /// The key of its budget: the host, or the host with a hash of the API key, because each API key has its own limits.
  var budgetKey: String {
    let secrets = keyTexts
    if secrets.isEmpty { return address.site }
    let hash = SHA256.digest(Array(Set(secrets).sorted().joined(separator: "\n").utf8)).prefix(8)
    return "\(address.site)#\(hexDigits(of: hash))"
  }

  /// Why the request is invalid, as a sentence; nil if it is valid.
  var invalidReason: String? {
    if let reason = headers.lazy.compactMap(\.invalidReason).first { return reason }
    let mayHaveBody = method != .get && method != .head
    return body.isEmpty || mayHaveBody ? nil : "a \(method.rawValue) request has a body"
  }
}

/// The limits of a transfer: times and size.
public struct TransferLimits: Sendable, Equatable {
  /// For name resolution, connection and TLS.
  public var connect: Duration
  /// From then to the first byte of the response.
  public var firstByte: Duration
  /// Between two pieces of the response.
  public var stall: Duration
  public var whole: Duration
  /// The size of the body, decompressed.
  public var bodyBytes: Int
  /// The option that has set that size.
  public var bodyOption: String?
  /// Whether the response goes on: once its receiver has accepted it, it has no limit as a whole; it takes no place and
  /// no connection from other transfers.
  public var isEndless = false

  public init(
    connect: Duration = .seconds(15), firstByte: Duration = .seconds(60), stall: Duration = .seconds(30),
    whole: Duration = .seconds(300), bodyBytes: Int = 64 << 20
  ) {
    self.connect = connect
    self.firstByte = firstByte
    self.stall = stall
    self.whole = whole
    self.bodyBytes = bodyBytes
  }
}

/// How old a response from the cache may be.
public struct CacheRule: Sendable, Equatable {
  /// Up to this age the cache answers; older entries are revalidated.
  public var maximumAge: Duration
  /// Up to this age an entry may be served stale after an error.
  public var staleAge: Duration
  /// The request headers that the response depends on, beside the secret ones.
  public var variesBy: [String]
  /// The time before which entries are only revalidated, never served; in seconds since 1970.
  ///
  /// For a reader who may have seen newer responses elsewhere.
  public var since = -Double.infinity

  public init(maximumAge: Duration, staleAge: Duration = .seconds(30 * 86400), variesBy: [String] = []) {
    self.maximumAge = maximumAge
    self.staleAge = staleAge
    self.variesBy = variesBy
  }
}
