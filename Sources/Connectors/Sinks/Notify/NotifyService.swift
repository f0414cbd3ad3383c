import Delivery
import Fetch
import JSON
import Language
import System

/// The table of services for notifications: the form of their destinations, and the request for a message.
///
/// Each row follows the service's own documentation, named beside it. A new service is a new row.
struct NotifyService: Sendable {
  /// A part of a message beside title and body.
  enum Part: String, CaseIterable, Sendable { case priority, link, picture, tags }

  let name: String
  /// An example of a destination, as messages and the documentation show it.
  let form: String
  let parts: Set<Part>
  /// How it takes a picture that is a file; nil where it does not.
  var attachment: Attachment?
  /// Why a destination is wrong; nil if it is right.
  let problem: @Sendable (Destination) -> String?
  let secrets: @Sendable (Destination) -> [String]
  let request: @Sendable (Message, Destination, _ id: String) -> ServiceRequest

  var isMail: Bool { name == "mailto" }

  static let all: [NotifyService] = [
    // docs.ntfy.sh/publish: JSON to the root, with the topic in the body; a message of more than 4,096 bytes would become
    // an attachment.
    NotifyService(
      name: "ntfy", form: "ntfy://[TOKEN@|USER:PASSWORD@]HOST/TOPIC",
      parts: [.priority, .link, .picture, .tags], attachment: .body,
      problem: { to in
        guard !to.host.isEmpty, to.segments.count == 1 else { return "ntfy needs a host and a topic" }
        return isTopic(to.segments[0])
          ? nil : "a topic of ntfy has 1 to 64 letters, digits, hyphens and underscores"
      },
      secrets: { [$0.user, $0.password].compactMap(\.self) },
      request: { message, to, _ in
        var headers: [Header] = []
        if let user = to.user {
          let basic = to.password.map { "Basic \(base64(Array("\(user):\($0)".utf8)))" }
          headers.append(Header("Authorization", basic ?? "Bearer \(user)", isSecret: true))
        }
        return ServiceRequest(
          to.address("/"), headers,
          members: [
            ("topic", .string(to.segments[0])), ("title", .string(fitted(message.title, 800, .bytes))),
            ("message", text(fitted(message.body, 4096, .bytes))),
            ("priority", message.priority == 3 ? nil : .number(message.priority)),
            (
              "tags",
              message.tags.isEmpty ? nil : .array(message.tags.prefix(20).map { .string(fitted($0, 100)) })
            ),
            ("click", text(fittedLink(message.link, 2048))),
            ("attach", text(fittedLink(message.picture, 2048))),
          ])
      }),
    // core.telegram.org/bots/api: sendMessage and sendPhoto, texts as HTML.
    NotifyService(
      name: "telegram", form: "telegram://BOT_TOKEN/CHAT_ID", parts: [.priority, .link, .picture, .tags],
      attachment: .fields("photo"),
      problem: {
        $0.host.isEmpty || $0.segments.count != 1 ? "telegram needs a bot's token and a chat" : nil
      },
      secrets: { [$0.host] },
      request: { message, to, _ in
        // A text may have 4096 characters and a caption 1024, both counted without the markup.
        let link = fittedLink(message.link, 1500)
        let tags = message.tagLine(" ", 500) { "#\(hashtag($0))" }
        func lines(_ body: String) -> [String] { [message.title, body, link, tags].filter { !$0.isEmpty } }
        let isPhoto =
          !message.picture.isEmpty && lines(message.body).joined(separator: "\n").utf16.count <= 1024
        let picture = isPhoto ? "" : fittedLink(message.picture, 1500)
        let others = lines("").reduce(0) { $0 + $1.utf16.count + 1 }
        let body = fitted(message.body, 4096 - others - (picture.isEmpty ? 0 : picture.utf16.count + 1))
        let rest = [
          "<b>\(markup(message.title))</b>", markup(body),
          link.isEmpty ? "" : "<a href=\"\(markup(link))\">\(markup(link))</a>", markup(tags),
          markup(picture),
        ].filter { !$0.isEmpty }.joined(separator: "\n")
        return ServiceRequest(
          to.address(
            "/bot\(to.host)/\(isPhoto ? "sendPhoto" : "sendMessage")", of: "https://api.telegram.org"),
          members: [
            ("chat_id", .string(to.segments[0])), ("photo", isPhoto ? .string(message.picture) : nil),
            (isPhoto ? "caption" : "text", .string(rest)), ("parse_mode", "HTML"),
            ("disable_notification", message.priority < 3 ? .bool(true) : nil),
          ])
      }),
    // api.slack.com/messaging/webhooks and /reference/block-kit.
    NotifyService(
      name: "slack", form: "slack://hooks.slack.com/services/T0/B0/SECRET", parts: [.link, .picture, .tags],
      problem: webhookProblem, secrets: webhookSecrets,
      request: { message, to, _ in
        func plain(_ words: String) -> Value { .record([("type", "plain_text"), ("text", .string(words))]) }
        func marked(_ words: String) -> Value { .record([("type", "mrkdwn"), ("text", .string(words))]) }
        var blocks: [Value] = [.record([("type", "header"), ("text", plain(fitted(message.title, 150)))])]
        // The bar would separate a link from its label.
        let address = slackMarkup(message.link.replacing("|", by: "%7C"))
        let link = address.isEmpty ? "" : fittedLink("<\(address)>", 2900)
        let room = link.isEmpty ? 3000 : 3000 - link.utf16.count - 1
        let words = [fitted(message.body, room, escaping: slackMarkup), link].filter { !$0.isEmpty }
        if !words.isEmpty {
          blocks.append(.record([("type", "section"), ("text", marked(words.joined(separator: "\n")))]))
        }
        if !fittedLink(message.picture, 3000).isEmpty {
          blocks.append(
            .record([
              ("type", "image"), ("image_url", .string(message.picture)),
              ("alt_text", .string(fitted(message.title, 2000))),
            ]))
        }
        let tags = message.tagLine()
        if !tags.isEmpty {
          let element = marked(fitted(tags, 3000, escaping: slackMarkup))
          blocks.append(.record([("type", "context"), ("elements", .array([element]))]))
        }
        return ServiceRequest(
          to.webhook,
          members: [
            ("text", .string(fitted(message.line, 4000, escaping: slackMarkup))), ("blocks", .array(blocks)),
          ])
      }),
    // discord.com/developers/docs/resources/webhook: with wait=true errors are reported.
    NotifyService(
      name: "discord", form: "discord://discord.com/api/webhooks/ID/SECRET",
      parts: [.priority, .link, .picture, .tags], attachment: .payload("payload_json", file: "files[0]"),
      problem: webhookProblem, secrets: webhookSecrets,
      request: { message, to, _ in
        let title = fitted(message.title, 256)
        let description = fitted(message.body, 4096)
        // An embed has at most 6000 characters in all.
        let footer = message.tagLine(" · ", min(2048, 6000 - title.utf16.count - description.utf16.count))
        let embed = members([
          ("title", .string(title)), ("description", text(description)),
          ("url", text(fittedLink(message.link, 2048))),
          ("image", text(fittedLink(message.picture, 2048)).map { .record([("url", $0)]) }),
          ("footer", text(footer).map { .record([("text", $0)]) }),
        ])
        return ServiceRequest(
          to.webhook + (to.query.isEmpty ? "?wait=true" : "&wait=true"),
          members: [
            ("embeds", .array([embed])),
            // Data must not call people by name.
            ("allowed_mentions", .record([("parse", .array([]))])),
            ("flags", message.priority < 3 ? .number(4096) : nil),
          ])
      }),
    // spec.matrix.org, client-server API: the id of the transaction makes a repeat harmless.
    NotifyService(
      name: "matrix", form: "matrix://ACCESS_TOKEN@HOST/!ROOM:SERVER", parts: [.priority, .link, .tags],
      problem: { to in
        if to.user?.isEmpty != false { return "matrix needs an access token" }
        let isRoom = to.segments.count == 1 && to.segments[0].hasPrefix("!")
        return isRoom && !to.host.isEmpty
          ? nil : "matrix needs a host and the id of a room, which begins with !"
      },
      secrets: { [$0.user].compactMap(\.self) },
      request: { message, to, id in
        var html = ["<strong>\(markup(message.title))</strong>"]
        if !message.body.isEmpty { html.append(markup(message.body).replacing("\n", by: "<br>")) }
        if !message.link.isEmpty {
          html.append("<a href=\"\(markup(message.link))\">\(markup(message.link))</a>")
        }
        let tags = message.tagLine()
        if !tags.isEmpty { html.append(markup(tags)) }
        let plain = [message.title, message.body, message.link, tags]
        let room = percentEncoded(to.segments[0], keeping: isUnreserved)
        let transaction = percentEncoded(id, keeping: isUnreserved)
        var request = ServiceRequest(
          to.address("/_matrix/client/v3/rooms/\(room)/send/m.room.message/\(transaction)"),
          [Header("Authorization", "Bearer \(to.user ?? "")", isSecret: true)],
          members: [
            ("msgtype", message.priority < 3 ? "m.notice" : "m.text"),
            ("body", .string(plain.filter { !$0.isEmpty }.joined(separator: "\n"))),
            ("format", "org.matrix.custom.html"), ("formatted_body", .string(html.joined(separator: "<br>"))),
          ])
        request.method = .put
        return request
      }),
    // gotify.net/docs/pushmsg and /docs/msgextras.
    NotifyService(
      name: "gotify", form: "gotify://HOST/APP_TOKEN", parts: [.priority, .link, .picture],
      problem: {
        $0.host.isEmpty || $0.segments.isEmpty ? "gotify needs a host and an application's token" : nil
      },
      secrets: { [$0.segments.last ?? ""] },
      request: { message, to, _ in
        let notification = members([
          ("click", message.link.isEmpty ? nil : .record([("url", .string(message.link))])),
          ("bigImageUrl", text(message.picture)),
        ])
        let hasExtras = !message.link.isEmpty || !message.picture.isEmpty
        // Gotify may lie below a path.
        let folder = to.path[..<(to.path.lastIndex(of: "/") ?? to.path.startIndex)]
        return ServiceRequest(
          to.address("\(folder)/message"), [Header("X-Gotify-Key", to.segments.last ?? "", isSecret: true)],
          members: [
            ("title", .string(message.title)),
            ("message", .string(message.body.isEmpty ? message.title : message.body)),
            ("priority", .number([0, 1, 3, 5, 8, 10][message.priority])),
            ("extras", hasExtras ? .record([("client::notification", notification)]) : nil),
          ])
      }),
    // pushover.net/api: priority 2 is repeated until it is acknowledged, and must say how often.
    NotifyService(
      name: "pushover", form: "pushover://APP_TOKEN/USER_KEY", parts: [.priority, .link],
      attachment: .fields("attachment"),
      problem: {
        $0.host.isEmpty || $0.segments.count != 1
          ? "pushover needs an application's token and a user's key" : nil
      },
      secrets: { [$0.host, $0.segments.first ?? ""] },
      request: { message, to, _ in
        let isUrgent = message.priority == 5
        return ServiceRequest(
          to.address("/1/messages.json", of: "https://api.pushover.net"),
          members: [
            ("token", .string(to.host)), ("user", .string(to.segments[0])),
            ("title", .string(fitted(message.title, 250))),
            ("message", .string(fitted(message.body.isEmpty ? message.title : message.body, 1024))),
            ("priority", message.priority == 3 ? nil : .number(message.priority - 3)),
            ("retry", isUrgent ? .number(60) : nil), ("expire", isUrgent ? .number(3600) : nil),
            ("url", message.link.utf8.count > 512 ? nil : text(message.link)),
            ("attachment", message.picture == Attachment.reference ? text(message.picture) : nil),
          ])
      }),
    // learn.microsoft.com: a workflow's webhook with an Adaptive Card 1.4; a message has at most 28 KB.
    NotifyService(
      name: "teams", form: "teams://HOST/workflows/…?…&sig=SECRET", parts: [.link, .picture, .tags],
      problem: webhookProblem, secrets: webhookSecrets,
      request: { message, to, _ in
        func block(_ words: String, _ style: [(String, Value)] = []) -> Value {
          .record([("type", "TextBlock"), ("text", .string(words)), ("wrap", .bool(true))] + style)
        }
        let title = fitted(message.title, 1000, .bytes)
        var body = [block(title, [("weight", "Bolder"), ("size", "Medium")])]
        // Line breaks and quotes take two bytes in JSON.
        let words = fitted(message.body, 8000, .bytes) { $0.replacing("\n", by: "\n\n") }
        if !words.isEmpty { body.append(block(words)) }
        let picture = fittedLink(message.picture, 2048)
        if !picture.isEmpty {
          body.append(.record([("type", "Image"), ("url", .string(picture)), ("altText", .string(title))]))
        }
        let tags = message.tagLine()
        if !tags.isEmpty { body.append(block(tags, [("isSubtle", .bool(true))])) }
        let link = fittedLink(message.link, 2048)
        let open = Value.record([
          ("type", "Action.OpenUrl"), ("title", "Open"), ("url", .string(link)),
        ])
        let card = members([
          ("$schema", "http://adaptivecards.io/schemas/adaptive-card.json"), ("type", "AdaptiveCard"),
          ("version", "1.4"), ("body", .array(body)),
          ("actions", link.isEmpty ? nil : .array([open])),
        ])
        let attachment = Value.record([
          ("contentType", "application/vnd.microsoft.card.adaptive"), ("contentUrl", .null),
          ("content", card),
        ])
        return ServiceRequest(
          to.webhook, members: [("type", "message"), ("attachments", .array([attachment]))])
      }),
    // Mail goes by SMTP: see MailText.swift.
    NotifyService(
      name: "mailto", form: "mailto:ME@EXAMPLE.ORG?server=smtps://USER:PASSWORD@SMTP.EXAMPLE.ORG",
      parts: [.priority, .link, .picture, .tags],
      problem: { to in
        do throws(Sentence) { _ = try MailRoute(to) } catch { return error.description }
        return nil
      },
      secrets: { to in
        guard let route = try? MailRoute(to) else { return [] }
        return [route.password].compactMap(\.self)
      },
      request: { _, _, _ in ServiceRequest("", members: []) }),
  ]
}

