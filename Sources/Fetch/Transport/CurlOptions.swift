/// The options of the transport on libcurl.
public struct CurlOptions: Sendable {
  public var userAgent: String
  public var proxyEnvironment: ProxyEnvironment
  /// The most transfers at a time; others wait.
  public var transfers: Int
  /// The most at one site, so that one which does not answer holds up no other.
  public var transfersOfSite: Int
  /// The most that wait; more transfers fail at once.
  public var waiting: Int

  public init(
    userAgent: String = "flow", proxyEnvironment: ProxyEnvironment = ProxyEnvironment(),
    transfers: Int = 256, transfersOfSite: Int = 32,
    waiting: Int = 20_000
  ) {
    self.userAgent = userAgent
    self.proxyEnvironment = proxyEnvironment
    self.transfers = transfers
    self.transfersOfSite = transfersOfSite
    self.waiting = waiting
  }
}

/// The environment variables for proxies and certificates.
public struct ProxyEnvironment: Sendable, Equatable {
  public var httpProxy: String?
  public var httpsProxy: String?
  /// Hosts without a proxy, separated by commas.
  public var noProxy: String?
  /// A file of trusted certificates instead of the system's.
  public var certificateFile: String?
  public var certificateFolder: String?

  public init() {}

  /// From `https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`, `CURL_CA_BUNDLE`, `SSL_CERT_FILE`, `SSL_CERT_DIR`.
  public init(environment: (String) -> String?) {
    func first(_ names: String...) -> String? {
      names.lazy.compactMap(environment).first { !$0.isEmpty }
    }
    // `HTTP_PROXY` in capitals is ignored: in a CGI program any client can set it with a header.
    httpProxy = first("http_proxy", "all_proxy", "ALL_PROXY")
    httpsProxy = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    noProxy = first("no_proxy", "NO_PROXY")
    certificateFile = first("CURL_CA_BUNDLE", "SSL_CERT_FILE")
    certificateFolder = first("SSL_CERT_DIR")
  }

  func proxy(for scheme: Address.Scheme) -> String? { scheme == .https ? httpsProxy : httpProxy }
}
