/// Why there is no answer, as a sentence that says what was asked of whom, what came, and what to do; no secret in it.
public struct FetchError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Kind: Sendable, Equatable {
    /// The request itself is wrong; nothing was sent.
    case request
    /// The host cannot be found or does not take a connection.
    case unreachable
    /// The encryption failed: the certificate is not one for that host, or nobody vouches for it.
    case encryption
    case timeout(TransferPhase)
    /// The connection broke before the answer was whole.
    case interrupted
    /// There is more of it than the request allows.
    case tooLarge
    /// It leads somewhere that is not followed.
    case redirect
    /// The server answered with an error, or with a status that makes no sense here.
    case status(Int)
    /// The answer is no JSON.
    case notJSON
    /// The answer is the beginning of JSON.
    case truncated
    /// The host's budget has nothing left for it.
    case budget
    /// The one who asked wants it no more.
    case cancelled
    /// What processes share (budgets) cannot be read or written.
    case store
    /// Something that libcurl or the machine could not do.
    case failed
  }

  public var kind: Kind
  /// What was asked, secrets masked: `GET https://example.org/items`.
  public var request: String
  /// What was wrong: `answered 404 Not Found: No data available for date: 2026-09-11`.
  public var message: String
  /// What the answer's body says of the error, in a line, secrets masked.
  public var complaint: String?
  /// When it may be worth asking again, in seconds since 1970, where that is known.
  public var retryAt: Double?
  /// How long the server asked to be left alone.
  var requestedWait: Duration?
  /// How often it was tried.
  public var tries = 1

  init(_ kind: Kind, _ request: Request, _ message: String) {
    self.kind = kind
    self.request = "\(request)"
    self.message = request.veil.masked(message)
  }

  public var description: String {
    "\(request): \(message)\(tries > 1 ? " (tried \(tries) times)" : "")"
  }

  /// The status that the server answered with.
  public var status: Int? { if case .status(let status) = kind { status } else { nil } }

  /// Whether the same request may succeed a while later.
  public var mayPass: Bool {
    switch kind {
    case .unreachable, .timeout, .interrupted, .truncated: true
    case .status(let status): [429, 500, 502, 503, 504].contains(status)
    case .request, .encryption, .tooLarge, .redirect, .notJSON, .budget, .cancelled, .store, .failed: false
    }
  }

  /// Whether the server has certainly done nothing about the request, so that even a POST may be sent again.
  var wasNotActedOn: Bool { kind == .unreachable || kind == .timeout(.connect) || status == 429 }

  /// Whether an older answer may stand in: the server is in trouble, and has not said that the answer is another now.
  var maySettleForStale: Bool {
    switch kind {
    case .notJSON, .budget, .failed, .store, .tooLarge: true
    case .status(let status): status == 429 || status >= 500
    default: mayPass
    }
  }
}

/// Where in a transfer time ran out.
public enum TransferPhase: String, Sendable, Equatable {
  case connect, firstByte, stall, whole
}
