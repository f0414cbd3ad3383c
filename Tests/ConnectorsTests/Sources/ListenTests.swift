import Expectations
@testable import Delivery
import AllNodes
@testable import Connectors
import Decode
import Fetch
import Glibc
import JSON
import Language
import Loopback
import Reactive
import Server
import Store
import TestSupport
import Testing
import Trials

@testable import Engine
import System

/// The source `listen`: what is answered when, and what becomes an event.
@Suite("Webhooks", .timeLimit(.minutes(30))) struct ListenTests {
  /// A pipeline that listens, at a port of its own.
  private final class Listening {
    let heard = Journal<String>()
    let log = Journal<String>()
    private let ends = Journal<Bool>()
    /// Events wait here while it is closed.
    let gate = ConditionLock(true)
    /// The events that have come there.
    let arrived = Journal<String>()
    let run: PipelineRun
    let port: Int

    init(_ more: String = "", _ state: TemporaryState? = nil) throws {
      let plan = try Trial.plan(
        "sources: { in: { listen: { address: '127.0.0.1:0'\(more.isEmpty ? "" : ", " + more) } } }\nsteps: []\nsinks: { it: null }\n"
      )
      let (heard, log, ends, gate, arrived) = (heard, log, ends, gate, arrived)
      var options = RunOptions(world: .real, log: Log { log.note($0.message) }, screen: silentScreen)
      options.sink = { _, _ in
        Hearing { value in
          arrived.note("\(value)")
          _ = gate.wait { $0 ? true : nil }
          heard.note("\(value)")
        }
      }
      if let state {
        options.state = { _ in try StateFile(path: state.path, .init(database: .init(sync: .never))) }
      }
      let run = try PipelineRun(plan, options, clock: nil) { ends.note($0) }
      run.start()
      self.run = run
      #expect(eventually { !log.entries.isEmpty })
      let line = log.entries.first ?? ""
      port = Int(line.split(separator: ":").last?.prefix { $0.isNumber } ?? "") ?? 0
      #expect(line.hasPrefix("listens at http://127.0.0.1:\(port)/"))
    }

    deinit { stop() }

    func stop() {
      // In this order, or what waits behind the gate is taken before the stop on a busy machine.
      run.stop()
      gate.change { $0 = true }
      #expect(eventually { !ends.entries.isEmpty })
    }

    func client() throws -> LoopbackClient { try #require(LoopbackClient(port: port)) }

    /// The status of a request.
    func status(
      _ path: String = "/", method: String = "POST", headers: [String] = [], _ body: String
    ) throws -> Int? {
      let client = try client()
      client.request(body, to: path, method: method, headers: headers)
      return client.answer()?.status
    }
  }

  @Test("the values of a body are events, and 202 is the answer; anything else is refused by its own status")
  func statuses() throws {
    let listening = try Listening("path: /hook")
    try expect(listening.status("/hook", #"{"a":1}"#), equals: 202)
    try expect(listening.status("/hook?x=1", method: "PUT", "[2, 3]"), equals: 202)
    try expect(listening.status("/other", "1"), equals: 404)
    try expect(listening.status("/hook", method: "DELETE", "1"), equals: 405)
    try expect(listening.status("/hook", headers: ["Origin: https://evil.example"], "1"), equals: 403)
    try expect(listening.status("/hook", ""), equals: 202)
    try expect(listening.status("/hook?job=backup", ""), equals: 202)
    let client = try listening.client()
    client.request(#"{"a":"#, to: "/hook")
    let refused = try #require(client.answer())
    #expect(refused.status == 400 && refused.body.hasPrefix("json: "), "\(refused)")
    client.request("4", to: "/hook")
    expect(client.answer()?.status, equals: 202, "the connection is used again")
    expect(listening.heard.entries, equals: [#"{"a":1}"#, "2", "3", "{}", #"{"job":"backup"}"#, "4"])
    #expect(listening.log.entries.dropFirst().allSatisfy { $0.hasPrefix("a webhook was refused: json: ") })
    let source = listening.run.outline().sources.first
    #expect(source?.refused == 4 && source?.lastEvent != nil)
  }

  @Test("any format is decoded, and the envelope has all but keys")
  func formats() throws {
    let table = try Listening("decode: csv")
    try expect(table.status("/", "a,b\n1,2\n3,4\n"), equals: 202)
    expect(table.heard.entries.suffix(2), equals: [#"{"a":"1","b":"2"}"#, #"{"a":"3","b":"4"}"#])
    let whole = try Listening("envelope: true, token: a-long-token, id: X-Id")
    let status = try whole.status(
      "/h?token=a-long-token&x=1", headers: ["X-Event: push", "X-Id: 7", "Cookie: c=1", "X-Gitlab-Token: t"],
      "1")
    expect(status, equals: 202)
    let event = try #require(try whole.heard.entries.first.map { try Value.parse(Array($0.utf8)) })
    #expect(event.member("path")?.string == "/h" && event.member("data")?.double == 1)
    expect(event.member("query")?.description, equals: #"{"x":"1"}"#)
    expect(event.member("headers")?.member("x-event")?.string, equals: "push")
    #expect(!event.description.contains("cookie") && !event.description.contains("-token"), "\(event)")
    try expect(whole.status("/", "1"), equals: 401)
  }

  @Test("a request is answered when its events have been processed, and not before")
  func acknowledgement() throws {
    let listening = try Listening("", try TemporaryState())
    listening.gate.change { $0 = false }
    let client = try listening.client()
    client.request("1")
    #expect(!client.hasAnswer(within: 150))
    listening.gate.change { $0 = true }
    expect(client.answer()?.status, equals: 202)
    expect(listening.heard.entries, equals: ["1"])
  }

  @Test("a batch that is dropped on its way is not acknowledged")
  func dropped() {
    let results = Journal<Bool>()
    func drop() { _ = Acknowledgement { results.note($0) } }
    drop()
    let kept = Acknowledgement { results.note($0) }
    kept.resolve(true)
    kept.resolve(false)
    expect(results.entries, equals: [false, true])
  }

  @Test("a full queue is answered with 503 and Retry-After, a long body with 413")
  func limits() throws {
    let listening = try Listening("queue: 2, max_body: 8")
    listening.gate.change { $0 = false }
    let waiting = try (0..<2).map { _ in try listening.client() }
    for client in waiting { client.request("1") }
    #expect(!waiting[0].hasAnswer(within: 100) && !waiting[1].hasAnswer(within: 10))
    let third = try listening.client()
    third.request("1")
    let refused = try #require(third.answer())
    #expect(refused.status == 503 && refused.head.contains("Retry-After: 1"))
    try expect(listening.status("/", "123456789"), equals: 413)
    listening.gate.change { $0 = true }
    #expect(waiting.allSatisfy { $0.answer()?.status == 202 })
    try expect(listening.status("/", "12345678"), equals: 202)
  }

  @Test("a body that takes long to decode keeps no other sender waiting, and has its answer after the commit")
  func longBody() throws {
    let listening = try Listening(
      "decode: { html: { select: 'div:contains(zz)' } }, id: X-Id", try TemporaryState())
    let client = try listening.client()
    let divs = String(repeating: "<div>", count: 100)
    client.request(divs + String(repeating: "x ", count: 20_000) + "zz", headers: ["X-Id: 1"])
    #expect(!client.hasAnswer(within: 50))
    try expect(listening.status("/", "<div>zz</div>"), equals: 202)
    #expect(listening.heard.entries == [#""zz""#] && !client.hasAnswer(within: 0))
    expect(client.answer()?.status, equals: 202)
    expect(listening.heard.entries.count, equals: 101)
    try expect(listening.status(headers: ["X-Id: 1"], "<div>zz</div>"), equals: 202)
    expect(listening.heard.entries.count, equals: 101)
    // Decoding this would take longer than the stop may.
    client.request(divs + String(repeating: "x ", count: 500_000))
    #expect(!client.hasAnswer(within: 50))
    let time = elapsed { listening.stop() }
    #expect(client.answer()?.status == 503 && time < .seconds(4))
  }

  @Test("a request that is still being decoded when the run ends has its answer before the server stops")
  func lateDecoding() throws {
    try RequestServer.load()
    let plan = try Trial.plan("sources: { in: { listen: '127.0.0.1:0' } }\nsteps: []\nsinks: { it: null }\n")
    let front = WebhookFront(try #require(plan.sources.first).options, now: { 0 }, refused: {})
    let socket = try ListeningSocket(port: 0)
    let server = try RequestServer(
      front, on: socket, .one(memory: 32768), connections: front.connections, idle: 10)
    let client = try #require(LoopbackClient(port: socket.port))
    client.request("1")
    let webhook = try #require(front.next(StopSign())?.first)
    front.stop(within: .milliseconds(20))
    server.stop()
    expect(client.answer()?.status, equals: 503)
    front.putBack(webhook)
    front.answer(webhook, 202, "accepted")
  }

  @Test("a client that is slow is cut off, whether or not it sends a byte now and then")
  func slow() throws {
    let listening = try Listening("timeout: 300ms")
    let client = try listening.client()
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n")
    let time = elapsed {
      for _ in 0..<200 where !client.hasAnswer(within: 20) { client.send("1") }
      expectNil(client.answer())
    }
    #expect(time < .seconds(4))
    try expect(listening.status("/", "1"), equals: 202)
    expect(listening.heard.entries, equals: ["1"])
  }

  @Test(
    "hundreds of half requests keep no other sender out",
    .enabled(if: sysconf(Int32(_SC_OPEN_MAX)) > 2500, "not enough descriptors: ulimit -n 4096"))
  func halfRequests() throws {
    let listening = try Listening()
    let halves = try (0..<800).map { _ in
      let client = try listening.client()
      client.send("POST / HTTP/1.1\r\nHost: localhost\r\n")
      return client
    }
    var status: Int?
    let time = try elapsed { status = try listening.status("/", "1") }
    #expect(status == 202 && time < .seconds(4) && halves.count == 800)
  }

  @Test("a long body, however it is made, keeps no other sender waiting")
  func longTable() throws {
    let listening = try Listening("decode: csv")
    let client = try listening.client()
    client.request(
      String(repeating: "a,", count: 100_000) + "a\n" + String(repeating: "1,", count: 100_000) + "1")
    var status: Int?
    let time = try elapsed { status = try listening.status("/", "a\n1") }
    #expect(status == 202 && time < .seconds(4))
    expect(client.answer()?.status, equals: 202)
  }

  @Test("without token and signature only the own hosts are answered, as a name may mean this machine")
  func hosts() throws {
    func status(_ listening: Listening, _ host: String, _ path: String = "/") throws -> Int? {
      let client = try listening.client()
      client.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      return client.answer()?.status
    }
    let open = try Listening("methods: [get], hosts: [hooks.example.org], path: /gh")
    try expect(status(open, "evil.example:\(open.port)", "/gh"), equals: 421)
    for host in ["localhost", "LOCALHOST:1", "127.0.0.1:\(open.port)", "Hooks.example.org"] {
      try expect(status(open, host, "/gh"), equals: 202)
    }
    // A zero byte ends no path.
    try expect(status(open, "localhost", "/gh%00"), equals: 404)
    let guarded = try Listening("methods: [get], token: a-long-token")
    try expect(status(guarded, "evil.example", "/?token=a-long-token"), equals: 202)
  }

  @Test("a repeat of an accepted request is acknowledged and dropped, also by the next run")
  func ids() throws {
    let state = try TemporaryState()
    func status(_ listening: Listening, _ id: String, _ body: String) throws -> Int? {
      try listening.status(headers: ["X-Id: \(id)"], body)
    }
    let first = try Listening("id: X-Id", state)
    #expect(try status(first, "a", "1") == 202 && status(first, "a", "1") == 202)
    #expect(try status(first, "b", "oops") == 400 && status(first, "b", "2") == 202)
    #expect(try first.status("/", "3") == 202 && first.status("/", "3") == 202)
    first.stop()
    expect(first.heard.entries, equals: ["1", "2", "3", "3"])
    let second = try Listening("id: X-Id", try state.copy())
    #expect(try status(second, "b", "2") == 202 && status(second, "c", "4") == 202)
    expect(second.heard.entries, equals: ["4"])
    var recent = RecentIDs(nil)
    for number in 0...RecentIDs.limit { recent.insert("\(number)") }
    #expect(!recent.contains("0") && recent.contains("1") && RecentIDs(recent.position) == recent)
  }

  @Test("a stopped run acknowledges what it has committed and refuses the rest")
  func stop() throws {
    let listening = try Listening("", try TemporaryState())
    listening.gate.change { $0 = false }
    let (first, second) = (try listening.client(), try listening.client())
    first.request("1")
    #expect(eventually { listening.arrived.entries == ["1"] } && !first.hasAnswer(within: 20))
    second.request("2")
    // By then the server has read it, also on a busy machine.
    #expect(!second.hasAnswer(within: 500))
    let time = elapsed { listening.stop() }
    #expect(first.answer()?.status == 202 && second.answer()?.status == 503)
    #expect(listening.heard.entries == ["1"] && time < .seconds(4))
    expectNil(LoopbackClient(port: listening.port))
  }

  @Test("signatures as GitHub and Shopify send them, by published examples")
  func signatures() {
    let code = SHA256.authenticationCode(
      of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
    expect(base64(code), equals: "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=", "RFC 4231, 4.3")
    let guarding = WebhookGuard(
      signature: WebhookSignature(header: "X-Hub-Signature-256", secret: "It's a Secret to Everybody"))
    func status(_ value: String?, _ body: String = "Hello, World!") -> Int? {
      guarding.refusal(
        method: "POST", path: "/", query: [],
        headers: value.map { [("x-hub-signature-256", $0)] } ?? [], body: Array(body.utf8))?.status
    }
    let digits = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    #expect(status("sha256=" + digits) == nil && status(digits) == nil)
    expectNil(status("dXEH6g6yUJ/CESIczphLijdXC211hsIsRvQ3nIsEPhc="))
    for wrong in [nil, "", "sha256=", "sha256=" + digits.dropLast(), digits + "0"] {
      expect(status(wrong), equals: 401)
    }
    expect(status("sha256=" + digits, "Hello, World?"), equals: 401)
  }

  @Test("signatures with a time as Slack and Stripe send them, by Slack's published example")
  func timedSignatures() {
    let slackBody =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V"
      + "&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text="
      + "&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
      + "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    let slack = WebhookSignature(.slack, secret: "8f742231b10e8888abcd99yyyzzz85a5")
    let code = "a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
    func slackFlaw(
      _ value: String, _ body: String = slackBody, now: Int = 1_531_420_618, time: String? = "1531420618"
    ) -> String? {
      let headers = [("x-slack-signature", value)] + (time.map { [("x-slack-request-timestamp", $0)] } ?? [])
      return slack.flaw(headers, Array(body.utf8), now: Double(now))
    }
    for now in [1_531_420_618 + 300, 1_531_420_618 - 300] {
      expectNil(slackFlaw("v0=" + code, now: now))
    }
    for now in [1_531_420_618 + 301, 1_531_420_618 - 301] {
      expect(slackFlaw("v0=" + code, now: now), equals: "the signature is not of the last 5m")
    }
    let wrong = "the signature is missing or wrong"
    #expect(slackFlaw(code) == wrong && slackFlaw("v0=" + code, time: nil) == wrong)
    expect(slackFlaw("v0=" + code, now: 1_531_420_619, time: "1531420619"), equals: wrong)
    expect(slackFlaw("v0=" + code, slackBody + " "), equals: wrong)

    let stripe = WebhookSignature(.stripe, secret: "whsec_test", tolerance: .seconds(60))
    let signed = SHA256.authenticationCode(of: Array("1700000000.{}".utf8), key: Array("whsec_test".utf8))
    let hex = signed.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    func stripeFlaw(_ value: String, _ now: Double = 1_700_000_000) -> String? {
      stripe.flaw([("stripe-signature", value)], Array("{}".utf8), now: now)
    }
    #expect(
      stripeFlaw("t=1700000000,v1=\(hex),v0=00") == nil && stripeFlaw("t=1700000000, v1=00,v1=\(hex)") == nil)
    expect(stripeFlaw("t=1700000000,v1=\(hex)", 1_700_000_061), equals: "the signature is not of the last 1m")
    for value in [
      "", "t=1700000000", "v1=\(hex)", "t=1700000000,v0=\(hex)", "t=1700000001,v1=\(hex)", "t=x,v1=\(hex)",
    ] {
      expect(stripeFlaw(value), equals: wrong, "\(value)")
    }
  }

  @Test("a signed request that is sent again is acknowledged and dropped")
  func replays() throws {
    let listening = try Listening("signature: { scheme: stripe, secret: s }")
    func header(_ time: Int) -> String {
      let code = SHA256.authenticationCode(of: Array("\(time).1".utf8), key: Array("s".utf8))
      return "Stripe-Signature: t=\(time),v1="
        + code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    let now = Int(World.real.wallClock())
    for time in [now, now, now - 1] {
      try expect(listening.status(headers: [header(time)], "1"), equals: 202)
    }
    try expect(listening.status(headers: [header(now) + ",v0=other"], "1"), equals: 202)
    try expect(listening.status(headers: [header(now - 400)], "1"), equals: 401)
    expect(listening.heard.entries, equals: ["1", "1"])
  }

  @Test("GET is accepted where methods has it, and the items of the query are the event; forms are decoded")
  func getsAndForms() throws {
    let listening = try Listening("methods: [get, post], decode: form, token: a-long-token")
    try expect(
      listening.status("/x?job=a%20b&n=1&n=2&n=3&token=a-long-token", method: "GET", ""), equals: 202)
    try expect(listening.status("/?token=a-long-token", method: "GET", ""), equals: 202)
    try expect(listening.status("/?token=a-long-token", "job=c+d%26&x&=y\r\n"), equals: 202)
    try expect(listening.status("/?job=a", method: "GET", ""), equals: 401)
    let client = try listening.client()
    client.request("1", to: "/?token=a-long-token", method: "PUT")
    let refused = try #require(client.answer())
    #expect(refused.status == 405 && refused.head.contains("Allow: GET, POST"))
    expect(
      listening.heard.entries,
      equals: [
        #"{"job":"a b","n":["1","2","3"]}"#, "{}", #"{"job":"c d&","x":"","":"y"}"#,
      ])
  }

  @Test("a form in place of JSON is refused with what to do")
  func formsForJSON() throws {
    let listening = try Listening()
    let client = try listening.client()
    client.request("job=backup", headers: ["Content-Type: application/x-www-form-urlencoded"])
    let refused = try #require(client.answer())
    #expect(refused.status == 400 && refused.body.contains("; it is a form: set decode: form"), "\(refused)")
  }

  @Test("a token is taken from where senders put it")
  func tokens() {
    let guarding = WebhookGuard(token: "secret")
    func isAccepted(_ header: (String, String)?, query: [Webhook.Pair] = []) -> Bool {
      guarding.refusal(
        method: "POST", path: "/", query: query, headers: header.map { [$0] } ?? [], body: []) == nil
    }
    #expect(isAccepted(("authorization", "Bearer secret")) && isAccepted(("x-gitlab-token", "secret")))
    #expect(isAccepted(nil, query: [("token", "secret")]))
    #expect(!isAccepted(nil) && !isAccepted(("authorization", "Bearer secre")))
    #expect(!isAccepted(("authorization", "Basic secret")) && !isAccepted(("x-token-of", "secret")))
  }

  @Test("options that do not go together are reported")
  func checks() {
    func problems(_ yaml: String) -> String {
      var reader = PipelineReader(catalog: .all)
      _ = reader.read(
        path: "p.yaml", Array("sources: { in: { listen: \(yaml) } }\nsteps: []\nsinks: { it: null }\n".utf8))
      return "\(reader.problems)"
    }
    #expect(problems("0.0.0.0:80").contains("listen needs a token or a signature"))
    #expect(problems("'[::]:80'").contains("listen needs a token or a signature"))
    expect(problems("{ address: 0.0.0.0:80, token: x }"), equals: "")
    for address in ["127.0.0.1", "a:b", "'::1'", "hello", "70000"] {
      #expect(problems(address).contains("is not an address and port"), "\(address)")
    }
    for address in ["8090", "127.0.0.1:0", "'[::1]:8090'", "unix:hooks.sock"] {
      expect(problems(address), equals: "", "\(problems(address))")
    }
    #expect(problems("{ address: 80, token: '' }").contains("the token is empty"))
    #expect(problems("{ address: 80, signature: { header: a, secret: '' } }").contains("the secret is empty"))
    let headless = problems("{ address: 80, signature: { secret: x } }")
    #expect(headless.contains("the signature needs the option “header”"))
    let idle = problems("{ address: 80, signature: { header: a, secret: x, tolerance: 1m } }")
    #expect(idle.contains("tolerance has no effect"))
    #expect(problems("{ address: 80, methods: [get], decode: form }").contains("decode has no effect"))
    expect(problems("{ address: 80, methods: [get, put], decode: form }"), equals: "")
    let both = problems("{ address: 80, methods: [get], signature: { header: a, secret: x } }")
    #expect(both.contains("a signature is that of a body, which GET does not have"))
    expect(problems("{ address: 80, signature: { scheme: stripe, secret: x, tolerance: 1m } }"), equals: "")
    #expect(problems("{ address: 80, token: x, hosts: [a] }").contains("hosts has no effect"))
    #expect(problems("{ address: 80, path: hook }").contains("a path begins with /"))
  }
}

private final class Hearing: Sink {
  private let note: (Value) -> Void

  init(_ note: @escaping (Value) -> Void) { self.note = note }

  func take(_ event: Event) { note(event.value) }
}
