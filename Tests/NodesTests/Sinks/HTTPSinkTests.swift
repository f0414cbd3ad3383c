import Expectations
@testable import Nodes
import TestSupport
import Fetch
import JSON
import Loopback
import Engine
import Language
import Reactive
import Store
import Testing
import Trials

import System

@Suite(.timeLimit(.minutes(30))) struct HTTPSinkTests {
  private let asked = Journal<TransferOrder>()

  private func bench(_ replies: [Canned.Reply] = [.init("")]) -> SinkBench {
    .answering(replies, noting: asked)
  }

  private var bodies: [String] { asked.entries.map { String(decoding: $0.body, as: UTF8.self) } }

  @Test("each event is posted as JSON, in order, with an id that no other has")
  func plain() throws {
    let seen = try bench().run("go: { http: 'http://a/hook' }", lines: ["1", #"{"b":2}"#])
    expect(bodies, equals: ["1", #"{"b":2}"#])
    #expect(asked.entries.allSatisfy { $0.method == .post && $0.address.text == "http://a/hook" })
    expect(asked.entries.map { $0.header("Content-Type") }, equals: ["application/json", "application/json"])
    expect(
      asked.entries.map { $0.header("Idempotency-Key") },
      equals: ["p/go/1767225600000-0", "p/go/1767225600000-1"])
    #expect(seen.log.isEmpty && seen.text.isEmpty && !seen.hasFailed)
  }

  @Test("data in the address are a part of it, and no more")
  func address() throws {
    let sink = #"go: { http: { url: 'http://a/x/\(.p)/y?q=\(.q)&r=1', method: delete } }"#
    let seen = try bench().run(
      sink,
      lines: [
        #"{"p":"a/../?#%2F","q":"1&r=2"}"#, #"{"p":"..","q":""}"#, #"{"p":"","q":""}"#,
        #"{"p":"ż.","q":null}"#,
      ])
    expect(
      asked.entries.map(\.address.text),
      equals: [
        "http://a/x/a%2F..%2F%3F%23%252F/y?q=1%26r%3D2&r=1", "http://a/x/%C5%BC./y?q=null&r=1",
      ])
    #expect(asked.entries.allSatisfy { $0.method == .delete && $0.body.isEmpty })
    #expect(seen.log.count == 2 && seen.log.allSatisfy { $0.contains("would change the address") })
  }

  @Test(
    "body and headers are made of the event",
    arguments: [
      (#"body: '{a}'"#, #"{"a":"ż"}"#, "application/json"),
      (#"body_text: 'is \(.a)'"#, "is ż", "text/plain; charset=utf-8"),
      (#"body_text: x, headers: { Content-Type: text/x-own }"#, "x", "text/x-own"),
    ])
  func body(_ option: String, _ body: String, _ type: String) throws {
    let own = option.contains("headers:") ? "" : #", headers: { X-A: '<\(.a)>', X-B: b }"#
    _ = try bench().run("go: { http: { url: 'http://a/', \(option)\(own) } }", lines: [#"{"a":"ż","c":1}"#])
    let order = try #require(asked.entries.first)
    #expect(bodies == [body] && order.headers.filter { $0.name == "Content-Type" }.map(\.value) == [type])
    if !own.isEmpty { #expect(order.header("X-A") == "<ż>" && order.header("X-B") == "b") }
  }

  @Test("a line break in data cannot make another header")
  func injection() throws {
    let sink = #"go: { http: { url: 'http://a/', headers: { X-A: '\(.)' } } }"#
    let seen = try bench().run(sink, lines: [#""a\r\nX-B: c""#])
    #expect(asked.entries.isEmpty && seen.log.first?.contains("line break") == true)
  }

  @Test(
    "what may pass is tried again under the same id, then dealt with as on_error says",
    arguments: [408, 425, 429, 500, 501, 503])
  func retries(_ status: Int) throws {
    let sink = "go: { http: { url: 'http://a/x', attempts: 3, backoff: 0s }, on_error: { dead_letter: l } }"
    let seen = try bench([.init("no", status: status)]).run(sink, lines: ["1", "2"])
    expect(bodies, equals: ["1", "1", "1", "2", "2", "2"])
    expect(Set(asked.entries.compactMap { $0.header("Idempotency-Key") }).count, equals: 2)
    #expect(seen.letters.count == 2 && seen.statistics.last?.errors == 2)
    expect(seen.log.first?.hasPrefix("go: POST http://a/x: answered \(status)"), equals: true, "\(seen.log)")
    expect(
      seen.log.first?.hasSuffix("; next try in 0s"), equals: true, "the first failed attempt is reported")
    expect(seen.log.count { $0.contains("after 3 attempts") }, equals: 2, "\(seen.log)")
  }

  @Test(
    "what the server says of the request itself is not tried again",
    arguments: [400, 401, 404, 409, 410, 422])
  func refused(_ status: Int) throws {
    let seen = try bench([.init("no", status: status)]).run(
      "go: { http: { url: 'http://a/x' } }", lines: ["1"])
    #expect(asked.entries.count == 1 && seen.statistics.last?.errors == 1)
  }

  @Test("it is tried again when the server says, and events behind it wait", arguments: [3000, 3700])
  func retryAfter(_ seconds: Int) throws {
    var bench = bench([.init("no", status: 503, [("Retry-After", "3600")]), .init("")])
    bench.afterwards = .seconds(seconds)
    let seen = try bench.run("go: { http: { url: 'http://a/x', backoff: 0s } }", polls: [["1", "2"]])
    expect(bodies, equals: (seconds > 3600 ? ["1", "1", "2"] : ["1"]))
    expect(seen.statistics.last?.errors, equals: (seconds > 3600 ? 0 : 2))
    let log = seen.log.filter { $0.hasPrefix("go:") }
    expect(log.first?.hasSuffix("; next try in 1h"), equals: true, "\(log)")
    expect(log.count, equals: (seconds > 3600 ? 1 : 3), "\(log)")
    #expect(log.dropFirst().allSatisfy { $0.contains("the pipeline ended") }, "\(log)")
  }

  @Test("keys are sent, and neither shown nor kept")
  func secrets() throws {
    let state = try TemporaryState()
    var bench = bench([.init("no", status: 400)])
    bench.state = state
    bench.environment = ["HOOK": "http://a/T000/verysecret", "KEY": "s3cret-key"]
    let sink = #"go: { http: { url: '${HOOK}', bearer: '${KEY}', headers: { X-Own: '${KEY}' } } }"#
    let seen = try bench.run(sink, lines: ["1"])
    let order = try #require(asked.entries.first)
    #expect(order.address.text == "http://a/T000/verysecret" && order.header("X-Own") == "s3cret-key")
    expect(order.header("Authorization"), equals: "Bearer s3cret-key")
    expect(seen.log.first?.hasPrefix("go: POST http://a***: answered 400"), equals: true, "\(seen.log)")
    let letters = try StateReader(path: state.path).deadLetters()
    let kept = try #require(letters.first)
    let text = String(decoding: kept.entry.bytes, as: UTF8.self) + kept.reason
    #expect(!text.contains("secret") && !text.contains("s3cret"), "\(text)")
  }

  @Test("what has failed for good is a dead letter, and sent again by the run after it was put back")
  func deadLetters() throws {
    let state = try TemporaryState()
    var first = bench([.init("no", status: 404)])
    first.state = state
    _ = try first.run("go: { http: { url: 'http://a/x' } }", lines: ["1"])
    let letter = try state.retryDeadLetter()
    #expect(letter.entry.attempts == 1 && letter.reason.hasPrefix("POST http://a/x: answered 404"))
    var second = bench([.init("no", status: 404), .init("")])
    second.state = state
    _ = try second.run("go: { http: { url: 'http://a/x' } }", lines: [])
    expect(bodies, equals: ["1", "1"])
    expect(Set(asked.entries.compactMap { $0.header("Idempotency-Key") }), equals: [letter.entry.id])
    #expect(try StateReader(path: state.path).outbox(sink: "go").isEmpty)
  }

  @Test("retries pending at the end of the pipeline are resumed by the next run, which keeps counting")
  func restart() throws {
    let state = try TemporaryState()
    var first = bench([.init("no", status: 503, [("Retry-After", "3600")])])
    first.state = state
    let seen = try first.run("go: { http: { url: 'http://a/x', attempts: 2 } }", polls: [["1", "2"]])
    expect(seen.log.last, equals: "go: 2 were interrupted; the next run resumes them")
    expect(bodies, equals: ["1"])
    let waiting = try StateReader(path: state.path).outbox(sink: "go")
    #expect(waiting.map(\.attempts) == [1, 0] && (waiting.first?.due ?? 0) > 1_767_225_600 + 3599)
    var second = bench([.init(""), .init("no", status: 500), .init("")])
    second.state = state
    second.afterwards = .seconds(4000)
    let after = try second.run("go: { http: { url: 'http://a/x', attempts: 2 } }", polls: [["3"]])
    #expect(bodies.first == "1" && Set(bodies.dropFirst()) == ["1", "2", "3"], "\(bodies)")
    #expect(
      after.statistics.last?.errors == 1 && after.log.contains { $0.contains("after 2 attempts") })
  }

  @Test("a dry run prints the command that would send it, without keys")
  func dryRun() throws {
    var bench = bench()
    bench.isDryRun = true
    let seen = try bench.run(
      #"go: { http: { url: 'http://a/x?q=\(.a)', bearer: s3cret } }"#, lines: [#"{"a":"it's"}"#])
    #expect(asked.entries.isEmpty)
    expect(
      seen.text,
      equals:
        #"printf '%s' '{"a":"it'\''s"}' | curl -X POST -H 'Authorization: ***' -H 'Content-Type: application/json' --data-binary @- 'http://a/x?q=it%27s'"#
        + "\n")
  }

  @Test("data may not choose the host, and there is one body")
  func problems() {
    for url in [#"http://\(.h)/x"#, #"\(.u)"#, #"http://a.\(.h)/x"#, #"http://a:\(.p)/"#] {
      #expect(SinkBench.problems("a: { http: '\(url)' }").contains("must not depend on data"), "\(url)")
    }
    expect(SinkBench.problems(#"a: { http: 'http://a/\(.x)' }"#), equals: "")
    #expect(SinkBench.problems("a: { http: 'ftp://a/' }").contains("only https and http"))
    #expect(
      SinkBench.problems("a: { http: { url: 'http://a/', body: ., body_text: x } }").contains(
        "exclude each other"))
    #expect(
      SinkBench.problems("a: { http: { url: 'http://a/', body: ., method: get } }").contains(
        "cannot have a body"))
  }

  @Test("a real server gets them, several at a time where that is allowed")
  func real() throws {
    let server = try LoopbackServer { request in
      [
        .pause(milliseconds: 20),
        .reply("thanks", status: request.target == "/bad" ? "400 Bad Request" : "201 Created"),
      ]
    }
    var bench = SinkBench()
    bench.access = realWeb()
    let seen = try server.serving {
      try bench.run(
        "go: { http: { url: '\(server.url)/in', concurrency: 8, queue: 4 } }",
        lines: (1...40).map { "\($0)" },
        isReal: true)
    }
    expect(
      Set(server.received.map { String(decoding: $0.body, as: UTF8.self) }),
      equals: Set((1...40).map { "\($0)" }))
    #expect(server.received.count == 40 && server.connectionCount > 1)
    #expect(server.received.allSatisfy { $0.method == "POST" && $0.headers["idempotency-key"] != nil })
    #expect(seen.log.isEmpty && !seen.hasFailed)
  }
}
