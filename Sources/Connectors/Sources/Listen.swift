import Delivery
import Decode
import Engine
import JSON
import Language
import Page
import Reactive
import Server
import System

/// `listen`: receives webhooks on a port of its own.
package let listen = NodeSpec(
  "listen", "receive webhooks: requests that others send when something happens",
  reference: .init(PackageResources.listen_md),
  options: AnyOption.list(
    ListenOptions.address, ListenOptions.path, ListenOptions.methods, Decoding.option, ListenOptions.envelope,
    ListenOptions.token,
    ListenOptions.signature, ListenOptions.id, ListenOptions.hosts, ListenOptions.maxBody,
    ListenOptions.queue,
    ListenOptions.timeout),
  shorthand: "address", state: "the last 1,000 values of `id`, or signatures with a time",
  hasDurableState: true,
  check: { options, checker in
    if !options[ListenOptions.address].isLoopback, !options.isGiven(ListenOptions.token),
      !options.isGiven(ListenOptions.signature)
    {
      checker.report(
        "other machines reach this address, so listen needs a token or a signature",
        at: options.place(of: ListenOptions.address),
        hint: "add token: '${HOOK_TOKEN}', or use 127.0.0.1")
    }
    if options[ListenOptions.methods] == [.get], options.isGiven(Decoding.option) {
      checker.report(
        "decode has no effect: a GET request has no body, and its query is the event",
        at: options.place(of: Decoding.option), hint: "as in methods: [get, post]")
    }
    if options.isGiven(ListenOptions.hosts), ListenOptions.ownHosts(options) == nil {
      checker.report(
        "hosts has no effect: with a token or a signature, or at a path, any host is answered",
        at: options.place(of: ListenOptions.hosts))
    }
    if options[ListenOptions.token] == "" {
      checker.report("the token is empty", at: options.place(of: ListenOptions.token))
    }
    if let signature = options[ListenOptions.signature] {
      let place = options.place(of: ListenOptions.signature)
      let scheme = signature[ListenOptions.scheme]
      if signature[ListenOptions.secret].isEmpty { checker.report("the secret is empty", at: place) }
      if scheme == .body, signature[ListenOptions.header] == nil {
        checker.report(
          "the signature needs the option “header”: the header of the signature", at: place,
          hint: "as in header: X-Hub-Signature-256; scheme: slack and scheme: stripe have their own")
      }
      if scheme == .body, signature.isGiven(ListenOptions.tolerance) {
        checker.report("tolerance has no effect: only slack and stripe sign a time", at: place)
      }
      if options[ListenOptions.methods].contains(.get) {
        checker.report(
          "a signature is that of a body, which GET does not have", at: place, hint: "use a token with get")
      }
    }
    if let path = options[ListenOptions.path], !path.hasPrefix("/") {
      checker.report("a path begins with /", at: options.place(of: ListenOptions.path))
    }
  },
  .stream { options, context in WebhookSource(options, context) })

enum ListenOptions {
  static let address = Option.required(
    "address", listenAddress,
    "`ADDRESS:PORT`, a port of 127.0.0.1, or `unix:PATH`; port 0 is any free one", example: "127.0.0.1:8090")
  static let path = Option.optional(
    "path", .text, "the only path that is answered; any without it", example: "/github")
  enum Method: String, CaseIterable, Sendable { case get, post, put }

