import JSON
import NATS
import Reactive
import System

/// A connection to JetStream for one thread at a time: requests, whose answers it waits for.
///
/// `@unchecked Sendable` with its reason: its owner lends it to one thread at a time, through a lock.
final class JetStreamClient: @unchecked Sendable {
  /// An answer, and each further part of it, is waited for so long, in seconds, and longer for what is long: a request
  /// to a leader that has just died is never answered, and its successor is elected within five or six.
  private static let answerTimeout = 1.0
  private static let bytesPerSecond = 1_000_000.0
  private static let tries = 3
  private static let batchSize = 256

  private struct Answer {
    var headers: [String: String] = [:]
    var bytes: [UInt8]

    /// The status of an answer that is no message.
    var status: String? { bytes.isEmpty && headers["Nats-Sequence"] == nil ? headers["Status"] : nil }
    var sequence: UInt64? { headers["Nats-Sequence"].flatMap { UInt64($0) } }
    var pending: Int? { headers["Nats-Num-Pending"].flatMap { Int($0) } }
  }

  private let connection: NATSConnection
  private let stop: StopSign
  private var count = 0
  /// Whether the connection is lost for good.
  private(set) var isClosed = false

  init(_ settings: NATSSettings, _ stop: StopSign) throws(NATSError) {
    connection = try NATSConnection(settings)
    self.stop = stop
  }

  var mostBytes: Int { connection.mostBytes }

  // MARK: - Requests

  /// Sends a request, and calls `take` with its answers until it returns false.
  private func ask(
    _ subject: String, _ headers: NATSHeaders, _ bytes: [UInt8],
    _ take: (Answer) throws(JournalError) -> Bool
  ) throws(JournalError) {
    count += 1
    let reply = "\(connection.inbox)\(count)"
    // What has happened to the connection before.
    while let entry = connection.next() { note(entry) }
    do throws(NATSError) {
      try connection.publish(to: subject, answeredTo: reply, headers: headers, bytes)
    } catch {
      throw error.kind == .tooLarge ? .refused(error.description) : .inDoubt(error.description)
    }
    let timeout = Duration.seconds(Self.answerTimeout + Double(bytes.count) / Self.bytesPerSecond)
    var end = ContinuousClock.now + timeout
    while ContinuousClock.now < end, !stop.isSet {
      guard let entry = connection.next() else {
        connection.wait(seconds: 0.5, stop)
        continue
      }
      guard entry.has(.answer), entry.isTo(reply) else {
        if note(entry) { throw .inDoubt("the connection was lost") }
        continue
      }
      end = ContinuousClock.now + timeout
      let headers = Dictionary(entry.headers.map { ($0.name, $0.value) }) { first, _ in first }
      if try !take(Answer(headers: headers, bytes: Array(entry.bytes))) { return }
    }
    throw .inDoubt("\(subject) was not answered")
  }

  private func ask(
    _ subject: String, _ request: String, _ take: (Answer) throws(JournalError) -> Bool
  ) throws(JournalError) {
    try ask(subject, NATSHeaders(), Array(request.utf8), take)
  }

  /// Returns whether an entry is the loss of the connection.
  @discardableResult
  private func note(_ entry: NATSEntry) -> Bool {
    switch entry.kind {
    case .closed:
      isClosed = true
      return true
    case .disconnected: return true
    default: return false
    }
  }

  /// A request that changes nothing by happening twice, with an answer in JSON; it is sent again without one.
  func json(_ subject: String, _ request: String = "") throws(JournalError) -> Value {
    for _ in 1..<Self.tries {
      do throws(JournalError) { return try jsonOnce(subject, request) } catch {
        guard case .unavailable = error, !isClosed, !stop.isSet else { throw error }
      }
    }
    return try jsonOnce(subject, request)
  }

  private func jsonOnce(_ subject: String, _ request: String) throws(JournalError) -> Value {
    var value: Value?
    do throws(JournalError) {
      try ask(subject, request) { (answer) throws(JournalError) in
        if answer.status == "503" { throw .unavailable("JetStream is not available") }
        value = try? Value.parse(answer.bytes)
        return false
      }
    } catch {
      if case .inDoubt(let reason) = error { throw .unavailable(reason) }
      throw error
    }
    guard let value else { throw .unavailable("\(subject) has no answer in JSON") }
    return value
  }

  /// Whether there is a stream of that name.
  func has(_ stream: String) throws(JournalError) -> Bool {
    guard let error = try json("$JS.API.STREAM.INFO.\(stream)").member("error") else { return true }
    if error.member("err_code")?.double == 10059 { return false }
    throw .unavailable(error.member("description")?.string ?? error.description)
  }

  /// When a stream was made; nil where there is none.
  func created(_ stream: String) throws(JournalError) -> String? {
    try json("$JS.API.STREAM.INFO.\(stream)").member("created")?.string
  }

  /// Makes a stream, unless there is one of that name.
  func make(_ stream: String, _ config: String) throws(JournalError) {
    let answer = try json("$JS.API.STREAM.CREATE.\(stream)", "{\"name\":\"\(stream)\",\(config)}")
    guard let error = answer.member("error") else { return }
    // It is there, with other limits say.
    if error.member("err_code")?.double == 10058 { return }
    let text = "cannot make the stream \(stream): \(error.member("description")?.string ?? "\(error)")"
    // The servers have no leader yet, or not all of them have joined.
    let mayPass =
      error.member("code")?.double == 503 || [10005, 10074].contains(error.member("err_code")?.double)
    throw mayPass ? .unavailable(text) : .refused(text)
  }

