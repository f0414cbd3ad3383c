import Delivery
import Engine
import Glibc
import JSON
import NATS
import Reactive
import System

/// A connection of a sink that publishes, to a stream or to a core subject.
///
/// A stream drops a message that it has by its id, so that one without an answer can be published again at any time.
final class NATSDelivery: DeliveryConnection {
  /// Where so many have no answer they are waited for a moment, since each answer would wake the thread by itself.
  private static let many = 64
  private static let moment: UInt32 = 300
  /// How many messages are best published together.
  private static let batch = 256

  private let connection: NATSConnection
  private let servers: String
  /// Whether a stream acknowledges messages.
  private let isAcknowledged: Bool
  private let notes: ConnectionLog
  /// The length of the prefix of subjects for answers.
  private let inbox: Int
  private var last = 0
  private var answers: [(number: Int, failure: DeliveryFailure?)] = []
  /// How many have no answer, but for those that were given up meanwhile.
  private var unanswered = 0
  private(set) var hasAnswered = false

  init(_ server: NATSSettings, isAcknowledged: Bool, _ notes: ConnectionLog) throws(NATSError) {
    (servers, self.isAcknowledged, self.notes) = (server.shownServers, isAcknowledged, notes)
    connection = try NATSConnection(server)
    inbox = connection.inbox.utf8.count
  }

  /// The transport of a sink that publishes so.
  static func transport(
    _ server: NATSSettings, isAcknowledged: Bool = true, timeout: Duration, _ context: SinkContext,
    read: @escaping @Sendable ([UInt8]) -> OutgoingMessage?
  ) throws -> LinkedTransport {
    try LinkedTransport(
      .init(server: server.shownServers, timeout: timeout), context, recognisesRepeats: isAcknowledged,
      batch: batch, load: { try NATSConnection.load() }, read: read
    ) { _, _ in
      try NATSDelivery(
        server, isAcknowledged: isAcknowledged, ConnectionLog(server.shownServers, context.log))
    }
  }

  /// The server ends no connection because of a message.
  var isGreeted: Bool { false }

  var answersInOrder: Bool { false }

  func send(_ item: any DeliveryItem, id: String) throws -> Int {
    guard let message = item as? OutgoingMessage else { throw StrangeItem() }
    last += 1
    do throws(NATSError) {
      try connection.publish(
        to: message.subject, id: id, number: isAcknowledged ? UInt64(last) : nil, headers: message.headers,
        message.data)
    } catch {
      if error.kind != .tooLarge { throw lost }
      throw NATSError(.tooLarge, "\(error); the server accepts \(connection.mostBytes) bytes")
    }
    if isAcknowledged { unanswered += 1 } else { answers.append((last, nil)) }
    return last
  }

  private var lost: NATSError {
    NATSError(.unreachable, "\(servers): the connection is lost")
  }

  func turn(until deadline: Instant, wake: Int32) throws {
    if !answers.isEmpty { return }
    connection.wait(for: max(.zero, deadline - MonotonicClock.now), or: wake)
    if unanswered > Self.many { usleep(Self.moment) }
    var isEmpty = true
    while let entry = connection.next() {
      if entry.has(.answer) {
        (unanswered, hasAnswered, isEmpty) = (unanswered - 1, true, false)
        if let number = entry.number(behind: inbox) { answers.append((Int(number), failure(entry))) }
        continue
      }
      switch entry.kind {
      case .disconnected, .closed: throw lost
      default: notes.see(entry, losesMessages: false)
      }
    }
    if isEmpty { unanswered = 0 }
  }

  /// Why a message was not stored; nil where it was.
  private func failure(_ entry: NATSEntry) -> DeliveryFailure? {
    let bytes = entry.bytes
    if entry.begins(with: #"{"stream":"#) { return nil }
    if bytes.isEmpty, entry.header("Status") == "503" {
      return failure("no stream has its subject, or the stream is not available", isUnavailable: true)
    }
    let stranger = "the answer is not a stream's; another service has the subject"
    guard let answer = try? Value.parse(bytes), answer.kind == .object else {
      return DeliveryFailure(stranger, mayPass: false)
    }
    guard let error = answer.member("error") else {
      return answer.member("stream") == nil ? DeliveryFailure(stranger, mayPass: false) : nil
    }
    let text = error.member("description")?.string ?? error.description
    // An earlier attempt, which is not acknowledged yet, and may never be.
    if error.member("err_code")?.double == 10158 { return failure(text, isUnavailable: true) }
    // The others are about the state of the server or the stream, which may be full.
    let code = error.member("code")?.double ?? 0
    return DeliveryFailure(text, mayPass: !(400..<500).contains(code) || code == 408 || code == 429)
  }

  private func failure(_ text: String, isUnavailable: Bool) -> DeliveryFailure {
    var failure = DeliveryFailure(text, mayPass: true)
    failure.isUnavailable = isUnavailable
    return failure
  }

  func takeAnswers() -> [(number: Int, failure: DeliveryFailure?)] {
    defer { answers = [] }
    return answers
  }

  func close() { if !isAcknowledged, last > 0 { _ = connection.flush(seconds: 5) } }
}
