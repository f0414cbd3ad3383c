import CNats
import Glibc
import System

/// A connection to a NATS server: publishing, subscriptions, and one queue of all that arrives.
///
/// libnats reconnects by itself, to any of the servers, and renews subscriptions; the queue has an entry for each change.
/// Nothing is buffered meanwhile: `publish` fails, and messages on their way may be lost, so the owner repeats what has
/// no answer.
///
/// `@unchecked Sendable` with its reason: libnats and the shim lock what several threads use, and `next` is called by
/// the owner's thread alone.
package final class NATSConnection: @unchecked Sendable {
  private let raw: OpaquePointer
  /// The prefix of this connection's subjects for answers, with a dot at its end; it is subscribed to.
  package let inbox: String
  /// The entries that were taken last, and how many of them `next` has returned.
  private var entries: UnsafePointer<flow_nats_entry>?
  private var count = 0
  private var read = 0

  /// The largest message in bytes.
  package var mostBytes: Int { Int(flow_nats_max_payload(raw)) }

  /// Loads libnats; throws where that is not possible.
  package static func load() throws(NATSError) {
    if let reason = flow_nats_load() { throw NATSError(.library, String(cString: reason)) }
  }

  /// Connects to one of the servers, and tries each of them once.
  package init(_ settings: NATSSettings) throws(NATSError) {
    try NATSConnection.load()
    var connection: OpaquePointer?
    var failure = [CChar](repeating: 0, count: 512)
    let status = settings.withRaw { flow_nats_connect(&connection, $0, &failure, failure.count) }
    guard status == 0, let connection else {
      let text = String(decoding: failure.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw NATSError(connecting: settings, status: status, text)
    }
    raw = connection
    inbox = String(cString: flow_nats_inbox(connection))
    try subscribe(to: inbox + "*", tag: .answer)
  }

  deinit { flow_nats_close(raw) }

  // MARK: - What arrives

  /// The next entry of the queue, valid until the next call; nil when there is none.
  package func next() -> NATSEntry? {
    if read == count {
      count = Int(flow_nats_take(raw, &entries))
      read = 0
    }
    guard read < count, let entries else { return nil }
    defer { read += 1 }
    return NATSEntry(entries + read)
  }

  /// Waits for an entry, until the time is over or another descriptor is readable.
  package func wait(for time: Duration, or other: Int32) {
    if read < count { return }
    awaitDescriptors([.input(flow_nats_descriptor(raw)), .input(other)], for: time)
  }

  /// Waits for an entry, until the time is over or the sign is set.
  package func wait(seconds: Double, _ stop: StopSign) {
    if !stop.isSet { wait(for: .seconds(min(max(0, seconds), 1e9)), or: stop.descriptor) }
  }

  /// Subscribes to a subject; its messages have the tag.
  package func subscribe(to subject: String, tag: NATSTag) throws(NATSError) {
    let status = flow_nats_subscribe(raw, subject, tag.rawValue, tag.limit)
    if status != 0 { throw NATSError(.failed, "cannot subscribe to \(subject): \(text(status))") }
  }

  // MARK: - What is sent

  /// Publishes a message; an error where the connection is lost or the message is too large.
  package func publish(
    to subject: String, answeredTo reply: String? = nil, headers: NATSHeaders = NATSHeaders(),
    _ bytes: [UInt8]
  ) throws(NATSError) {
    try check(
      headers.bytes.withUnsafeBufferPointer { text in
        flow_nats_publish(
          raw, subject, reply, nil, text.baseAddress, Int32(headers.count), bytes, Int32(bytes.count))
      })
  }

  /// Publishes a message with an id by which a stream detects repeats.
  ///
  /// The stream's answer has the number, behind the inbox; without a number there is none.
  package func publish(
    to subject: String, id: String, number: UInt64?, headers: NATSHeaders, _ bytes: [UInt8]
  ) throws(NATSError) {
    // Without the copies that a string makes of itself as an argument.
    let status = subject.withCString { subject in
      id.withCString { id in
        headers.bytes.withUnsafeBufferPointer { text in
          guard let number else {
            return flow_nats_publish(
              raw, subject, nil, id, text.baseAddress, Int32(headers.count), bytes, Int32(bytes.count))
          }
          return flow_nats_publish_stored(
            raw, subject, number, id, text.baseAddress, Int32(headers.count), bytes, Int32(bytes.count))
        }
      }
    }
    try check(status)
  }

  private func check(_ status: Int32) throws(NATSError) {
    if status == 0 { return }
    throw NATSError(status == Int32(FLOW_NATS_TOO_LARGE.rawValue) ? .tooLarge : .unreachable, text(status))
  }

  /// Waits until the server has everything that was published; whether that is so.
  package func flush(seconds: Double) -> Bool {
    flow_nats_flush(raw, Int64(min(max(1, seconds * 1000), 1e9))) == 0
  }

  private func text(_ status: Int32) -> String { String(cString: flow_nats_text(status)) }
}

/// Headers of a message to publish, as libnats takes them.
package struct NATSHeaders: Sendable {
  fileprivate var bytes: [CChar] = []
  fileprivate var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// The names and values.
  package var all: [(name: String, value: String)] {
    let texts = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    return (0..<count).map { (texts[2 * $0], texts[2 * $0 + 1]) }
  }

  package mutating func add(_ name: String, _ value: String) {
    for byte in name.utf8 { bytes.append(CChar(bitPattern: byte)) }
    bytes.append(0)
    for byte in value.utf8 { bytes.append(CChar(bitPattern: byte)) }
    bytes.append(0)
    count += 1
  }

  /// Why a name or value is not possible in a header; nil where it is.
  package static func flaw(name: String, value: String) -> String? {
    if name.isEmpty || !name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ":") }) {
      return "the name is not a header's"
    }
    return value.utf8.contains { $0 == 0 || $0 == 0x0a || $0 == 0x0d } ? "it contains a line break" : nil
  }
}

