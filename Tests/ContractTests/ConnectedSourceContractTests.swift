import AllNodes
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

/// Promises of every source that keeps a connection: while the other side is away its status says why and since when, and
/// when it is back events come, with a word in the log.
@Suite("Contract of connected sources", .timeLimit(.minutes(10)))
struct ConnectedSourceContractTests {
  /// The other side of a connection, which comes and goes.
  private struct Peer {
    /// The source that connects to it.
    let source: String
    let goAway: () throws -> Void
    let comeBack: () throws -> Void
    /// Has it send something.
    let send: () throws -> Void
    /// Freezes it, or has it go on.
    var signal: ((Int32) -> Void)?
    var end: () -> Void = {}
  }

  /// The stream sources without a connection.
  private static let local: Set = ["file", "stdin", "generate", "replay", "listen", "errors"]
  /// The sources that keep one, also those that are polled otherwise.
  static let kinds =
    Catalog.all.sources.filter { $0.role == .stream }.map(\.kind).filter { !local.contains($0) }
    + ["http", "exec"]

  /// The rows of the table; nil where its server is not installed.
  private static func peer(_ kind: String, in folder: TemporaryFolder) throws -> Peer? {
    switch kind {
    case "http":
      let isUp = Locked(true)
      let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
      let server = try LoopbackServer { _ in
        guard isUp.withLock(\.self) else {
          return [.send(Array("HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\n\r\n".utf8)), .close]
        }
        let events = (1...600).flatMap { number -> [LoopbackServer.Step] in
          isUp.withLock(\.self)
            ? [.send(Array("data: \(number)\n\n".utf8)), .pause(milliseconds: 20)] : []
        }
        return [.send(Array((head + "retry: 100\n\n").utf8))] + events
      }
      server.start()
      return Peer(
        source: "http: { url: 'http://127.0.0.1:\(server.port)/', stream: sse, heartbeat: 10s }",
        goAway: {
          isUp.withLock { $0 = false }
          server.endConnections()
        }, comeBack: { isUp.withLock { $0 = true } }, send: {}, end: { server.stop() })
    case "exec":
      try folder.write("up", "")
      let script = "while [ -f \(folder.path)/up ]; do echo 1; sleep 0.05; done; exit 3"
      return Peer(
        source: "exec: { command: [sh, -c, '\(script)'], follow: true, decode: lines, backoff: 100ms }",
        goAway: { try FileManager.default.removeItem(atPath: folder["up"]) },
        comeBack: { try folder.write("up", "") }, send: {})
    case "mqtt":
      guard MQTTServer.isWanted else { return nil }
      let server = try MQTTServer()
      return Peer(
        source: "mqtt: { server: '\(server.url)', topics: t }", goAway: { server.stop() },
        comeBack: { try server.start() }, send: { try server.publish("t", "1") }, signal: server.signal)
    case "redis":
      guard RedisServer.isWanted else { return nil }
      let server = try RedisServer()
      return Peer(
        source: "redis: { server: '\(server.url)', stream: s, field: n }", goAway: { server.stop() },
        comeBack: { try server.start() }, send: { try server.ask("XADD", "s", "*", "n", "1") },
        signal: server.signal)
    case "nats":
      guard NATSServer.server.isWanted else { return nil }
      let server = try NATSServer()
      return Peer(
        source: "nats: { servers: '\(server.url)', subject: s }", goAway: { server.kill() },
        comeBack: { try server.start() }, send: { publish("1", to: "s", at: server.port) },
        signal: server.signal)
    default:
      Issue.record("the source \(kind) keeps a connection, and has no row here")
      return nil
    }
  }

  /// Publishes a message by the protocol itself.
  private static func publish(_ text: String, to subject: String, at port: Int) {
    guard let client = LoopbackClient(port: port) else { return }
    client.send("CONNECT {\"verbose\":false}\r\nPUB \(subject) \(text.utf8.count)\r\n\(text)\r\nPING\r\n")
    _ = client.hasAnswer(within: 1000)
  }

  @Test("the status follows the connection, and what comes behind it is an event", arguments: kinds)
  func followed(kind: String) throws {
    let folder = try TemporaryFolder()
    guard let peer = try Self.peer(kind, in: folder) else { return }
    let trial = try StreamTrial(peer.source, map: ".")
    defer {
      trial.stop()
      peer.end()
    }
    func status() -> SourceStatus? { trial.run.outline().sources.first }
    func hears(_ what: String) {
      let before = trial.heard.entries.count
      #expect(
        eventually(patience: 60) {
          try? peer.send()
          return trial.heard.entries.count > before
        }, "\(kind), \(what): \(trial.log.entries)")
    }
    hears("at first")
    #expect(eventually { status()?.connectedSince != nil }, "\(kind)")
    #expect(status()?.failure == nil)

    try peer.goAway()
    #expect(eventually(patience: 60) { status()?.failure != nil }, "\(kind): \(trial.log.entries)")
    let failure = try #require(status()?.failure)
    #expect(!failure.reason.isEmpty && failure.since > 1_700_000_000 && failure.polls > 0)
    #expect(status()?.connectedSince == nil)
    #expect(
      eventually { trial.log.entries.contains { $0.contains("next try in") } },
      "\(kind): \(trial.log.entries)")

    try peer.comeBack()
    hears("again")
    #expect(eventually { status()?.failure == nil && status()?.connectedSince != nil }, "\(kind)")
    #expect(trial.log.entries.contains { $0.hasPrefix("recovered, after ") }, "\(kind): \(trial.log.entries)")
    #expect((status()?.failedPolls ?? 0) > 0)

    guard let signal = peer.signal else { return }
    signal(SIGSTOP)
    defer { signal(SIGCONT) }
    #expect(eventually(patience: 240) { status()?.failure != nil }, "\(kind), frozen: \(trial.log.entries)")
    signal(SIGCONT)
    hears("thawed")
    #expect(eventually { status()?.failure == nil }, "\(kind), thawed")
  }
}
