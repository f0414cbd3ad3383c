import Foundation
import Glibc
import Reactive
import TestSupport

/// A small HTTP server on the loopback whose responses a test controls, byte by byte if need be.
package final class LoopbackServer: Sendable {
  /// A request as it came.
  package struct Received: Sendable {
    package var method = ""
    /// The path and the query, as sent.
    package var target = ""
    package var headers: [String: String] = [:]
    package var body: [UInt8] = []
    /// Which connection it came on, and as which request of that, both counted from one.
    package var connection = 0
    package var number = 0
  }

  package enum Step: Sendable {
    case send([UInt8])
    case pause(milliseconds: Int)
    case close
    /// Ends the connection as a crash does.
    case reset
  }

  private struct State: Sendable {
    var received: [Received] = []
    var connections: [Int32] = []
    var count = 0
    var isOver = false
  }

  package let port: Int
  private let listener: Int32
  private let state = Locked(State())
  private let answer: @Sendable (Received) -> [Step]

  /// Answers each request with some steps.
  package init(_ answer: @escaping @Sendable (Received) -> [Step]) throws {
    self.answer = answer
    (listener, port) = try openListener()
  }

  deinit { close(listener) }

  package var url: String { "http://127.0.0.1:\(port)" }
  package var received: [Received] { state.withLock { $0.received } }
  package var connectionCount: Int { state.withLock { $0.count } }

  /// Serves while `body` runs.
  package func serving<Result>(_ body: () throws -> Result) rethrows -> Result {
    start()
    defer { stop() }
    return try body()
  }

  /// Serves until it is stopped.
  package func start() { Thread.detachNewThread { [self] in accept() } }

  package func stop() {
    state.withLock { $0.isOver = true }
    shutdown(listener, Int32(SHUT_RDWR))
    endConnections()
  }

  /// Ends all connections as they are.
  package func endConnections() {
    for connection in state.withLock({ $0.connections }) { shutdown(connection, Int32(SHUT_RDWR)) }
  }

  private func accept() {
    while true {
      let connection = Glibc.accept(listener, nil, nil)
      if connection < 0 { return }
      let number = state.withLock { state -> Int? in
        if state.isOver { return nil }
        state.count += 1
        state.connections.append(connection)
        return state.count
      }
      guard let number else {
        close(connection)
        return
      }
      Thread.detachNewThread { [self] in serve(connection, number) }
    }
  }

  private func serve(_ connection: Int32, _ number: Int) {
    defer {
      state.withLock { $0.connections.removeAll { $0 == connection } }
      close(connection)
    }
    var buffer: [UInt8] = []
    var count = 0
    while var request = read(connection, &buffer) {
      count += 1
      (request.connection, request.number) = (number, count)
      let received = request
      state.withLock { $0.received.append(received) }
      for step in answer(request) {
        switch step {
        case .send(let bytes): if !send(bytes, connection) { return }
        case .pause(let milliseconds): usleep(UInt32(milliseconds) * 1000)
        case .close: return
        case .reset:
          var option = linger(l_onoff: 1, l_linger: 0)
          setsockopt(connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
          return
        }
      }
    }
  }

  private func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
    var start = 0
    while start < bytes.count {
      let sent = bytes[start...].withUnsafeBytes {
        Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if sent <= 0 { return false }
      start += sent
    }
    return true
  }

  private func read(_ connection: Int32, _ buffer: inout [UInt8]) -> Received? {
    let gap = Array("\r\n\r\n".utf8)
    var end = buffer.firstRange(of: gap)
    while end == nil {
      guard more(connection, &buffer) else { return nil }
      // A TLS handshake gets a plain-text error, as from real servers.
      if buffer.first == 0x16 {
        _ = send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), connection)
        return nil
      }
      end = buffer.firstRange(of: gap)
    }
    guard let end else { return nil }
    let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    var request = Received(method: String(words[0]), target: String(words[1]))
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      request.headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    buffer.removeFirst(end.upperBound)
    let length = request.headers["content-length"].flatMap { Int($0) } ?? 0
    while buffer.count < length { guard more(connection, &buffer) else { return nil } }
    request.body = Array(buffer.prefix(length))
    buffer.removeFirst(length)
    return request
  }

  private func more(_ connection: Int32, _ buffer: inout [UInt8]) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 16384)
    let count = recv(connection, &chunk, chunk.count, 0)
    if count > 0 { buffer += chunk[..<count] }
    return count > 0
  }
}

extension LoopbackServer.Step {
  /// A whole answer with its length.
  package static func reply(
    _ body: String, status: String = "200 OK", _ headers: [String] = ["Content-Type: application/json"]
  ) -> Self {
    reply(bytes: Array(body.utf8), status: status, headers)
  }

  package static func reply(bytes: [UInt8], status: String = "200 OK", _ headers: [String]) -> Self {
    let lines = ["HTTP/1.1 \(status)"] + headers + ["Content-Length: \(bytes.count)", "", ""]
    return .send(Array(lines.joined(separator: "\r\n").utf8) + bytes)
  }

  package static func text(_ text: String) -> Self { .send(Array(text.utf8)) }
}
