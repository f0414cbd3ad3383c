import Fetch
import Language
import Server

/// The guard of webhooks: which requests are refused, by the token, the signature, and the signs of a browser.
struct WebhookGuard: Sendable {
  let path: String?
  let token: String?
  /// The header in lower case, and the secret.
  let signature: (header: String, secret: String)?

  /// A refusal: a status and its reason.
  typealias Refusal = (status: Int, text: String)

  init(path: String? = nil, token: String? = nil, signature: (header: String, secret: String)? = nil) {
    (self.path, self.token) = (path, token)
    self.signature = signature.map { ($0.header.lowercased(), $0.secret) }
  }

  /// Why a request is refused; nil if it is not.
  ///
  /// Names of headers are in lower case.
  func refusal(
    method: String, path: String, query: [Webhook.Pair], headers: [Webhook.Pair], body: [UInt8]
  ) -> Refusal? {
    if let own = self.path, path != own { return (404, "no webhook is received at this path") }
    if method != "POST", method != "PUT" { return (405, "only POST and PUT") }
    // Any page that a browser shows could send to this machine.
    let isPage = headers.contains { $0.name == "origin" || $0.name == "sec-fetch-site" && $0.value != "none" }
    if token == nil, signature == nil, isPage { return (403, "a page in a browser was refused") }
    if let token, !given(query, headers).contains(where: { isEqualInConstantTime($0, token) }) {
      return (401, "the token is missing or wrong")
    }
    if let signature {
      let values = headers.filter { $0.name == signature.header }.map(\.value)
      guard values.count == 1, isSigned(body, values[0], signature.secret) else {
        return (401, "the signature is missing or wrong")
      }
    }
    return nil
  }

  /// The places of a token.
  private func given(_ query: [Webhook.Pair], _ headers: [Webhook.Pair]) -> [String] {
    let bearers = headers.filter { $0.name == "authorization" && $0.value.lowercased().hasPrefix("bearer ") }
      .map { String($0.value.dropFirst("bearer ".count)) }
    let own = headers.filter { $0.name.hasSuffix("-token") }.map(\.value)
    return bearers + own + query.filter { $0.name == "token" }.map(\.value)
  }

  private func isSigned(_ body: [UInt8], _ value: String, _ secret: String) -> Bool {
    let code = SHA256.authenticationCode(of: body, key: Array(secret.utf8))
    var given = value
    if given.lowercased().hasPrefix("sha256=") { given.removeFirst("sha256=".count) }
    let digits = code.reduce(into: "") { text, byte in
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return isEqualInConstantTime(given.lowercased(), digits) || isEqualInConstantTime(given, base64(code))
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
