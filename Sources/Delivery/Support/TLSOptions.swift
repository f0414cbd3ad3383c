import Language

/// The option `tls` of nodes that connect to a broker.
package enum TLSOptions {
  package static let tls = Option.optional(
    "tls", .group("tls", AnyOption.list(ca, certificate, key, insecure)),
    "TLS, with PEM files: `ca`, `certificate` and `key`; `{}` trusts the system's authorities, `insecure: true` anyone",
    example: "{ ca: ca.pem }")

  static let ca = Option.optional(
    "ca", .path, "the authorities that sign the server's certificate", example: "ca.pem")
  static let certificate = Option.optional(
    "certificate", .path, "the client's certificate", example: "flow.pem")
  static let key = Option.optional("key", .path, "the key of the certificate", example: "flow-key.pem")
  static let insecure = Option("insecure", .boolean, default: "false", "whether any certificate is trusted")

  package static func check(_ options: Options, _ checker: Checker) {
    if let tls = options[tls], tls.isGiven(certificate) != tls.isGiven(key) {
      checker.report("certificate and key belong together", at: tls.place)
    }
  }

  /// The files; nil without the option.
  package static func files(_ options: Options) -> TLSFiles? {
    options[tls].map {
      TLSFiles(
        authorities: $0[ca], certificate: $0[certificate], key: $0[key], skipsVerification: $0[insecure])
    }
  }
}

/// Paths of PEM files for TLS.
package struct TLSFiles: Sendable {
  /// The file of trusted authorities; nil for the system's.
  package var authorities: String?
  package var certificate: String?
  package var key: String?
  package var skipsVerification = false

  package init(
    authorities: String? = nil, certificate: String? = nil, key: String? = nil,
    skipsVerification: Bool = false
  ) {
    self.authorities = authorities
    self.certificate = certificate
    self.key = key
    self.skipsVerification = skipsVerification
  }
}
