import Server

/// The guard of a page: which requests are answered at all, and what each answer forbids the browser.
///
/// - A request must name this server in `Host`: a page of another name that resolves to this machine (DNS rebinding)
///   gets 421.
/// - Nothing changes by GET or HEAD; POST is accepted from this origin only, by `Sec-Fetch-Site`, else `Origin`.
/// - An address that other machines can reach requires a token, which a cookie keeps.
package struct PageGuard: Sendable {
  static let cookie = "flow_token"

  let address: PageAddress
  /// Required where other machines can reach the page.
  let token: String?
  private let hosts: OwnHosts
  let hasPictures: Bool

  package init(_ address: PageAddress, token: String?, names: Set<String> = [], hasPictures: Bool) {
    self.address = address
    self.token = address.isLoopback ? nil : token
    var host: String?
    if case .tcp(let own, _) = address { host = own }
    hosts = OwnHosts(listeningAt: host, names: names)
    self.hasPictures = hasPictures
  }

  /// Why a request is refused; nil if it is not.
  package func refusal(of request: PageRequest) -> PageAnswer? {
    guard let host = request.headers["host"], hosts.contains(host) else {
      return Self.text(421, "This server does not answer for that host name.")
    }
    if !request.isRead {
      guard request.method == "POST" else {
        return Self.text(405, "Only GET, HEAD and POST.", [("Allow", "GET, HEAD, POST")])
      }
      if !isSameOrigin(request, host) { return Self.text(403, "A form of another site was refused.") }
    }
    guard let token, !["/healthz", "/readyz"].contains(request.path) else { return nil }
    if let given = request.query.first(where: { $0.name == "token" })?.value,
      isEqualInConstantTime(given, token)
    {
      // A program has no cookies.
      if request.path == "/metrics" { return nil }
      return .redirect(
        to: Link(path: []), [("Set-Cookie", "\(Self.cookie)=\(token); Path=/; HttpOnly; SameSite=Strict")])
    }
    if let given = request.cookie(Self.cookie), isEqualInConstantTime(given, token) { return nil }
    return Self.text(401, "Open the address with the token that flow printed when it started.")
  }

  private static func text(
    _ status: Int, _ text: String, _ headers: [(name: String, value: String)] = []
  ) -> PageAnswer {
    PageAnswer(status, "text/plain; charset=utf-8", Array((text + "\n").utf8), headers)
  }

  private func isSameOrigin(_ request: PageRequest, _ host: String) -> Bool {
    if let site = request.headers["sec-fetch-site"] { return site == "same-origin" || site == "none" }
    guard let origin = request.headers["origin"] else { return true }
    return origin == "http://\(host)" || origin == "https://\(host)"
  }

  /// The headers of every answer.
  package var headers: [(name: String, value: String)] {
    let pictures = hasPictures ? " https: http:" : ""
    return [
      (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'\(pictures); connect-src 'self'; "
          + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
      ),
      ("X-Content-Type-Options", "nosniff"),
      ("X-Frame-Options", "DENY"),
      ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
    ]
  }
}
