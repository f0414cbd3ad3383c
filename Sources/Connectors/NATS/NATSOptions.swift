import Delivery
import Language
import NATS

/// The options of the `nats` source and sink that say how to connect.
enum NATSOptions {
  static let servers = Option(
    "servers", .list(of: .natsServer, count: 1...), default: "nats://127.0.0.1:4222",
    "the servers, of which the first that answers is used",
    example: "[nats://a.example.org, nats://b.example.org]")
  static let user = Option.optional("user", .text, "the user name", example: "flow")
  static let password = Option.optional("password", .secret, "the password", example: "${NATS_PASSWORD}")
  static let token = Option.optional("token", .secret, "a token to log in with", example: "${NATS_TOKEN}")
  static let credentials = Option.optional(
    "credentials", .path, "a file with a JWT and its seed, as nsc writes it", example: "flow.creds")
  static let nkey = Option.optional(
    "nkey", .text, "a public NKey, beginning with U",
    example: "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4")
  static let seed = Option.optional("seed", .path, "the file with the seed of `nkey`", example: "flow.nk")
  static let list = AnyOption.list(servers, user, password, token, credentials, nkey, seed, TLSOptions.tls)

  /// Reports logins that cannot be.
  static func check(_ options: Options, _ checker: Checker) {
    let ways = [
      ("user", options.isGiven(user)), ("token", options.isGiven(token)),
      ("credentials", options.isGiven(credentials)), ("nkey", options.isGiven(nkey)),
    ].filter(\.1).map(\.0)
    if ways.count > 1 {
      checker.report("\(ways[0]) and \(ways[1]) exclude each other", at: options.place)
    }
    if options.isGiven(nkey) != options.isGiven(seed) {
      checker.report("nkey and seed belong together", at: options.place)
    }
    if options.isGiven(password), !options.isGiven(user) {
      checker.report("a password needs a user", at: options.place(of: password), hint: "add user: NAME")
    }
    TLSOptions.check(options, checker)
  }

  /// The settings of a connection for a node.
  static func settings(_ options: Options, node: String) -> NATSSettings {
    var settings = NATSSettings(servers: options[servers], name: "flow \(node)")
    settings.user = options[user]
    settings.password = options[password]
    settings.token = options[token]
    settings.credentials = options[credentials]
    settings.key = options[nkey]
    settings.seed = options[seed]
    settings.tls = TLSOptions.files(options).map {
      NATSSettings.TLS(
        authorities: $0.authorities, certificate: $0.certificate, key: $0.key,
        skipsVerification: $0.skipsVerification)
    }
    return settings
  }
}

extension NATSError: LinkError {}

extension OptionType where Value == String {
  /// The address of a NATS server; a password in it is redacted in all output.
  static var natsServer: OptionType {
    let text = OptionType.text
    return OptionType("server", sample: "nats://127.0.0.1:4222", schema: .record([("type", "string")])) {
      node, checker in
      guard let address = text.decode(node, checker) else { return nil }
      if let secret = NATSAddress.secret(in: address) { checker.secrets.insert(secret) }
      guard let flaw = NATSAddress.flaw(in: address) else { return address }
      checker.report(
        "this is not the address of a NATS server: \(flaw)", at: node.place, hint: "as in nats://host:4222")
      return nil
    }
  }

  /// A subject, with wildcards or without.
  static func natsSubject(allowsWildcards: Bool) -> OptionType {
    let text = OptionType.text
    return OptionType("subject", sample: "orders.>", schema: .record([("type", "string")])) { node, checker in
      guard let subject = text.decode(node, checker) else { return nil }
      guard let flaw = NATSSubject.flaw(in: subject, allowsWildcards: allowsWildcards) else { return subject }
      checker.report(
        "\(quoted(subject)) is not a subject: \(flaw)", at: node.place, hint: "as in orders.eu.*")
      return nil
    }
  }

  /// The name of a stream.
  static var natsStream: OptionType {
    let text = OptionType.text
    return OptionType("stream", sample: "ORDERS", schema: .record([("type", "string")])) { node, checker in
      guard let name = text.decode(node, checker) else { return nil }
      if !name.isEmpty, !name.contains(where: { ".*>/\\".contains($0) || $0.isWhitespace }) { return name }
      checker.report(
        "\(quoted(name)) is not the name of a stream", at: node.place,
        hint: name.contains(".") ? "for a subject, write subject: \(name)" : nil)
      return nil
    }
  }
}
