import Expectations
import Foundation
import Glibc
import Language
import Loopback
import Reactive
import TestSupport
import Testing
import Trials

@testable import Engine

/// Promises of every sink that keeps a connection: while the other side is away or frozen its status says why and since
/// when, and when it is back it has every event, with a word in the log.
@Suite("Contract of connected sinks", .timeLimit(.minutes(10)))
struct ConnectedSinkContractTests {
  /// The other side of a connection, which comes and goes.
  private struct Peer {
    /// The sink that connects to it.
    let sink: String
    let goAway: () throws -> Void
    let comeBack: () throws -> Void
    let signal: (Int32) -> Void
    /// Whether it has the event of a number.
    let has: (Int) throws -> Bool
  }

  /// The rows of the table; nil where its server is not installed.
  private static func peer(_ kind: String) throws -> Peer? {
    let retry = "attempts: 1000, backoff: 100ms"
    switch kind {
    case "mqtt":
      guard MQTTServer.isWanted else { return nil }
      let server = try MQTTServer()
      let heard = try server.subscribe()
      return Peer(
        sink: "mqtt: { server: '\(server.url)', topic: 'n/\\(.)', retain: true, timeout: 1s, \(retry) }",
        goAway: { server.stop() }, comeBack: { try server.start() }, signal: server.signal,
        has: { number in heard().contains { $0.hasSuffix(" n/\(number) \(number)") } })
    case "redis":
      guard RedisServer.isWanted else { return nil }
      let server = try RedisServer()
      return Peer(
        sink: "redis: { server: '\(server.url)', key: 'n\\(.)', timeout: 1s, \(retry) }",
        goAway: { server.stop() }, comeBack: { try server.start() }, signal: server.signal,
        has: { try server.ask("GET", "n\($0)") == "\($0)" })
    case "nats":
      guard NATSServer.server.isWanted else { return nil }
      let server = try NATSServer()
      _ = ask("$JS.API.STREAM.CREATE.S", #"{"name":"S","subjects":["n.*"]}"#, at: server.port)
      return Peer(
        sink: "nats: { servers: '\(server.url)', subject: 'n.\\(.)', timeout: 1s, \(retry) }",
        goAway: { server.kill() }, comeBack: { try server.start() }, signal: server.signal,
        has: { number in
          let answer = ask("$JS.API.STREAM.MSG.GET.S", #"{"last_by_subj":"n.\#(number)"}"#, at: server.port)
          return answer?.contains(#""subject":"n.\#(number)""#) == true
        })
    default:
      Issue.record("the sink \(kind) keeps a connection, and has no row here")
      return nil
    }
  }

  /// A request to a NATS server, by the protocol itself.
  private static func ask(_ subject: String, _ text: String, at port: Int) -> String? {
    guard let client = LoopbackClient(port: port, patience: 5) else { return nil }
    client.send(
      "CONNECT {\"verbose\":false}\r\nSUB answer 1\r\nPUB \(subject) answer \(text.utf8.count)\r\n\(text)\r\n"
    )
    return client.text { $0.contains("MSG answer") && $0.hasSuffix("}\r\n") }
  }

  @Test(
    "the status follows the connection, and nothing is lost with it", arguments: SinkContractTests.connected)
  func followed(kind: String) throws {
    let folder = try TemporaryFolder()
    guard let peer = try Self.peer(kind) else { return }
    try folder.write("in.jsonl", "")
    let state = try TemporaryState()
    let trial = try StreamTrial(
      "file: { path: '\(folder["in.jsonl"])', follow: true }", map: ".", sink: peer.sink, state)
    defer { trial.stop() }
    var last = 0
    func write() throws -> Int {
      last += 1
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder["in.jsonl"]))
      try file.seekToEnd()
      try file.write(contentsOf: Data("\(last)\n".utf8))
      return last
    }
    func sink() -> NodeStatus? { trial.run.outline().nodes.first { $0.role == .sink } }
    func arrives(_ number: Int, _ what: String) {
      #expect(
        eventually(patience: 60) { (try? peer.has(number)) == true },
        "\(kind), \(what): \(number); \(trial.log.entries)")
      #expect(
        eventually(patience: 60) { sink()?.wait == nil && (sink()?.queue ?? 0) == 0 },
        "\(kind), \(what): \(String(describing: sink()))")
    }
    func waits(_ what: String) throws {
      #expect(
        eventually(patience: 60) { sink()?.wait?.isFailing == true },
        "\(kind), \(what): \(trial.log.entries)")
      let wait = try #require(sink()?.wait)
      #expect(!wait.reason.isEmpty && (wait.since ?? 0) > 1_700_000_000, "\(kind), \(what): \(wait)")
    }
    arrives(try write(), "at first")

    try peer.goAway()
    let away = try write()
    try waits("away")
    #expect(
      eventually { trial.log.entries.contains { $0.contains("next try in") } },
      "\(kind): \(trial.log.entries)")
    try peer.comeBack()
    arrives(away, "back")
    #expect(
      eventually { trial.log.entries.contains { $0.hasPrefix("connected to ") } },
      "\(kind): \(trial.log.entries)")

    peer.signal(SIGSTOP)
    let frozen = try write()
    try waits("frozen")
    peer.signal(SIGCONT)
    arrives(frozen, "thawed")
    // Killed beside an answer that is still to come.
    let beside = try write()
    try peer.goAway()
    try waits("gone without a word")
    try peer.comeBack()
    arrives(beside, "back again")
    arrives(try write(), "at the end")
    #expect(sink()?.givenUp == 0 && trial.ends.entries.isEmpty, "\(kind): \(trial.log.entries)")
  }
}
