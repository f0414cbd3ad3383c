import Expectations
@testable import Connectors
import Delivery
import Glibc
import JSON
import Reactive
import System
import TestSupport
import Testing
import Trials

@testable import Engine

/// The sink `redis`, on a server.
@Suite(
  "Events to Redis", .timeLimit(.minutes(30)),
  .enabled(if: RedisServer.isWanted, .init(rawValue: RedisServer.missing)))
struct RedisSinkTests {
  private let server: RedisServer

  init() throws { server = try RedisServer() }

  private func sink(_ options: String, server: RedisServer? = nil) -> String {
    "it: { redis: { server: '\((server ?? self.server).url)', backoff: 0s, \(options) } }"
  }

  /// The data of all entries of a stream, in order.
  private func data(_ stream: String = "s") throws -> [String] {
    let lines = try server.ask("XRANGE", stream, "-", "+").split(separator: "\n").map(String.init)
    return stride(from: 2, to: lines.count, by: 3).map { lines[$0] }
  }

  @Test("events are entries of a stream, in order, with ids that ascend; max bounds it")
  func stream() throws {
    let lines = (1...50).map { #"{"n":\#($0)}"# }
    let seen = try SinkBench().run(
      sink(#"stream: 's\(.n % 2)', field: n, body: .n"#), lines: lines, isReal: true)
    #expect(!seen.hasFailed && seen.log == [], "\(seen.log)")
    expect(try data("s1"), equals: (1...50).filter { $0 % 2 == 1 }.map { "\($0)" })
    #expect(try server.ask("XRANGE", "s0", "-", "+").contains("\nn\n"))
    _ = try SinkBench().run(
      sink("stream: b, max: 10, ids: server, concurrency: 8"), lines: (1...500).map { "\($0)" }, isReal: true)
    let length = try server.ask("XLEN", "b")
    // The bound is about that many.
    #expect((10...200).contains(Int(length.dropFirst()) ?? 0), "\(length)")
  }

  @Test("a key, or a field of a hash, holds what changes last said; removed deletes it")
  func kept() throws {
    var bench = SinkBench()
    bench.steps = "{ changes: { key: .id } }"
    let sinks =
      #"k: { redis: { server: '\#(server.url)', key: 'l:\(.key)', expire: 1h } }"# + "\n"
      + #"h: { redis: { server: '\#(server.url)', hash: all, field: '\(.key)', body: .after.n } }"#
    bench.meanwhile = { run in
      _ = eventually(patience: 30) { run.statistics.last?.eventsIn ?? 0 >= 5 }
      run.stop()
    }
    let polls = [
      [#"{"id":"a","n":1}"#, #"{"id":"b","n":1}"#], [#"{"id":"a","n":2}"#, #"{"id":"b","n":1}"#],
      [#"{"id":"a","n":3}"#],
    ]
    let seen = try bench.run(sinks, polls: polls, isReal: true)
    #expect(!seen.hasFailed, "\(seen.log)")
    expect(try server.ask("GET", "l:a"), equals: #"{"id":"a","n":3}"#)
    expect(try server.ask("GET", "l:b"), equals: "")
    #expect(Int(try server.ask("PTTL", "l:a").dropFirst()) ?? 0 > 3_000_000)
    expect(try server.ask("HGETALL", "all"), equals: "a\n3")
  }

  @Test("what the server refuses is a dead letter, and the rest is sent; what may pass is tried again")
  func refused() throws {
    try server.ask("SET", "b", "text")
    var bench = SinkBench()
    bench.state = try TemporaryState()
    let seen = try bench.run(
      sink(#"stream: '\(.)', body: 1, attempts: 9"#), lines: [#""a""#, #""b""#, #""a""#, #""""#], isReal: true
    )
    expect(try data("a"), equals: ["1", "1"])
    let wrong = "it: b: WRONGTYPE Operation against a key holding the wrong kind of value"
    #expect(seen.log.contains { $0.hasPrefix(wrong) }, "\(seen.log)")
    #expect(seen.log.contains { $0.contains("the stream is empty") }, "\(seen.log)")
    expect(seen.statistics.last?.givenUp, equals: 1)
    let full = try RedisServer(["--maxmemory", "1mb", "--maxmemory-policy", "noeviction"])
    try full.ask("SET", "big", String(repeating: "x", count: 900_000))
    bench.state = try TemporaryState()
    bench.meanwhile = { run in
      _ = eventually { run.statistics.last?.wait != nil }
      _ = try? full.ask("DEL", "big")
      _ = try? full.ask("CONFIG", "SET", "maxmemory", "100mb")
    }
    let late = try bench.run(
      "it: { redis: { server: '\(full.url)', stream: s, attempts: 100, backoff: 50ms } }", lines: ["1"],
      isReal: true)
    #expect(!late.hasFailed, "\(late.log)")
    expect(try full.ask("XLEN", "s"), equals: ":1")
  }

  @Test("while the server is away entries wait; killed and frozen in between, each comes once")
  func once() throws {
    var bench = SinkBench()
    bench.state = try TemporaryState()
    let server = server
    bench.meanwhile = { _ in
      for _ in 0..<5 {
        usleep(40_000)
        server.stop()
        usleep(20_000)
        try? server.start()
        usleep(20_000)
        server.signal(SIGSTOP)
        usleep(100_000)
        server.signal(SIGCONT)
      }
    }
    let seen = try bench.run(
      sink("stream: s, timeout: 30s, queue: 5000"), lines: (1...2000).map { "\($0)" }, isReal: true)
    #expect(!seen.hasFailed, "\(seen.log)")
    expect(try data(), equals: (1...2000).map { "\($0)" })
    server.stop()
    bench.meanwhile = nil
    let left = try bench.run(sink("stream: s, timeout: 300ms"), lines: ["2001"], isReal: true)
    #expect(
      left.log.contains("it: one message was not acknowledged; the next run publishes it again"),
      "\(left.log)")
    try server.start()
    _ = try bench.run(sink("stream: s"), lines: ["2002"], isReal: true)
    expect(Array(try data().suffix(3)), equals: ["2000", "2001", "2002"])
  }

  @Test(
    "a repeat of an entry is refused and counts as sent; behind another writer's it gets the server's id")
  func repeats() throws {
    let id = "p/it/abc-7"
    let warnings = Journal<String>()
    let item = RedisItem(command: ["XADD", "s"], data: "1")
    let connection = try RedisDelivery(
      RedisSettings(
        server: try #require(ServerAddress(server.url, .init("redis", 6379, secure: "rediss", 6379)))),
      nil, RedisEntryIDs(time: 5) { warnings.note($0) }, StopSign(), {})
    func failure() throws -> DeliveryFailure? {
      _ = try connection.send(item, id: id)
      var answers = connection.takeAnswers()
      while answers.isEmpty {
        try connection.turn(until: MonotonicClock.now + .seconds(10), wake: -1)
        answers = connection.takeAnswers()
      }
      return answers[0].failure
    }
    #expect(try failure() == nil)
    #expect(try failure() == nil)
    expect(try server.ask("XRANGE", "s", "-", "+"), equals: "5-7\ndata\n1")
    try server.ask("XDEL", "s", "5-7")
    try server.ask("XADD", "s", "9-9", "x", "y")
    #expect(try failure() == nil)
    #expect(try failure() == nil)
    let entries = try server.ask("XRANGE", "s", "-", "+").split(separator: "\n").map(String.init)
    expect(entries.count, equals: 9, "the other writer's and two")
    expect(Array(entries.suffix(2)), equals: ["data", "1"])
    #expect(
      warnings.entries.count == 1
        && warnings.entries[0].hasPrefix("the stream s has ids beyond the sink's own, of another writer"))
  }

  @Test("a dry run prints the commands, an envelope wraps the data, and a simulated run sends nothing")
  func shown() throws {
    var bench = SinkBench(isDryRun: true)
    expect(
      try bench.run(sink(#"key: 'k \(.)'"#), lines: ["1"], isReal: true).text,
      equals: "redis-cli -u \(server.url) SET 'k 1' 1\n")
    bench = SinkBench()
    bench.outputs = OutputPolicy(below: "out/x", isLive: false, reason: "in a test")
    let seen = try bench.run(sink("stream: s"), lines: ["1"], isReal: true)
    #expect(
      seen.log.contains("it: one message was not published")
        || seen.log.contains { $0.contains("not published") }, "\(seen.log)")
    expect(try server.ask("EXISTS", "s"), equals: ":0")
    _ = try SinkBench().run(sink("stream: s, envelope: cloudevents"), lines: [#"{"n":1}"#], isReal: true)
    let entry = try #require(try data().first)
    #expect(entry.contains(#""specversion":"1.0""#) && entry.hasSuffix(#""data":{"n":1}}"#), "\(entry)")
  }

  @Test("TLS with the system's authorities, others or none, a certificate, a login and a database")
  func secure() throws {
    let tests = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let files = "/\(tests)/NATSTests/Fixtures"
    let port = try freePorts(1)[0]
    let server = try RedisServer([
      "--requirepass", "secret", "--tls-port", "\(port)", "--tls-cert-file", "\(files)/server.pem",
      "--tls-key-file", "\(files)/server-key.pem", "--tls-ca-cert-file", "\(files)/ca.pem",
      "--tls-auth-clients", "optional",
    ])
    func run(_ scheme: String, _ options: String) throws -> SinkBench.Seen {
      try SinkBench().run(
        "it: { redis: { server: '\(scheme)@localhost:\(port)/3', stream: s, timeout: 1s, attempts: 1, \(options) } }",
        lines: ["1"], isReal: true)
    }
    for tls in ["", "tls: { ca: '\(files)/other-ca.pem' }", "tls: { ca: /nowhere.pem }"] {
      let refused = try run("rediss://:secret", tls)
      #expect(refused.hasFailed && refused.log.contains { $0.contains("cert") }, "\(refused.log)")
    }
    let own = "certificate: '\(files)/server.pem', key: '\(files)/server-key.pem'"
    for tls in [
      "tls: { ca: '\(files)/ca.pem' }", "tls: { insecure: true }", "tls: { insecure: true, \(own) }",
    ] {
      let accepted = try run("rediss://default:secret", tls)
      #expect(!accepted.hasFailed && accepted.log == [], "\(accepted.log)")
    }
    let wrong = try run("rediss://:falsch", "tls: { ca: '\(files)/ca.pem' }")
    #expect(wrong.hasFailed && wrong.log.contains { $0.contains("WRONGPASS") }, "\(wrong.log)")
    #expect(!wrong.log.contains { $0.contains("falsch") })
    server.stop()
  }

  @Test(
    "what cannot be is found before it runs",
    arguments: [
      ("channel: a, stream: b", "stream and channel exclude each other"),
      ("user: a", "redis needs a stream, a channel, a key or a hash"),
      ("hash: a", "a hash needs a field"),
      ("channel: a, max: 3", "max has no effect without stream"),
      ("stream: a, expire: 3s", "expire has no effect without key"),
      ("key: a, field: b", "field has no effect without stream or hash"),
      ("stream: a, concurrency: 3", "entries with ids of the sink's own are added one at a time"),
      ("stream: a, user: b", "a user needs a password"),
      ("stream: a, tls: {}", "tls has no effect: the address begins with redis://"),
      ("stream: a, body: ., body_text: a", "body and body_text exclude each other"),
    ])
  func mistakes(options: String, message: String) {
    let problems = SinkBench.problems("it: { redis: { \(options) } }")
    #expect(problems.contains(message), "\(problems)")
  }
}