/// The kind of a subscription, which its messages carry.
package enum NATSTag: Int32, Sendable {
  /// Answers to requests and publishes.
  case answer
  /// Wakes the owner when a stream grows; the messages themselves are dropped.
  case wakeUp
  /// Messages that are read.
  case message

  /// How many may wait, in the queue and in libnats each.
  fileprivate var limit: Int32 {
    switch self {
    case .answer: 1 << 20
    case .wakeUp: 0
    case .message: 1 << 16
    }
  }
}

/// An entry of a connection's queue.
package struct NATSEntry {
  package enum Kind: Sendable {
    case message, wakeUp, disconnected, reconnected, closed
    case error(isLoss: Bool)
  }

  private let raw: UnsafePointer<flow_nats_entry>

  fileprivate init(_ raw: UnsafePointer<flow_nats_entry>) { self.raw = raw }

  package var kind: Kind {
    switch raw.pointee.kind {
    case FLOW_NATS_MESSAGE: .message
    case FLOW_NATS_SIGNAL: .wakeUp
    case FLOW_NATS_DISCONNECTED: .disconnected
    case FLOW_NATS_RECONNECTED: .reconnected
    case FLOW_NATS_CLOSED: .closed
    default: .error(isLoss: raw.pointee.tag == Int32(FLOW_NATS_SLOW_CONSUMER.rawValue))
    }
  }

  /// Whether a message belongs to that subscription.
  package func has(_ tag: NATSTag) -> Bool {
    raw.pointee.kind == FLOW_NATS_MESSAGE && raw.pointee.tag == tag.rawValue
  }

  /// The data of a message, the text of an error.
  package var bytes: UnsafeBufferPointer<UInt8> {
    guard let data = raw.pointee.data else { return UnsafeBufferPointer(start: nil, count: 0) }
    return data.withMemoryRebound(to: UInt8.self, capacity: Int(raw.pointee.length)) {
      UnsafeBufferPointer(start: $0, count: Int(raw.pointee.length))
    }
  }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether the data begins with a text.
  package func begins(with text: StaticString) -> Bool {
    guard let data = raw.pointee.data, Int(raw.pointee.length) >= text.utf8CodeUnitCount else { return false }
    return memcmp(data, text.utf8Start, text.utf8CodeUnitCount) == 0
  }

  package var subject: String { raw.pointee.subject.map { String(cString: $0) } ?? "" }

  /// Whether the subject is this one.
  package func isTo(_ subject: String) -> Bool {
    guard let own = raw.pointee.subject else { return false }
    return strcmp(own, subject) == 0
  }

  /// The number at the end of a subject for answers that begins with a prefix.
  package func number(behind prefix: Int) -> UInt64? {
    guard let subject = raw.pointee.subject, strlen(subject) > prefix else { return nil }
    var end: UnsafeMutablePointer<CChar>?
    let number = strtoull(subject + prefix, &end, 10)
    return end?.pointee == 0 ? number : nil
  }

  /// A header of a message.
  ///
  /// The first look-up parses all of them, which takes longer than all else on its way here.
  package func header(_ name: String) -> String? {
    flow_nats_header(raw, name).map { String(cString: $0) }
  }

  /// All headers of a message, one value each, in no order.
  package var headers: [(name: String, value: String)] {
    var found: [(name: String, value: String)] = []
    withUnsafeMutablePointer(to: &found) { found in
      flow_nats_headers(
        raw,
        { found, name, value in
          guard let found, let name, let value else { return }
          found.assumingMemoryBound(to: [(name: String, value: String)].self).pointee
            .append((String(cString: name), String(cString: value)))
        }, found)
    }
    return found
  }
}