  static let methods = Option(
    "methods", .list(of: OptionType<Method>.choice(), count: 1...), default: "[post, put]",
    "the methods that are accepted")
  static let envelope = Option(
    "envelope", .boolean, default: "false", "whether the event has path, query and headers besides the data")
  static let token = Option.optional(
    "token", .secret, "the token that a request must have", example: "${HOOK_TOKEN}")
  static let signature = Option.optional(
    "signature", .group("signature", AnyOption.list(scheme, header, secret, tolerance)),
    "the HMAC-SHA256 that a request must have: what is signed, its header, and the secret",
    example: "{ header: X-Hub-Signature-256, secret: '${HOOK_SECRET}' }")
  static let scheme = Option(
    "scheme", OptionType<WebhookSignature.Scheme>.choice(), default: "body",
    "what is signed: the body, or time and body as Slack or Stripe do")
  static let header = Option.optional(
    "header", .text, "the header of the signature", example: "X-Hub-Signature-256")
  static let tolerance = Option(
    "tolerance", .duration, default: "5m", "how old a signature of slack or stripe may be")
  static let secret = Option.required(
    "secret", .secret, "the secret that the sender shares", example: "${HOOK_SECRET}")
  static let id = Option.optional(
    "id", .text, "the header with the id of a request, by which repeats are dropped",
    example: "X-GitHub-Delivery")
  static let hosts = Option(
    "hosts", .list(of: .text), default: "[]",
    "names beside localhost for which requests without a token or a signature are accepted",
    example: "[hooks.example.org]")

  /// The hosts that a request may name; nil where any is accepted.
  static func ownHosts(_ options: Options) -> OwnHosts? {
    guard case .tcp(let host, _) = options[address], !options.isGiven(token), !options.isGiven(signature)
    else { return nil }
    return OwnHosts(listeningAt: host, names: options[hosts])
  }

  static let maxBody = Option("max_body", .size, default: "1MiB", "the longest body")
  static let queue = Option(
    "queue", .integer(1...10_000), default: "100", "how many requests may wait for their commit")
  static let timeout = Option("timeout", .duration, default: "10s", "the time in which a request must arrive")

  private static let listenAddress: OptionType<PageAddress> = {
    let text = OptionType<String>.text
    return OptionType<PageAddress>(
      "address", sample: "127.0.0.1:8090", schema: .record([("type", .array(["string", "integer"]))])
    ) { node, checker in
      guard let text = text.decode(node, checker) else { return nil }
      let host = text.reversed().drop { $0.isASCII && $0.isNumber }
      let isPort = UInt16(text) != nil
      let hasPort = host.count < text.count && host.first == ":"
      if isPort || hasPort || text.hasPrefix("unix:"), let address = PageAddress(text) { return address }
      checker.report(
        "\(quoted(text)) is not an address and port", at: node.place,
        hint: "as in 127.0.0.1:8090, [::1]:8090, 8090 or unix:hooks.sock")
      return nil
    }
  }()
}

/// Sends the webhooks that have arrived to the pipeline, and answers them when they are committed.
private final class WebhookSource: StreamSource {
  /// How long a body is decoded while others wait, and how long it may be.
  private static let quick = (time: Duration.milliseconds(20), bytes: 1 << 16)

  private let options: Options
  private let context: SourceContext
  private let decoding: Decoding
  private var ids: RecentIDs
  /// The thread for bodies that take longer.
  private lazy var slowDecoder = SerialScheduler(name: "flow-decode")

  init(_ options: Options, _ context: SourceContext) {
    self.options = options
    self.context = context
    decoding = context.decoding(options)
    ids = RecentIDs(context.position)
  }

  func run(_ feed: Feed) throws {
    if context.isOnce { return context.log.notice("webhooks are not waited for with --once") }
    try RequestServer.load()
    let (socket, site) = try open()
    let front = WebhookFront(options, now: context.world.wallClock, refused: context.noteRefusal)
    let server = try RequestServer(
      front, on: socket, .one(memory: 32768), connections: front.connections,
      idle: UInt32(clamping: max(1, Int(options[ListenOptions.timeout].inSeconds.rounded(.up)))))
    defer {
      front.stop(within: Feed.lastCommit)
      server.stop()
    }
    context.log.notice("listens at \(site)")
    let reporter = ParseErrorReporter(context)
    defer { reporter.summarize() }
    while let webhooks = front.next(context.stop) { pass(webhooks, to: feed, front, reporter) }
  }

