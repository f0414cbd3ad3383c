import Expectations
@testable import Connectors
import Engine
import Fetch
import JSON
import Language
import Loopback
import Store
import TestSupport
import Testing
import Trials

import System

/// Requests to services, compared with what their documentation asks for.
@Suite("Services for notifications", .timeLimit(.minutes(30))) struct NotifyServiceTests {
  private let asked = Journal<TransferOrder>()

  /// Sends one full message and returns its request.
  private func order(
    _ to: String, event: String = #"{"t":"<Heron> & 9","b":"line 1\nline 2"}"#, options: String? = nil
  ) throws -> TransferOrder {
    let all =
      "priority: high, link: 'https://a.org/?x=1&y', picture: 'https://a.org/p.png', tags: [rocket, 'a b']"
    let sink = #"s: { notify: { to: '\#(to)', title: '\(.t)', body: '\(.b)', \#(options ?? all) } }"#
    let seen = try SinkBench.answering([.init("{}")], noting: asked).run(sink, lines: [event])
    #expect(seen.log.isEmpty, "\(seen.log)")
    return try #require(asked.entries.last)
  }

  private func body(_ order: TransferOrder) -> String { String(decoding: order.body, as: UTF8.self) }

  @Test("ntfy gets JSON with the topic, at the root of the server")
  func ntfy() throws {
    let order = try order("ntfy://tk_secret@ntfy.example.org/launches")
    #expect(order.method == .post && order.address.text == "https://ntfy.example.org/")
    expect(order.header("Authorization"), equals: "Bearer tk_secret")
    expect(order.header("Content-Type"), equals: "application/json")
    expect(order.header("Idempotency-Key")?.hasPrefix("p/s/"), equals: true)
    expect(
      body(order),
      equals:
        #"{"topic":"launches","title":"<Heron> & 9","message":"line 1\nline 2","priority":4,"tags":["rocket","a b"],"click":"https://a.org/?x=1&y","attach":"https://a.org/p.png"}"#
    )
    let basic = try self.order("ntfy+http://me:p%40ss@10.0.0.2:8080/x", options: "tags: []")
    #expect(
      basic.address.text == "http://10.0.0.2:8080/" && basic.header("Authorization") == "Basic bWU6cEBzcw==")
    expect(body(basic), equals: #"{"topic":"x","title":"<Heron> & 9","message":"line 1\nline 2"}"#)
  }

  @Test(
    "Telegram gets a photo with a caption in HTML, or a message where there is no picture or too much text")
  func telegram() throws {
    let order = try order("telegram://123:AAtoken/-100200")
    expect(order.address.text, equals: "https://api.telegram.org/bot123:AAtoken/sendPhoto")
    expect(
      body(order),
      equals:
        #"{"chat_id":"-100200","photo":"https://a.org/p.png","caption":"<b>&lt;Heron&gt; &amp; 9</b>\nline 1\nline 2\n<a href=\"https://a.org/?x=1&amp;y\">https://a.org/?x=1&amp;y</a>\n#rocket #a_b","parse_mode":"HTML"}"#
    )
    let plain = try self.order(
      "telegram://123:AAtoken/@sky?server=http://127.0.0.1:8081/", options: "priority: low, tags: []")
    expect(plain.address.text, equals: "http://127.0.0.1:8081/bot123:AAtoken/sendMessage")
    expect(
      body(plain),
      equals:
        #"{"chat_id":"@sky","text":"<b>&lt;Heron&gt; &amp; 9</b>\nline 1\nline 2","parse_mode":"HTML","disable_notification":true}"#
    )
    let long = #"{"t":"t","b":"\#(String(repeating: "x", count: 1200))"}"#
    let message = try self.order(
      "telegram://123:AAtoken/1", event: long, options: "picture: 'https://a.org/p'")
    #expect(
      message.address.text.hasSuffix("/sendMessage") && body(message).contains(#"xx\nhttps://a.org/p""#))
  }

  @Test("Slack gets blocks, with the characters escaped that it interprets")
  func slack() throws {
    let order = try order("slack://hooks.slack.com/services/T0/B0/secret")
    expect(order.address.text, equals: "https://hooks.slack.com/services/T0/B0/secret")
    let value = try Value.parse(order.body)
    expect(value.member("text")?.string, equals: "&lt;Heron&gt; &amp; 9: line 1\nline 2")
    expect(
      value.member("blocks")?.description,
      equals:
        #"[{"type":"header","text":{"type":"plain_text","text":"<Heron> & 9"}},{"type":"section","text":{"type":"mrkdwn","text":"line 1\nline 2\n<https://a.org/?x=1&amp;y>"}},{"type":"image","image_url":"https://a.org/p.png","alt_text":"<Heron> & 9"},{"type":"context","elements":[{"type":"mrkdwn","text":"rocket · a b"}]}]"#
    )
  }

  @Test("Discord gets an embed that can mention no one")
  func discord() throws {
    let order = try order("discord://discord.com/api/webhooks/1/secret?thread_id=2")
    expect(order.address.text, equals: "https://discord.com/api/webhooks/1/secret?thread_id=2&wait=true")
    expect(
      body(order),
      equals:
        #"{"embeds":[{"title":"<Heron> & 9","description":"line 1\nline 2","url":"https://a.org/?x=1&y","image":{"url":"https://a.org/p.png"},"footer":{"text":"rocket · a b"}}],"allowed_mentions":{"parse":[]}}"#
    )
    let quiet = try self.order("discord://discord.com/api/webhooks/1/secret", options: "priority: min")
    #expect(quiet.address.text.hasSuffix("/secret?wait=true") && body(quiet).hasSuffix(#""flags":4096}"#))
  }

  @Test("Matrix gets an event whose transaction is the notification's id")
  func matrix() throws {
    let order = try order("matrix://syt_secret@matrix.example.org/!room:example.org")
    #expect(order.method == .put && order.header("Authorization") == "Bearer syt_secret")
    expect(
      order.address.text,
      equals:
        "https://matrix.example.org/_matrix/client/v3/rooms/%21room%3Aexample.org/send/m.room.message/p%2Fs%2F1767225600000-0"
    )
    expect(
      body(order),
      equals:
        #"{"msgtype":"m.text","body":"<Heron> & 9\nline 1\nline 2\nhttps://a.org/?x=1&y\nrocket · a b","format":"org.matrix.custom.html","formatted_body":"<strong>&lt;Heron&gt; &amp; 9</strong><br>line 1<br>line 2<br><a href=\"https://a.org/?x=1&amp;y\">https://a.org/?x=1&amp;y</a><br>rocket · a b"}"#
    )
  }

  @Test("Gotify gets a message with extras, also below a path")
  func gotify() throws {
    let order = try order("gotify://push.example.org/gotify/AppToken")
    expect(order.address.text, equals: "https://push.example.org/gotify/message")
    expect(order.header("X-Gotify-Key"), equals: "AppToken")
    expect(
      body(order),
      equals:
        #"{"title":"<Heron> & 9","message":"line 1\nline 2","priority":8,"extras":{"client::notification":{"click":{"url":"https://a.org/?x=1&y"},"bigImageUrl":"https://a.org/p.png"}}}"#
    )
  }

  @Test("Pushover gets retry and expire where a message is urgent")
  func pushover() throws {
    let order = try order("pushover://apptoken/userkey", options: "priority: urgent, link: 'https://a.org'")
    expect(order.address.text, equals: "https://api.pushover.net/1/messages.json")
    expect(
      body(order),
      equals:
        #"{"token":"apptoken","user":"userkey","title":"<Heron> & 9","message":"line 1\nline 2","priority":2,"retry":60,"expire":3600,"url":"https://a.org"}"#
    )
  }

  @Test("Teams gets an Adaptive Card at the workflow's address")
  func teams() throws {
    let order = try order(
      "teams://prod-1.westeurope.logic.azure.com:443/workflows/w/run?api-version=1&sig=secret")
    expect(
      order.address.text,
      equals: "https://prod-1.westeurope.logic.azure.com/workflows/w/run?api-version=1&sig=secret")
    let attachment = try #require(try Value.parse(order.body).member("attachments")?.items?.first)
    expect(attachment.member("contentType")?.string, equals: "application/vnd.microsoft.card.adaptive")
    expect(
      attachment.member("content")?.description,
      equals:
        #"{"$schema":"http://adaptivecards.io/schemas/adaptive-card.json","type":"AdaptiveCard","version":"1.4","body":[{"type":"TextBlock","text":"<Heron> & 9","wrap":true,"weight":"Bolder","size":"Medium"},{"type":"TextBlock","text":"line 1\n\nline 2","wrap":true},{"type":"Image","url":"https://a.org/p.png","altText":"<Heron> & 9"},{"type":"TextBlock","text":"rocket · a b","wrap":true,"isSubtle":true}],"actions":[{"type":"Action.OpenUrl","title":"Open","url":"https://a.org/?x=1&y"}]}"#
    )
  }

  @Test("a server receives it, and a failure is retried with the same id when Retry-After says")
  func server() throws {
    let server = try LoopbackServer { request in
      let head =
        request.number == 1 && request.connection == 1
        ? "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\n" : "HTTP/1.1 200 OK\r\n"
      return [.send(Array("\(head)Content-Length: 2\r\n\r\n{}".utf8))]
    }
    try server.serving {
      var bench = SinkBench()
      bench.access = realWeb()
      let sink =
        "s: { notify: { to: 'ntfy+http://127.0.0.1:\(server.port)/topic', title: hello, backoff: 0s } }"
      let seen = try bench.run(sink, lines: ["1"], isReal: true)
      expect(seen.statistics.last?.errors, equals: 0, "\(seen.log)")
      #expect(
        seen.log.count == 1 && seen.log[0].contains("429"),
        "the first failed attempt is reported: \(seen.log)")
    }
    let received = server.received
    #expect(received.count == 2 && received.allSatisfy { $0.method == "POST" && $0.target == "/" })
    expect(Set(received.compactMap { $0.headers["idempotency-key"] }).count, equals: 1)
    expect(
      String(decoding: received.last?.body ?? [], as: UTF8.self),
      equals: #"{"topic":"topic","title":"hello"}"#)
  }

  @Test(
    "the wait that a service writes into the body is obeyed",
    arguments: [
      (#"{"ok":false,"error_code":429,"parameters":{"retry_after":100}}"#, "telegram://1:AAAA/2"),
      (#"{"errcode":"M_LIMIT_EXCEEDED","error":"slow","retry_after_ms":100000}"#, "matrix://t@h/!r:h"),
      (#"{"message":"slow","retry_after":100.0,"global":false}"#, "discord://discord.com/api/webhooks/1/s"),
    ])
  func statedWait(_ busy: String, _ to: String) throws {
    for (seconds, count) in [(30, 1), (101, 2)] {
      let asked = Journal<TransferOrder>()
      var bench = SinkBench.answering([.init(busy, status: 429), .init("{}")], noting: asked)
      bench.afterwards = .seconds(seconds)
      let state = try TemporaryState()
      bench.state = state
      let sink = "s: { notify: { to: '\(to)', title: x, backoff: 0s } }"
      _ = try bench.run(sink, polls: [["1"]])
      expect(asked.entries.count, equals: count)
    }
  }

  @Test("keys are neither shown nor stored, and a message that fails for good is a dead letter")
  func secrets() throws {
    let state = try TemporaryState()
    var bench = SinkBench.answering([.init("no", status: 401)], noting: asked)
    bench.state = state
    let sink = "s: { notify: { to: 'telegram://123:verysecret/456', title: x } }"
    let seen = try bench.run(sink, lines: ["1"])
    #expect(asked.entries.count == 1 && seen.log.count == 1, "\(seen.log)")
    expect(
      seen.log.first?.hasPrefix("s: POST https://api.telegram.org/bot***/sendMessage: answered 401"),
      equals: true, "\(seen.log)")
    let letter = try #require(try StateReader(path: state.path).deadLetters().first)
    #expect(!"\(letter)".contains("verysecret") && letter.reason.contains("***"))
    #expect(!String(decoding: letter.entry.bytes, as: UTF8.self).contains("verysecret"))
  }

  @Test("a dry run prints the request without its keys, and sends nothing")
  func dryRun() throws {
    var bench = SinkBench.answering([.init("")], noting: asked)
    bench.isDryRun = true
    let seen = try bench.run("s: { notify: { to: 'pushover://apptoken/userkey', title: x } }", lines: ["1"])
    #expect(asked.entries.isEmpty && seen.text.contains("curl -X POST"))
    #expect(!seen.text.contains("apptoken") && !seen.text.contains("userkey"), "\(seen.text)")
  }

  @Test("errors in data are errors of their event")
  func wrongData() throws {
    let sink = #"s: { notify: { to: 'ntfy://h/t', title: x, priority: '\(.p)', link: '\(.l)' } }"#
    let seen = try SinkBench.answering([.init("")], noting: asked).run(
      sink,
      lines: [
        #"{"p":"9","l":""}"#, #"{"p":3,"l":"javascript:alert(1)"}"#, #"{"p":"urgent","l":null}"#,
      ])
    #expect(asked.entries.count == 1 && seen.log.count == 2)
    expect(seen.log.first?.contains("“9” is not a priority: "), equals: true, "\(seen.log)")
    expect(seen.log.last?.contains("https:// or http://"), equals: true, "\(seen.log)")
  }

  @Test(
    "a wrong destination is a problem with a hint",
    arguments: [
      ("ntyf://h/t", "did you mean ntfy:?"), ("ntfy://h", "ntfy needs a host and a topic"),
      ("ntfy://h/my%20topic", "a topic of ntfy has 1 to 64 letters, digits, hyphens and underscores"),
      ("ntfy://h/\(String(repeating: "x", count: 65))", "a topic of ntfy has 1 to 64"),
      ("hello", "a destination begins with a service"), ("telegram://123:abc", "a bot's token and a chat"),
      ("matrix://h/!r:h", "matrix needs an access token"), ("matrix://t@h/room", "begins with !"),
      ("slack://hooks.slack.com", "the address of a webhook"), ("sms://1", "known are “ntfy”"),
      ("mailto:me", "addresses such as me@example.org"),
      ("mailto:me@a.org?server=imap://h", "begins with smtps:// or smtp://"),
    ])
  func wrong(_ to: String, _ message: String) {
    let problems = SinkBench.problems("s: { notify: { to: '\(to)', title: x } }")
    #expect(problems.contains(message), "\(problems)")
  }

  @Test("options that need a service, or none, are refused")
  func together() {
    let none = SinkBench.problems("s: { notify: { title: x, link: 'http://a' } }")
    #expect(none.contains("link has no effect without to"))
    let both = SinkBench.problems("s: { notify: { to: 'ntfy://h/t', title: x, urgency: low } }")
    #expect(both.contains("urgency has no effect with to") && both.contains("use priority"))
  }
}
