import TestSupport
import Foundation
import JSON
import NATS
import System
import Testing

/// A client of a test's server: makes streams, publishes, and reads what a stream has.
final class Bus {
  private var connection: NATSConnection
  private let settings: NATSSettings
  private let stop = StopSign()
  private var count = 0
  /// An answer is waited for so long, in seconds.
  var patience = 20.0

  init(_ server: NATSServer, _ change: (inout NATSSettings) -> Void = { _ in }) throws {
    var settings = NATSSettings(servers: [server.url], name: "test")
    change(&settings)
    connection = try NATSConnection(settings)
    self.settings = settings
  }

  /// A client of whichever of several servers answers.
  init(_ servers: [String]) throws {
    settings = NATSSettings(servers: servers, name: "test")
    var connection: NATSConnection?
    for _ in 0..<100 where connection == nil {
      connection = try? NATSConnection(settings)
      if connection == nil { usleep(100_000) }
    }
    self.connection = try #require(connection)
  }

  /// Makes a stream that allows direct gets, with further members of its configuration.
  func makeStream(_ name: String, _ subjects: String..., options: String = "") throws {
    let subjects = subjects.map { "\"\($0)\"" }.joined(separator: ",")
    func create() throws -> Value {
      try ask(
        "$JS.API.STREAM.CREATE.\(name)",
        #"{"name":"\#(name)","subjects":[\#(subjects)],"allow_direct":true\#(options.isEmpty ? "" : ",")\#(options)}"#
      )
    }
    var answer = try create()
    // The servers of a cluster may still be electing their leader.
    for _ in 0..<600 where answer.member("error")?.member("code")?.double == 503 {
      usleep(100_000)
      answer = try create()
    }
    try #require(answer.member("error") == nil, "\(answer)")
  }

  /// The names of all streams.
  func streams() throws -> [String] {
    let answer = try ask("$JS.API.STREAM.NAMES", "")
    try #require(answer.member("error") == nil, "\(answer)")
    var (names, elements) = ([String](), answer.member("streams")?.elements)
    while let name = elements?.next()?.string { names.append(name) }
    return names
  }

  func deleteStream(_ name: String) throws { _ = try ask("$JS.API.STREAM.DELETE.\(name)", "") }

  /// Publishes a message and waits for the stream's answer.
  @discardableResult
  func publish(_ subject: String, _ text: String, headers: [String: String] = [:]) throws -> Value {
    var all = NATSHeaders()
    for (name, value) in headers { all.add(name, value) }
    return try ask(subject, text, all)
  }

  func send(_ subject: String, _ text: String) throws {
    try connection.publish(to: subject, Array(text.utf8))
    _ = connection.flush(seconds: 5)
  }

  /// Publishes objects with these numbers, and waits until the stream has stored the last.
  func publish(_ numbers: ClosedRange<Int>, on subject: String) throws {
    for number in numbers.dropLast() { try connection.publish(to: subject, Array("{\"n\":\(number)}".utf8)) }
    try publish(subject, "{\"n\":\(numbers.upperBound)}")
  }

  func ask(_ subject: String, _ text: String, _ headers: NATSHeaders = NATSHeaders()) throws -> Value {
    count += 1
    let reply = "\(connection.inbox)\(count)"
    try connection.publish(to: subject, answeredTo: reply, headers: headers, Array(text.utf8))
    let end = Date(timeIntervalSinceNow: patience)
    while Date() < end {
      guard let entry = connection.next() else {
        connection.wait(seconds: 1, stop)
        continue
      }
      if entry.has(.answer), entry.isTo(reply) { return try Value.parse(entry.bytes) }
    }
    throw NATSError(.unreachable, "no answer on \(subject)")
  }

  /// The data of the last message of a stream.
  func last(of stream: String) throws -> String? {
    let state = try ask("$JS.API.STREAM.INFO.\(stream)", "").member("state")
    guard let sequence = state?.member("last_seq")?.double else { return nil }
    let message = try ask("$JS.API.STREAM.MSG.GET.\(stream)", "{\"seq\":\(Int(sequence))}").member("message")
    return message?.member("data")?.string.flatMap { Data(base64Encoded: $0) }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// The data of all messages of a stream, in order.
  func contents(of stream: String) throws -> [String] { try messages(of: stream).map(\.data) }

  func messages(of stream: String) throws -> [(subject: String, id: String, data: String)] {
    func newReader() -> StreamReader {
      StreamReader(connection, stream: stream, filter: nil, size: 1000, stop: stop, note: { _ in })
    }
    var reader = newReader()
    var found: [(subject: String, id: String, data: String)] = []
    var start = StreamReader.Start.sequence(1)
    while true {
      var batch: [(subject: String, id: String, data: String)] = []
      let outcome = try reader.read(from: start) {
        batch.append(($0.header("Nats-Subject") ?? "", $0.header("Nats-Msg-Id") ?? "", $0.text))
      }
      switch outcome {
      case .batch(let read):
        found += batch
        start = .sequence(read.last + 1)
      case .empty:
        guard case .sequence(let next) = start, reader.leaderHasMore(from: next) else { return found }
        // The replica of this server is behind, for minutes even after all servers were killed at once.
        usleep(100_000)
        if let other = try? NATSConnection(settings) { connection = other }
        reader = newReader()
      case .broken: continue
      case .stopped: return found
      }
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// A test with a real server: skipped where the server or libnats is missing.
  static var realServer: Self {
    let missing = NATSServer.server.path == nil ? NATSServer.server.missing : "libnats: make setup-cluster"
    return .enabled(Comment(rawValue: missing)) {
      isCI || NATSServer.server.path != nil && (try? NATSConnection.load()) != nil
    }
  }
}