/// A request to a service: what differs from service to service.
struct ServiceRequest: Sendable {
  var method = Request.Method.post
  var address: String
  var headers: [Header]
  var body: Value

  init(_ address: String, _ headers: [Header] = [], members: [(String, Value?)]) {
    (self.address, self.headers) = (address, headers)
    body = Connectors.members(members)
  }
}

extension Destination {
  /// A webhook's own address: everything behind its scheme.
  fileprivate var webhook: String { address(path + query) }
}

/// A webhook's path and query are its key.
private let webhookSecrets: @Sendable (Destination) -> [String] = { to in
  [to.path, to.query, to.segments.last ?? ""] + [to.parameter("sig") ?? ""]
}

private let webhookProblem: @Sendable (Destination) -> String? = { to in
  to.host.isEmpty || to.path.isEmpty
    ? "\(to.service.name) needs the address of a webhook, without its https" : nil
}

/// An object of those members that are given.
private func members(_ all: [(String, Value?)]) -> Value {
  .record(all.compactMap { name, value in value.map { (name, $0) } })
}

/// A text as a member; nil for an empty one.
private func text(_ words: String) -> Value? { words.isEmpty ? nil : .string(words) }

/// Whether ntfy accepts a text as a topic.
private func isTopic(_ text: String) -> Bool {
  (1...64).contains(text.utf8.count)
    && text.utf8.allSatisfy {
      switch $0 {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "_"): true
      default: false
      }
    }
}