/// Why a connection or a request failed.
package struct NATSError: Error, CustomStringConvertible {
  package enum Kind: Sendable {
    /// libnats is missing or too old.
    case library
    /// The server rejects the login.
    case login
    /// TLS failed: a certificate is not trusted, or only one side uses it.
    case tls
    /// No server answers, or the connection is lost.
    case unreachable
    case tooLarge
    /// The request cannot be fulfilled.
    case failed
  }

  package let kind: Kind
  package let description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// Whether a later attempt may succeed without a change of settings.
  package var mayPass: Bool { kind == .unreachable }

  fileprivate init(connecting settings: NATSSettings, status: Int32, _ message: String) {
    let servers = settings.shownServers
    // Without the line of libnats that it begins with: “(conn.c:1905): ”.
    let text =
      message.hasPrefix("(")
      ? message.place(of: "): ").map { String(message[$0.upperBound...]) } ?? message : message
    switch flow_nats_status(UInt32(bitPattern: status)) {
    case FLOW_NATS_LOGIN_REJECTED: self.init(.login, "\(servers): the login was rejected (\(text))")
    case FLOW_NATS_TLS_FAILED: self.init(.tls, "\(servers): TLS failed: \(text)")
    case FLOW_NATS_SECURE_CONNECTION_REQUIRED:
      self.init(.tls, "\(servers): the server requires TLS: add tls: {}, or tls:// before the host")
    case FLOW_NATS_SECURE_CONNECTION_WANTED:
      self.init(.tls, "\(servers): the server does not support TLS, which the pipeline requires")
    case FLOW_NATS_NO_SERVER, FLOW_NATS_TIMEOUT, FLOW_NATS_IO_ERROR, FLOW_NATS_CONNECTION_CLOSED:
      self.init(.unreachable, "cannot connect to \(servers): \(text)")
    // Such as a file that is missing, or has no key in it.
    default: self.init(.failed, "cannot connect to \(servers): \(text)")
    }
  }
}

extension NATSSettings {
  /// Lends the settings in the form of the shim.
  fileprivate func withRaw(_ body: (UnsafePointer<flow_nats_settings>) -> Int32) -> Int32 {
    let servers = CStrings(servers)
    // In the order of the fields below; an empty text is not set.
    let texts = CStrings(
      [
        name, user, password, token, credentials, key, seed, tls?.authorities, tls?.certificate, tls?.key,
      ].map { $0 ?? "" })
    return servers.withPointers { servers in
      texts.withPointers { texts in
        func text(_ index: Int) -> UnsafePointer<CChar>? {
          texts[index].flatMap { $0.pointee == 0 ? nil : UnsafePointer($0) }
        }
        return servers.withUnsafeBufferPointer { servers in
          servers.withMemoryRebound(to: UnsafePointer<CChar>?.self) { servers in
            var raw = flow_nats_settings()
            raw.servers = servers.baseAddress
            raw.count = Int32(self.servers.count)
            (raw.name, raw.user, raw.password, raw.token) = (text(0), text(1), text(2), text(3))
            (raw.credentials, raw.key, raw.seed) = (text(4), text(5), text(6))
            raw.is_secure = tls != nil || self.servers.contains(where: NATSAddress.isSecure)
            raw.skips_verification = tls?.skipsVerification ?? false
            (raw.authorities, raw.certificate, raw.certificate_key) = (text(7), text(8), text(9))
            return body(&raw)
          }
        }
      }
    }
  }
}
