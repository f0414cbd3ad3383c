/// A mail for an SMTP server: the envelope, the message with its headers, and how to log in.
///
/// Its description redacts user name and password.
public struct Mail: Sendable, Equatable, CustomStringConvertible {
  public enum Encryption: Sendable, Equatable {
    /// From the first byte, as with `smtps`.
    case immediate
    /// By STARTTLS; a server that has none is an error.
    case required
    /// By STARTTLS if the server has it: for a relay on the same machine.
    case optional
  }

  public var host: String
  /// Nil for 465 with immediate encryption, otherwise 587.
  public var port: Int?
  public var encryption: Encryption
  public var user: String?
  public var password: String?
  public var sender: String
  public var recipients: [String]
  /// The headers and the body, with lines that end in CR LF.
  public var message: [UInt8]

  public init(
    host: String, port: Int? = nil, encryption: Encryption = .required, user: String? = nil,
    password: String? = nil, sender: String, recipients: [String], message: [UInt8]
  ) {
    self.host = host
    self.port = port
    self.encryption = encryption
    self.user = user
    self.password = password
    self.sender = sender
    self.recipients = recipients
    self.message = message
  }

  private var scheme: String { encryption == .immediate ? "smtps" : "smtp" }
  private var site: String { "\(host):\(port ?? (encryption == .immediate ? 465 : 587))" }

  public var description: String { "mail to \(recipients.joined(separator: ", ")) by \(scheme)://\(site)" }

  /// The address for libcurl.
  var url: String { "\(scheme)://\(site)/" }
}
