import Foundation
import Glibc
import Reactive
import TestSupport

/// A server that speaks as much of NATS's protocol as reading a stream needs, with answers that a test makes up.
///
/// Real servers do not leave messages out of a batch on request.
final class FaultyServer: Sendable {
  /// A message that answers a request.
  struct Answer: Sendable {
    var headers: [(String, String)] = []
    var data = ""

    /// A stored message: its sequence, and how many are behind it.
    static func message(_ sequence: Int, pending: Int?, _ data: String) -> Answer {
      var headers = [("Nats-Stream", "S"), ("Nats-Subject", "s"), ("Nats-Sequence", "\(sequence)")]
      if let pending { headers.append(("Nats-Num-Pending", "\(pending)")) }
      return Answer(headers: headers, data: data)
    }

    static func end(last: Int, pending: Int) -> Answer {
      Answer(headers: [
        ("Status", "204 EOB"), ("Nats-Num-Pending", "\(pending)"), ("Nats-Last-Sequence", "\(last)"),
      ])
    }
  }

  let port: Int
  private let listener: Int32
  private let answer: @Sendable (_ subject: String, _ request: String) -> [Answer]
  /// Those that are open: the number of a closed one belongs to whatever was opened next.
  private let connections = Locked<[Int32]>([])
  /// The subscriptions of the open connections.
  private let subscribers = Locked<[(connection: Int32, subject: String, id: String)]>([])

  init(_ answer: @escaping @Sendable (_ subject: String, _ request: String) -> [Answer]) throws {
    self.answer = answer
    let listener: Int32
    (listener, port) = try openListener()
    self.listener = listener
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0, let self else { return }
        connections.withLock { $0.append(connection) }
        Thread.detachNewThread { self.serve(connection) }
      }
    }
  }

  var url: String { "nats://127.0.0.1:\(port)" }

  /// Sends a message to those who have subscribed to a subject.
  func publish(_ subject: String, _ data: String) {
    subscribers.withLock { subscribers in
      for subscriber in subscribers where subscriber.subject == subject {
        send(
          "MSG \(subject) \(subscriber.id) \(data.utf8.count)\r\n\(data)\r\n", to: subscriber.connection)
      }
    }
  }

  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    connections.withLock { for connection in $0 { shutdown(connection, Int32(SHUT_RDWR)) } }
  }

  private func serve(_ connection: Int32) {
    send(
      #"INFO {"server_id":"F","version":"2.9.10","headers":true,"max_payload":1048576,"jetstream":true}"#
        + "\r\n",
      to: connection)
    var subscriptions: [(subject: String, id: String)] = []
    guard let stream = fdopen(connection, "r") else { return }
    defer {
      subscribers.withLock { $0.removeAll { $0.connection == connection } }
      connections.withLock { open in
        open.removeAll { $0 == connection }
        _ = fclose(stream)
      }
    }
    var line = [CChar](repeating: 0, count: 8192)
    while fgets(&line, Int32(line.count), stream) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
      switch words.first {
      case "PING": send("PONG\r\n", to: connection)
      case "SUB":
        subscriptions.append((words[1], words[words.count - 1]))
        subscribers.withLock { $0.append((connection, words[1], words[words.count - 1])) }
      case "PUB", "HPUB":
        let size = Int(words[words.count - 1]) ?? 0
        var data = [UInt8](repeating: 0, count: size + 2)
        guard fread(&data, 1, data.count, stream) == data.count, words.count > 3 else { continue }
        // Headers, if there are any, end with an empty line.
        let header = words[0] == "HPUB" ? Int(words[words.count - 2]) ?? 0 : 0
        let request = String(decoding: data[header..<size], as: UTF8.self)
        for answer in answer(words[1], request) {
          send(answer, on: words[2], subscriptions, to: connection)
        }
      default: break
      }
    }
  }

  private func send(
    _ answer: Answer, on subject: String, _ subscriptions: [(subject: String, id: String)],
    to connection: Int32
  ) {
    let prefix = subject.split(separator: ".").dropLast().joined(separator: ".")
    guard let id = subscriptions.first(where: { $0.subject == prefix + ".*" })?.id else { return }
    if answer.headers.isEmpty {
      return send("MSG \(subject) \(id) \(answer.data.utf8.count)\r\n\(answer.data)\r\n", to: connection)
    }
    let status = answer.headers.first { $0.0 == "Status" }.map { " \($0.1)" } ?? ""
    let head =
      "NATS/1.0\(status)\r\n"
      + answer.headers.filter { $0.0 != "Status" }.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
    send(
      "HMSG \(subject) \(id) \(head.utf8.count) \(head.utf8.count + answer.data.utf8.count)\r\n\(head)\(answer.data)\r\n",
      to: connection)
  }

  private func send(_ text: String, to connection: Int32) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
