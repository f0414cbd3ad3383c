import JSON

/// An error of a fetch: a sentence with the request, what came and what to do, without secrets.
public struct FetchError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Kind: Sendable, Equatable {
    /// The request is invalid; nothing was sent.
    case request
    /// The host cannot be found or refuses the connection.
    case unreachable
    /// TLS failed: the certificate is for another host, or not trusted.
    case encryption
    case timeout(TransferPhase)
    /// The connection broke before the response was complete.
    case interrupted
    /// The response is larger than the request allows.
    case tooLarge
    /// A redirect that is not followed.
    case redirect
    /// The server answered with an error status, or with one that is unexpected here.
    case status(Int)
    /// The body is not JSON.
    case notJSON
    /// The body is JSON that ends early.
    case truncated
    /// The budget of the host is spent.
    case budget
    /// The caller cancelled the fetch.
    case cancelled
    /// The budgets cannot be read or written.
    case store
    /// Another failure of libcurl or the system.
    case failed
  }

  public var kind: Kind
  /// The request, redacted: `GET https://example.org/items`.
  public var request: String
  /// The message: `answered 404 Not Found: No data available for date: 2026-09-11`.
  public var message: String
  /// The message in the response's body, as one redacted line.
  public var serverMessage: String?
  /// The response's body, where it is a small JSON value; not redacted.
  public var serverValue: Value?
  /// The earliest useful time for another request, in seconds since 1970, if known.
  public var retryAt: Double?
  /// The wait that the server asked for.
  var requestedWait: Duration?
  /// The number of attempts.
  public var tries = 1

  init(_ kind: Kind, _ request: Request, _ message: String) {
    self.kind = kind
    self.request = "\(request)"
    self.message = request.redaction.masked(message)
  }

  /// An error of something other than a request, described by texts that are redacted already.
  init(_ kind: Kind, _ what: String, _ message: String) {
    (self.kind, request, self.message) = (kind, what, message)
  }

  public var description: String {
    "\(request): \(message)\(tries > 1 ? " (tried \(tries) times)" : "")"
  }

  /// The status code of the response.
  public var status: Int? { if case .status(let status) = kind { status } else { nil } }

  /// Whether the error is transient: the same request may succeed later.
  public var mayPass: Bool {
    switch kind {
    case .unreachable, .timeout, .interrupted, .truncated: true
    case .status(let status): [429, 500, 502, 503, 504].contains(status)
    case .request, .encryption, .tooLarge, .redirect, .notJSON, .budget, .cancelled, .store, .failed: false
    }
  }

  /// Whether another attempt, some time later, may succeed.
  public var mayPassLater: Bool {
    switch kind {
    case .budget: retryAt != nil
    // The other statuses below 500 are about the request, which will be the same next time.
    case .status(let status): status >= 500 || [408, 425, 429].contains(status)
    case .store, .failed, .notJSON: true
    default: mayPass
    }
  }

  /// Whether the server certainly has not processed the request, so that even a POST may be sent again.
  var wasNotProcessed: Bool { kind == .unreachable || kind == .timeout(.connect) || status == 429 }

  /// Whether a stale response may be served: the server has a problem, and has not said that the content changed.
  var allowsStale: Bool {
    switch kind {
    case .notJSON, .budget, .failed, .store, .tooLarge: true
    case .status(let status): status == 429 || status >= 500
    default: mayPass
    }
  }
}

/// The phase of a transfer that a timeout ended.
public enum TransferPhase: String, Sendable, Equatable {
  case connect, firstByte, stall, whole
}

/// A status code with its standard text: `404 Not Found`.
func statusText(_ status: Int) -> String {
  statusTexts[status].map { "\(status) \($0)" } ?? "\(status)"
}

private let statusTexts = [
  200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
  300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
  307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
  403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
  408: "Request Timeout", 409: "Conflict", 410: "Gone", 413: "Content Too Large",
  415: "Unsupported Media Type", 422: "Unprocessable Content", 429: "Too Many Requests",
  451: "Unavailable For Legal Reasons", 500: "Internal Server Error", 501: "Not Implemented",
  502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
]
