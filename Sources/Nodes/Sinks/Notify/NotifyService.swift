import Fetch
import JSON
import Language

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
  /// Why a destination is wrong; nil if it is right.
  let problem: @Sendable (Destination) -> String?
  let secrets: @Sendable (Destination) -> [String]
  let request: @Sendable (Message, Destination, _ id: String) -> ServiceRequest

  var isMail: Bool { name == "mailto" }

  static let all: [NotifyService] = [
    // docs.ntfy.sh/publish: JSON to the root, with the topic in the body.
    NotifyService(
      name: "ntfy", form: "ntfy://[TOKEN@|USER:PASSWORD@]HOST/TOPIC",
      parts: [.priority, .link, .picture, .tags],
      problem: { $0.host.isEmpty || $0.segments.count != 1 ? "ntfy needs a host and a topic" : nil },
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
            ("topic", .string(to.segments[0])), ("title", .string(message.title)),
            ("message", text(message.body)),
            ("priority", message.priority == 3 ? nil : .number(message.priority)),
            ("tags", message.tags.isEmpty ? nil : .array(message.tags.map { .string($0) })),
            ("click", text(message.link)), ("attach", text(message.picture)),
          ])
      }),
    // core.telegram.org/bots/api: sendMessage and sendPhoto, texts as HTML.
    NotifyService(
      name: "telegram", form: "telegram://BOT_TOKEN/CHAT_ID", parts: [.priority, .link, .picture, .tags],
      problem: {
        $0.host.isEmpty || $0.segments.count != 1 ? "telegram needs a bot's token and a chat" : nil
      },
      secrets: { [$0.host] },
      request: { message, to, _ in
        var lines = ["<b>\(markup(message.title))</b>"]
        if !message.body.isEmpty { lines.append(markup(message.body)) }
        if !message.link.isEmpty {
          lines.append("<a href=\"\(markup(message.link))\">\(markup(message.link))</a>")
        }
        if !message.tags.isEmpty {
          lines.append(message.tags.map { "#\(markup(hashtag($0)))" }.joined(separator: " "))
        }
        let words = lines.joined(separator: "\n")
        // A caption may have 1024 characters; with more, the picture is a link.
        let isPhoto = !message.picture.isEmpty && words.utf16.count <= 1024
        let rest = isPhoto || message.picture.isEmpty ? words : words + "\n\(markup(message.picture))"
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
        var blocks: [Value] = [.record([("type", "header"), ("text", plain(cut(message.title, 150)))])]
        var words = markup(message.body)
        if !message.link.isEmpty { words += (words.isEmpty ? "" : "\n") + "<\(markup(message.link))>" }
        if !words.isEmpty {
          blocks.append(.record([("type", "section"), ("text", marked(cut(words, 3000)))]))
        }
        if !message.picture.isEmpty {
          blocks.append(
            .record([
              ("type", "image"), ("image_url", .string(message.picture)),
              ("alt_text", .string(cut(message.title, 2000))),
            ]))
        }
        if !message.tags.isEmpty {
          let tags = marked(markup(message.tags.joined(separator: " · ")))
          blocks.append(.record([("type", "context"), ("elements", .array([tags]))]))
        }
        return ServiceRequest(
          to.webhook,
          members: [("text", .string(markup(message.line))), ("blocks", .array(blocks))])
      }),
    // discord.com/developers/docs/resources/webhook: with wait=true errors are reported.
    NotifyService(
      name: "discord", form: "discord://discord.com/api/webhooks/ID/SECRET",
      parts: [.priority, .link, .picture, .tags],
      problem: webhookProblem, secrets: webhookSecrets,
      request: { message, to, _ in
        let embed = members([
          ("title", .string(cut(message.title, 256))), ("description", text(cut(message.body, 4096))),
          ("url", text(message.link)),
          ("image", message.picture.isEmpty ? nil : .record([("url", .string(message.picture))])),
          (
            "footer",
            message.tags.isEmpty
              ? nil : .record([("text", .string(cut(message.tags.joined(separator: " · "), 2048)))])
          ),
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
        if !message.body.isEmpty { html.append(markup(message.body).replacing("\n", with: "<br>")) }
        if !message.link.isEmpty {
          html.append("<a href=\"\(markup(message.link))\">\(markup(message.link))</a>")
        }
        if !message.tags.isEmpty { html.append(markup(message.tags.joined(separator: " · "))) }
        let plain = [message.title, message.body, message.link, message.tags.joined(separator: " · ")]
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
            ("title", .string(cut(message.title, 250))),
            ("message", .string(cut(message.body.isEmpty ? message.title : message.body, 1024))),
            ("priority", message.priority == 3 ? nil : .number(message.priority - 3)),
            ("retry", isUrgent ? .number(60) : nil), ("expire", isUrgent ? .number(3600) : nil),
            ("url", message.link.utf8.count > 512 ? nil : text(message.link)),
          ])
      }),
    // learn.microsoft.com: a workflow's webhook with an Adaptive Card 1.4.
    NotifyService(
      name: "teams", form: "teams://HOST/workflows/…?…&sig=SECRET", parts: [.link, .picture, .tags],
      problem: webhookProblem, secrets: webhookSecrets,
      request: { message, to, _ in
        func block(_ words: String, _ style: [(String, Value)] = []) -> Value {
          .record([("type", "TextBlock"), ("text", .string(words)), ("wrap", .bool(true))] + style)
        }
        var body = [block(message.title, [("weight", "Bolder"), ("size", "Medium")])]
        if !message.body.isEmpty { body.append(block(message.body.replacing("\n", with: "\n\n"))) }
        if !message.picture.isEmpty {
          body.append(
            .record([
              ("type", "Image"), ("url", .string(message.picture)), ("altText", .string(message.title)),
            ]))
        }
        if !message.tags.isEmpty {
          body.append(block(message.tags.joined(separator: " · "), [("isSubtle", .bool(true))]))
        }
        let open = Value.record([
          ("type", "Action.OpenUrl"), ("title", "Open"), ("url", .string(message.link)),
        ])
        let card = members([
          ("$schema", "http://adaptivecards.io/schemas/adaptive-card.json"), ("type", "AdaptiveCard"),
          ("version", "1.4"), ("body", .array(body)),
          ("actions", message.link.isEmpty ? nil : .array([open])),
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
        do throws(DestinationError) { _ = try MailRoute(to) } catch { return error.description }
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
    body = Nodes.members(members)
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

private func cut(_ words: String, _ limit: Int) -> String {
  words.utf16.count <= limit ? words : String(decoding: words.utf16.prefix(limit - 1), as: UTF16.self) + "…"
}

/// A text with the characters escaped that HTML, and Slack, interpret.
func markup(_ text: String) -> String {
  text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    .replacing("\"", with: "&quot;")
}

/// A tag without the characters that would end a hashtag.
private func hashtag(_ text: String) -> String {
  String(text.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
}
