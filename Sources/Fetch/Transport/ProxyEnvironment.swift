/// What the environment says of the way to servers: the usual variables for proxies and certificates.
public struct Surroundings: Sendable, Equatable {
  public var httpProxy: String?
  public var httpsProxy: String?
  /// Hosts that are reached without a proxy, with commas between.
  public var noProxy: String?
  /// A file of certificates to trust instead of the system's.
  public var certificateFile: String?
  public var certificateFolder: String?

  public init() {}

  /// From `https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`, `CURL_CA_BUNDLE`, `SSL_CERT_FILE`, `SSL_CERT_DIR`.
  public init(environment: (String) -> String?) {
    func first(_ names: String...) -> String? {
      names.lazy.compactMap(environment).first { !$0.isEmpty }
    }
    // `HTTP_PROXY` in capitals is not listened to: to a CGI program it is a header that anybody may send.
    httpProxy = first("http_proxy", "all_proxy", "ALL_PROXY")
    httpsProxy = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    noProxy = first("no_proxy", "NO_PROXY")
    certificateFile = first("CURL_CA_BUNDLE", "SSL_CERT_FILE")
    certificateFolder = first("SSL_CERT_DIR")
  }

  func proxy(for scheme: Address.Scheme) -> String? { scheme == .https ? httpsProxy : httpProxy }
}
