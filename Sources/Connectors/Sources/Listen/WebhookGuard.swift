import Delivery
import Fetch
import Language
import Reactive
import Server
import System

/// How the sender of a webhook signs it: an HMAC-SHA256 under a secret.
struct WebhookSignature: Sendable {
  enum Scheme: String, CaseIterable, Sendable {
    /// A signature of the body, as GitHub and Shopify have it.
    case body
    /// A signature of `v0:TIME:BODY`.
    case slack
    /// A signature of `TIME.BODY`.
    case stripe

    /// The header that has the signature; nil where each service has its own.
    var header: String? {
      switch self {
      case .body: nil
      case .slack: "X-Slack-Signature"
      case .stripe: "Stripe-Signature"
      }
    }
  }

  let scheme: Scheme
  /// In lower case.
  let header: String
  let secret: String
  /// How old a signature with a time may be.
  let tolerance: Duration

  init(_ scheme: Scheme = .body, header: String? = nil, secret: String, tolerance: Duration = .seconds(300)) {
    self.scheme = scheme
    self.header = (header ?? scheme.header ?? "").lowercased()
    self.secret = secret
    self.tolerance = tolerance
  }

  /// A signature with its time: the time as it is written, and the codes that the header has.
  private func timed(_ headers: [Webhook.Pair]) -> (time: String, codes: [String])? {
    guard let value = value(of: header, headers) else { return nil }
    switch scheme {
    case .body: return nil
    case .slack:
      guard let time = self.value(of: "x-slack-request-timestamp", headers), value.hasPrefix("v0=") else {
        return nil
      }
      return (time, [String(value.dropFirst(3))])
    case .stripe:
      let parts = value.split { $0 == "," || $0 == " " }.map { $0.split(separator: "=", maxSplits: 1) }
      let named = { (name: String) in
        parts.filter { $0.count == 2 && $0[0] == name }.map { String($0[1]) }
      }
      return named("t").first.map { ($0, named("v1")) }
    }
  }

  /// Why a request is not accepted; nil if it is.
  func flaw(_ headers: [Webhook.Pair], _ body: [UInt8], now: Double) -> String? {
    let wrong = "the signature is missing or wrong"
    if scheme == .body {
      guard let value = value(of: header, headers) else { return wrong }
      let code = SHA256.authenticationCode(of: body, key: Array(secret.utf8))
      let given = value.lowercased().hasPrefix("sha256=") ? String(value.dropFirst("sha256=".count)) : value
      let isRight =
        isEqualInConstantTime(given.lowercased(), hexDigits(of: code))
        || isEqualInConstantTime(given, base64(code))
      return isRight ? nil : wrong
    }
    guard let (time, codes) = timed(headers), let seconds = Int(time) else { return wrong }
    let expected = code(time, body)
    guard codes.contains(where: { isEqualInConstantTime($0.lowercased(), expected) }) else { return wrong }
    // A request that is sent again later would have the same time.
    return abs(now - Double(seconds)) <= tolerance.inSeconds
      ? nil : "the signature is not of the last \(DurationText.format(tolerance))"
  }

  /// The id of a signed request, so that one which is sent again at once is a repeat; nil without a time.
  func id(_ headers: [Webhook.Pair], _ body: [UInt8]) -> String? {
    timed(headers).map { "\($0.time) \(code($0.time, body))" }
  }

  private func code(_ time: String, _ body: [UInt8]) -> String {
    let start = scheme == .slack ? "v0:\(time):" : "\(time)."
    return hexDigits(of: SHA256.authenticationCode(of: Array(start.utf8) + body, key: Array(secret.utf8)))
  }

  /// The value of a header that occurs once.
  private func value(of name: String, _ headers: [Webhook.Pair]) -> String? {
    let values = headers.filter { $0.name == name }.map(\.value)
    return values.count == 1 ? values[0] : nil
  }
}

/// The guard of webhooks: which requests are refused, by the token, the signature, and the signs of a browser.
struct WebhookGuard: Sendable {
  var path: String?
  var methods = ["POST", "PUT"]
  var token: String?
  var signature: WebhookSignature?
  /// The names that a request must have as its host; nil where a token or a signature protects.
  var hosts: OwnHosts?

  /// A refusal: a status and its reason.
  typealias Refusal = (status: Int, text: String)

  /// Why a request is refused; nil if it is not.
  ///
  /// Names of headers are in lower case.
  func refusal(
    method: String, path: String, query: [Webhook.Pair], headers: [Webhook.Pair], body: [UInt8],
    now: Double = 0
  ) -> Refusal? {
    let named = headers.filter { $0.name == "host" }.map(\.value)
    if let hosts, named.count != 1 || !hosts.contains(named[0]) {
      return (421, "no webhook is received for this host; the option hosts names others")
    }
    if let own = self.path, path != own { return (404, "no webhook is received at this path") }
    if !methods.contains(method) { return (405, "only \(methods.joined(separator: ", "))") }
    // Any page that a browser shows could send to this machine.
    let isPage = headers.contains { $0.name == "origin" || $0.name == "sec-fetch-site" && $0.value != "none" }
    if token == nil, signature == nil, isPage { return (403, "a page in a browser was refused") }
    if let token, !given(query, headers).contains(where: { isEqualInConstantTime($0, token) }) {
      return (401, "the token is missing or wrong")
    }
    return signature?.flaw(headers, body, now: now).map { (401, $0) }
  }

  /// The places of a token.
  private func given(_ query: [Webhook.Pair], _ headers: [Webhook.Pair]) -> [String] {
    let bearers = headers.filter { $0.name == "authorization" && $0.value.lowercased().hasPrefix("bearer ") }
      .map { String($0.value.dropFirst("bearer ".count)) }
    let own = headers.filter { $0.name.hasSuffix("-token") }.map(\.value)
    return bearers + own + query.filter { $0.name == "token" }.map(\.value)
  }

  /// Without what an event must not contain.
  func shown(_ headers: [Webhook.Pair]) -> [Webhook.Pair] {
    headers.filter { header in
      !["authorization", "proxy-authorization", "cookie"].contains(header.name)
        && !header.name.hasSuffix("-token") && header.name != signature?.header
    }
  }
}

extension SHA256 {
  /// The HMAC of a message (RFC 2104).
  static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    var block = key.count > 64 ? digest(key) : key
    block += [UInt8](repeating: 0, count: 64 - block.count)
    return digest(block.map { $0 ^ 0x5c } + digest(block.map { $0 ^ 0x36 } + message))
  }
}