  /// The subjects that a stream has messages of, in order.
  func subjects(under filter: String, in stream: String) throws(JournalError) -> [String] {
    let answer = try json(
      "$JS.API.STREAM.INFO.\(stream)", "{\"subjects_filter\":\(Value.string(filter))}")
    guard answer.member("error") == nil, let state = answer.member("state") else {
      throw .unavailable("the stream \(stream) cannot be read")
    }
    var subjects: [String] = []
    state.member("subjects")?.forEachMember { name, _ in
      if let name = name.string { subjects.append(name) }
    }
    return subjects.sorted()
  }

  // MARK: - Messages

  /// Stores a message where the last of its subject has that sequence; nil for anywhere.
  func store(
    _ bytes: [UInt8], on subject: String, after sequence: UInt64?
  ) throws(JournalError) -> UInt64 {
    var headers = NATSHeaders()
    if let sequence { headers.add("Nats-Expected-Last-Subject-Sequence", "\(sequence)") }
    var stored: UInt64?
    try ask(subject, headers, bytes) { (answer) throws(JournalError) in
      if answer.status == "503" {
        throw .unavailable("no stream takes \(subject): it has no leader, or is lost")
      }
      guard let value = try? Value.parse(answer.bytes) else { throw .inDoubt("an answer is no JSON") }
      if let error = value.member("error") { throw Self.failure(error) }
      stored = value.member("seq").flatMap { UInt64($0.description) }
      return false
    }
    guard let stored else { throw .inDoubt("an answer has no sequence") }
    return stored
  }

  private static func failure(_ error: Value) -> JournalError {
    let text = error.member("description")?.string ?? error.description
    switch error.member("err_code")?.double {
    // A wrong last sequence, in both forms.
    case 10071, 10164: return .conflict
    // The limits of the stream, of the account, of the server.
    case 10077, 10002, 10023, 10047: return .full
    default: return error.member("code")?.double ?? 500 < 500 ? .refused(text) : .inDoubt(text)
    }
  }

  /// The last message of a subject, from the stream's leader: a replica may be behind it.
  func last(on subject: String, in stream: String) throws(JournalError) -> JournalRecord? {
    try message(of: stream, "{\"last_by_subj\":\(Value.string(subject))}")
  }

  /// A message from the stream's leader; nil where it has none.
  private func message(of stream: String, _ request: String) throws(JournalError) -> JournalRecord? {
    let answer = try jsonOnce("$JS.API.STREAM.MSG.GET.\(stream)", request)
    if let error = answer.member("error") {
      // No message is found.
      if error.member("err_code")?.double == 10037 { return nil }
      throw .unavailable(error.member("description")?.string ?? error.description)
    }
    let message = answer.member("message")
    // Without data it is left out.
    let data = message?.member("data")?.string ?? ""
    guard let sequence = message?.member("seq").flatMap({ UInt64($0.description) }),
      case .bytes(let bytes) = Radix.base64.decode(Array(data.utf8))
    else { throw .unavailable("a message has no sequence or no data") }
    return JournalRecord(sequence: sequence, bytes: bytes)
  }

  /// Messages of a subject from a sequence on; throws where some are missing among them.
  ///
  /// They come from any replica. One that has none is not believed before the leader has none either.
  func batch(on subject: String, in stream: String, from sequence: UInt64) throws(JournalError)
    -> [JournalRecord]
  {
    var records: [JournalRecord] = []
    var before = 0
    let request =
      "{\"seq\":\(sequence),\"batch\":\(Self.batchSize),\"max_bytes\":\(4 << 20),"
      + "\"next_by_subj\":\(Value.string(subject))}"
    try read(stream, request) { (answer) throws(JournalError) in
      if let status = answer.status {
        if status.hasPrefix("404"), records.isEmpty { return false }
        guard status.hasPrefix("204"), records.count == before - (answer.pending ?? 0) else {
          throw .unavailable("a read of \(subject) was not complete")
        }
        return false
      }
      guard let number = answer.sequence, let pending = answer.pending else {
        throw .unavailable("a message has no sequence")
      }
      if records.isEmpty { before = pending + 1 }
      records.append(JournalRecord(sequence: number, bytes: answer.bytes))
      return true
    }
    if records.isEmpty {
      let next = "{\"seq\":\(sequence),\"next_by_subj\":\(Value.string(subject))}"
      records += try message(of: stream, next).map { [$0] } ?? []
    }
    return records
  }

  private func read(
    _ stream: String, _ request: String, _ take: (Answer) throws(JournalError) -> Bool
  ) throws(JournalError) {
    do throws(JournalError) {
      try ask("$JS.API.DIRECT.GET.\(stream)", request) { (answer) throws(JournalError) in
        if answer.status == "503" { throw .unavailable("the stream \(stream) is not available") }
        return try take(answer)
      }
    } catch {
      if case .inDoubt(let reason) = error { throw .unavailable(reason) }
      throw error
    }
  }

  /// Removes the messages of a subject, before a sequence or all.
  func purge(_ stream: String, _ subject: String, before sequence: UInt64?) throws(JournalError) {
    let place = sequence.map { ",\"seq\":\($0)" } ?? ""
    let answer = try json(
      "$JS.API.STREAM.PURGE.\(stream)", "{\"filter\":\(Value.string(subject))\(place)}")
    if let error = answer.member("error") {
      throw .unavailable(error.member("description")?.string ?? error.description)
    }
  }
}