  private func open() throws -> (ListeningSocket, String) {
    switch options[ListenOptions.address] {
    case .unix(let path): return (try ListeningSocket(path: path), "unix:\(path)")
    case .tcp(let host, let port):
      let socket = try ListeningSocket(host: host, port: port)
      let site = host.contains(":") ? "[\(host)]" : host
      return (socket, "http://\(site):\(socket.port)\(options[ListenOptions.path] ?? "/")")
    }
  }

  /// Sends the values of webhooks as one batch, waits for its commit, and answers.
  private func pass(
    _ webhooks: [Webhook], to feed: Feed, _ front: WebhookFront, _ reporter: ParseErrorReporter
  ) {
    let former = ids
    var values: [Value] = []
    var accepted: [Webhook] = []
    for webhook in webhooks {
      if let id = webhook.id, ids.contains(id) {
        // A repeat of one that is committed, or is about to be.
        accepted.append(webhook)
        continue
      }
      do throws(Sentence) {
        guard let decoded = try decoded(webhook, front) else { continue }
        values += events(of: webhook, decoded)
        if let id = webhook.id { ids.insert(id) }
        accepted.append(webhook)
      } catch {
        if context.stop.isSet {
          front.refuse(webhook)
          continue
        }
        let reason = "\(error)" + hint(webhook)
        reporter.report("a webhook was refused: \(reason)")
        context.noteRefusal()
        front.answer(webhook, 400, reason)
      }
    }
    if accepted.isEmpty { return }
    let result = feed.commit(values, position: ids == former ? nil : ids.position, stop: context.stop)
    if result != true { ids = former }
    for webhook in accepted {
      if result == true {
        front.answer(webhook, 202, "accepted")
      } else {
        front.answer(webhook, 503, "not accepted: it could not be committed")
      }
    }
  }

  /// The values of a body; nil for one that takes long: it comes back when it has been decoded.
  private func decoded(_ webhook: Webhook, _ front: WebhookFront) throws(Sentence) -> [Value]? {
    if let decoded = webhook.decoded.withLock({ $0 }) { return try decoded.get() }
    if webhook.body.count <= Self.quick.bytes {
      var quick = decoding
      quick.budget.time = Self.quick.time
      let start = MonotonicClock.now
      do throws(Sentence) { return try quick.values(of: webhook.body) } catch {
        if context.stop.isSet || MonotonicClock.now - start < Self.quick.time { throw error }
      }
    }
    slowDecoder.perform { [decoding] in
      let decoded = Result { () throws(Sentence) in try decoding.values(of: webhook.body) }
      webhook.decoded.withLock { $0 = decoded }
      front.putBack(webhook)
    }
    return nil
  }

  /// A hint for a body that is not in the format of `decode`; empty where none is known.
  private func hint(_ webhook: Webhook) -> String {
    let type = webhook.headers.first { $0.name == "content-type" }?.value ?? ""
    let isForm = type.lowercased().hasPrefix("application/x-www-form-urlencoded")
    return isForm && options[Decoding.option].format != .form ? "; it is a form: set decode: form" : ""
  }

  private func events(of webhook: Webhook, _ values: [Value]) -> [Value] {
    if !options[ListenOptions.envelope] {
      // A request without a body, as a job sends at its end, is an event too: its query, as that of GET.
      let isBlank = values.isEmpty && webhook.body.allSatisfy { isSpace($0) }
      return isBlank ? [formValue(webhook.query)] : values
    }
    return (values.isEmpty ? [.null] : values).map { webhook.envelope($0) }
  }
}

/// The ids of the last requests that were accepted, oldest first.
struct RecentIDs: Equatable {
  static let limit = 1000

  private var order: [String] = []
  private var known: Set<String> = []

  init(_ position: Value?) {
    for id in position?.member("ids")?.items ?? [] { if let id = id.string { insert(id) } }
  }

  func contains(_ id: String) -> Bool { known.contains(id) }

  mutating func insert(_ id: String) {
    guard known.insert(id).inserted else { return }
    order.append(id)
    if order.count > Self.limit { known.remove(order.removeFirst()) }
  }

  var position: Value { .record([("ids", .array(order.map { .string($0) }))]) }
}
