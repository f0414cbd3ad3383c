/// One thing to be fetched: what is asked of whom, what may be answered from memory, and how long it may take.
///
///     var request = Request(try Address("https://ll.thespacedevs.com/2.3.0/launches/upcoming/"))
///     request.headers = [Header("Authorization", "Token \(key)")]
///     request.cache = CacheRule(maximumAge: .seconds(6 * 3600))
///
/// It knows which of its parts are secret, and shows itself without them.
public struct Request: Sendable, CustomStringConvertible {
  public enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// What the answer's body is to be.
  public enum Expectation: Sendable {
    /// One JSON value; all else is an error.
    case json
    /// Any bytes.
    case anything
  }

  /// What becomes of a request that the budget of its host cannot pay.
  public enum WhenUnpaid: Sendable {
    case wait
    case fail
  }

  public var address: Address
  public var method = Method.get
  public var headers: [Header] = []
  public var body: [UInt8] = []
  /// Whether asking twice does no more than asking once; GET and HEAD are so anyway.
  public var isRepeatable = false
  /// Whether it is tried once only, as where its failure is an answer too.
  public var isTriedOnce = false
  public var expectation = Expectation.json
  /// Takes the body as it comes, so that the answer has none.
  ///
  /// Not for answers that are JSON or are kept.
  public var receiver: (any BodyReceiver)?
  public var limits = TransferLimits()
  /// Nil keeps nothing and looks nothing up.
  public var cache: CacheRule?
  /// Whether it is asked for anew, whatever the cache has; what comes is kept.
  public var refresh = false
  public var whenUnpaid = WhenUnpaid.wait
  /// Whether it costs nothing of the host's budget, as a question after the budget itself.
  public var isFree = false
  /// More texts that nothing may show, beside the secret headers and query items.
  public var secrets: [String] = []

  public init(_ address: Address) {
    self.address = address
  }

  public var description: String { masked("\(method.rawValue) \(address)") }

  /// A text without the secrets of this request.
  public func masked(_ text: String) -> String { veil.masked(text) }

  /// The same request for a link of its answer, as to the next page.
  ///
  /// To another host go no secret headers.
  public func following(_ link: String) throws(AddressFlaw) -> Request {
    moved(to: try address.following(link))
  }

  func moved(to target: Address) -> Request {
    var copy = self
    copy.address = target
    if !target.sharesOrigin(with: address) { copy.headers.removeAll(where: \.isSecret) }
    return copy
  }

  var canBeRepeated: Bool { isRepeatable || method == .get || method == .head }

  var veil: Veil { Veil(secretTexts) }

  /// All that nothing may show.
  var secretTexts: [String] {
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

  /// Whose budget pays for it: the host's, or that of a key with the host, since a key has limits of its own.
  ///
  /// Of the key there is a hash only, from which it cannot be had.
  var payer: String {
    let secrets = secretTexts
    if secrets.isEmpty { return address.site }
    let hash = SHA256.digest(Array(Set(secrets).sorted().joined(separator: "\n").utf8)).prefix(8)
    let digits = hash.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    return "\(address.site)#\(digits.joined())"
  }

  /// What is wrong with it before anything is sent, as a sentence.
  var flaw: String? {
    if let flaw = headers.lazy.compactMap(\.flaw).first { return flaw }
    let mayHaveBody = method != .get && method != .head
    return body.isEmpty || mayHaveBody ? nil : "a \(method.rawValue) request has a body"
  }
}

/// How long a transfer may take, and how much may come.
public struct TransferLimits: Sendable, Equatable {
  /// To find the host, connect and agree on encryption.
  public var connect: Duration
  /// From there to the first byte of the answer.
  public var firstByte: Duration
  /// Between two pieces of the answer.
  public var stall: Duration
  public var whole: Duration
  /// Of the body, unpacked.
  public var bodyBytes: Int

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

/// How old an answer from the cache may be.
public struct CacheRule: Sendable, Equatable {
  /// Up to this age nothing is asked; past it, whether it has changed.
  public var maximumAge: Duration
  /// Up to this age it stands in for an answer that cannot be had.
  public var staleAge: Duration
  /// The names of the request's headers that the answer depends on, beside those that are secret.
  public var variesBy: [String]

  public init(maximumAge: Duration, staleAge: Duration = .seconds(30 * 86400), variesBy: [String] = []) {
    self.maximumAge = maximumAge
    self.staleAge = staleAge
    self.variesBy = variesBy
  }
}
