import JSON
import System

/// A reader of a stream, in order from a message on, in batches, without a consumer on the server.
///
/// Each batch is one request for stored messages (a direct get, of servers from 2.11 on). A subscription to the stream's
/// subjects, whose messages are dropped, only wakes the reader when there may be more: consumers would have to be created
/// anew after each fault, and count what they sent into a dead connection as delivered.
///
///     let reader = StreamReader(connection, stream: "ORDERS")
///     var start = StreamReader.Start.sequence(1)
///     while case .batch(let batch) = try reader.read(from: start, add: { … }) { start = .sequence(batch.last + 1) }
///
/// A batch is checked: the server counts what is left behind each message, so a gap shows, and the batch is read again.
/// It comes from the replica of the server that the connection is to. A replica can be behind the stream's leader, so
/// where it has not got what was announced, the leader is asked, and the owner connects to another server.
package final class StreamReader {
  /// Where to begin.
  package enum Start: Sendable, Equatable {
    case sequence(UInt64)
    /// The first message stored at that time or later, as RFC 3339.
    case time(String)
  }

  /// The facts about a stream.
  package struct Info: Sendable {
    /// When it was created, by which a stream that replaced it is noticed.
    package let created: String
    package let first: UInt64
    package let last: UInt64
    package let subjects: [String]
    package let allowsDirect: Bool
    /// All of its settings.
    package let config: Value
  }

  /// A batch that was read.
  package struct Batch: Sendable {
    /// The sequences of the first and the last message.
    package var first: UInt64
    package var last: UInt64
    package var count: Int
    /// How many there are behind it.
    package var pending: Int
  }

  package enum Outcome: Sendable {
    case batch(Batch)
    /// There are no more messages for now.
    case empty
    /// The batch was not complete: what was added is void, and it has to be read again.
    case broken(Break)
    case stopped
  }

  package enum Break: Sendable {
    /// Messages are missing in it.
    case gap
    /// The connection was lost, or there was no answer in time.
    case noAnswer(String)
    /// The replica of this server is behind: another connection is needed.
    case behind
  }

  /// An answer, and each further part of it, is waited for so long, in seconds: a request to a leader that has just
  /// died is never answered, and its successor is elected within five or six.
  private static let answerTimeout = 2.0
  private static let mostBytes = 4 << 20
  /// A message must be in the replica so many seconds after it was announced, and after the leader has it.
  private static let delay = 1.0

  private let connection: NATSConnection
  private let stream: String
  private let filter: String
  /// The subjects whose messages wake it; nil for those that the stream has them from.
  private let wakeUp: String?
  private let size: Int
  private let stop: StopSign
  /// Notes what has happened to the connection, for the owner.
  private let note: (NATSEntry) -> Void
  private var lastNumber = 0
  /// The batch that was asked for in advance.
  private var outstanding: (start: Start, reply: String)?
  /// The last batch in which messages were missing.
  private var gap: (start: Start, count: Int)?
  private var isAwake = false
  private var hasWakeUp = false
  private var isConnected = true
  /// Whether the connection is lost for good, or of no use: the owner needs another one.
  package private(set) var isClosed = false
  /// The waits after a wake-up that found nothing: a stream may store a message a little after its subject has it.
  private var waits = 0
  /// Since when there should be messages that no batch had.
  private var expectedSince: ContinuousClock.Instant?
  /// Since when the leader is known to have one.
  private var missingSince: ContinuousClock.Instant?
  /// The leader is not asked before: it may not answer this client.
  private var nextQuestion = ContinuousClock.now

  package init(
    _ connection: NATSConnection, stream: String, filter: String?, wakeUp: String? = nil,
    size: Int, stop: StopSign, note: @escaping (NATSEntry) -> Void
  ) {
    (self.connection, self.stream, self.size, self.stop, self.note) = (connection, stream, size, stop, note)
    self.filter = filter ?? ">"
    self.wakeUp = wakeUp ?? filter
  }

  // MARK: - The stream

  /// An error that passes with the election of a leader, say, is as one of the connection.
  private static func kind(of error: Value) -> NATSError.Kind {
    error.member("code")?.double == 503 ? .unreachable : .failed
  }

  /// Asks for the stream's state; throws where there is none of that name, or the server lacks what reading needs.
  package func info() throws(NATSError) -> Info {
    let account = try request("$JS.API.INFO")
    if let error = account.member("error") {
      throw NATSError(Self.kind(of: error), "JetStream cannot be used: \(Self.text(of: error))")
    }
    guard account.member("api")?.member("level")?.double ?? 0 >= 1 else {
      throw NATSError(.failed, "the server is too old: reading a stream needs nats-server 2.11 or newer")
    }
    let answer = try request("$JS.API.STREAM.INFO.\(stream)")
    if let error = answer.member("error") {
      let isMissing = error.member("err_code")?.double == 10059
      throw NATSError(
        Self.kind(of: error),
        isMissing ? "there is no stream \(stream)" : "the stream \(stream): \(Self.text(of: error))")
    }
    guard let config = answer.member("config"), let state = answer.member("state") else {
      throw NATSError(.failed, "the server's answer about the stream \(stream) has no state")
    }
    return Info(
      created: answer.member("created")?.string ?? "", first: Self.sequence(state.member("first_seq")),
      last: Self.sequence(state.member("last_seq")),
      subjects: config.member("subjects")?.items?.compactMap(\.string) ?? [],
      allowsDirect: config.member("allow_direct")?.isTruthy ?? false, config: config)
  }

  /// Makes the stream, where there is none of its name; throws the server's refusal.
  package func make(_ config: Value) throws(NATSError) {
    let answer = try request("$JS.API.STREAM.CREATE.\(stream)", config.description)
    guard let error = answer.member("error"), error.member("err_code")?.double != 10058 else { return }
    throw NATSError(Self.kind(of: error), Self.text(of: error))
  }

  private static func sequence(_ value: Value?) -> UInt64 {
    value.flatMap { UInt64($0.description) } ?? 0
  }

  private static func text(of error: Value) -> String {
    error.member("description")?.string ?? error.description
  }

  private func request(_ subject: String, _ text: String = "") throws(NATSError) -> Value {
    let reply = nextReply()
    try send(text, to: subject, answeredTo: reply)
    let end = ContinuousClock.now + .seconds(Self.answerTimeout)
    while ContinuousClock.now < end, !stop.isSet {
      guard let entry = connection.next() else {
        connection.wait(seconds: 0.5, stop)
        continue
      }
      if !entry.has(.answer) || !entry.isTo(reply) {
        see(entry)
        continue
      }
      if entry.bytes.isEmpty, entry.header("Status") == "503" {
        throw NATSError(.failed, "JetStream is not enabled on the server, or not for this account")
      }
      guard let value = try? Value.parse(entry.bytes) else { break }
      return value
    }
    throw NATSError(.unreachable, "\(subject) was not answered")
  }

  private func send(_ text: String, to subject: String, answeredTo reply: String) throws(NATSError) {
    do {
      try connection.publish(to: subject, answeredTo: reply, Array(text.utf8))
    } catch {
      // The library's own text is about its buffer.
      throw error.kind == .unreachable ? NATSError(.unreachable, "the connection is lost") : error
    }
  }

  private func nextReply() -> String {
    lastNumber += 1
    return "\(connection.inbox)r\(lastNumber)"
  }

  /// Notes what an entry says about the connection.
  private func see(_ entry: NATSEntry) {
    switch entry.kind {
    case .message: return
    case .wakeUp:
      isAwake = true
      expectMore()
    case .disconnected, .closed:
      isConnected = false
      if case .closed = entry.kind { isClosed = true }
      outstanding = nil
      note(entry)
    case .reconnected:
      isConnected = true
      isAwake = true
      note(entry)
    case .error: note(entry)
    }
  }

  // MARK: - Batches

  /// Reads the next batch; `add` is called with each message, whose content is valid during the call.
  ///
  /// The batch behind it is asked for at once, so that it arrives while this one is processed.
  package func read(from start: Start, add: (NATSEntry) -> Void) throws(NATSError) -> Outcome {
    if !isConnected { return waitForConnection() }
    let reply: String
    if let outstanding, outstanding.start == start {
      reply = outstanding.reply
    } else {
      reply = nextReply()
      do { try ask(from: start, reply) } catch { return .broken(.noAnswer(error.description)) }
    }
    outstanding = nil
    var batch = Batch(first: 0, last: 0, count: 0, pending: 0)
    var before = 0
    // The end of the wait that has begun.
    var end: ContinuousClock.Instant?
    while !stop.isSet {
      guard let entry = connection.next() else {
        let now = ContinuousClock.now
        if let end, now > end { return .broken(.noAnswer("no answer")) }
        end = end ?? now + .seconds(Self.answerTimeout)
        connection.wait(seconds: 0.5, stop)
        continue
      }
      guard entry.has(.answer) else {
        see(entry)
        if !isConnected { return .broken(.noAnswer("the connection was lost")) }
        continue
      }
      guard entry.isTo(reply) else { continue }
      // Wake-ups do not prolong it: a request that was lost with a server is never answered.
      end = nil
      if entry.bytes.isEmpty, entry.header("Nats-Sequence") == nil, let status = entry.header("Status") {
        let outcome = try finish(&batch, from: start, entry, status, before)
        if case .empty = outcome, isBehind(at: start) { return .broken(.behind) }
        return outcome
      }
      if batch.count == 0 {
        // Servers before 2.11 ignore the size of a batch, and leave the count out.
        guard let pending = entry.header("Nats-Num-Pending").flatMap({ Int($0) }) else {
          throw NATSError(.failed, "the server is too old: reading a stream needs nats-server 2.11 or newer")
        }
        before = pending + 1
        batch.first = entry.header("Nats-Sequence").flatMap { UInt64($0) } ?? 0
      }
      batch.count += 1
      add(entry)
    }
    return .stopped
  }

  private func ask(from start: Start, _ reply: String) throws(NATSError) {
    let place =
      switch start {
      case .sequence(let number): "\"seq\":\(number)"
      case .time(let text): "\"start_time\":\(Value.string(text))"
      }
    let text =
      "{\(place),\"batch\":\(size),\"max_bytes\":\(Self.mostBytes),\"next_by_subj\":\(Value.string(filter))}"
    try send(text, to: "$JS.API.DIRECT.GET.\(stream)", answeredTo: reply)
  }

  private func finish(
    _ batch: inout Batch, from start: Start, _ entry: NATSEntry, _ status: String, _ before: Int
  ) throws(NATSError) -> Outcome {
    switch status {
    case "204":
      batch.pending = entry.header("Nats-Num-Pending").flatMap { Int($0) } ?? 0
      batch.last = entry.header("Nats-Last-Sequence").flatMap { UInt64($0) } ?? 0
      guard batch.count > 0 else { return .empty }
      if batch.count != before - batch.pending || batch.last < batch.first {
        // The same gap twice: the server counts removed messages.
        guard let gap, gap == (start, batch.count) else {
          gap = (start, batch.count)
          return .broken(.gap)
        }
      }
      gap = nil
      waits = 0
      (expectedSince, missingSince) = (nil, nil)
      if batch.pending > 0 {
        let next = Start.sequence(batch.last + 1)
        let reply = nextReply()
        if (try? ask(from: next, reply)) != nil { outstanding = (next, reply) }
      }
      return .batch(batch)
    case "404": return batch.count == 0 ? .empty : .broken(.gap)
    // No leader for the moment, or the stream is gone.
    case "503": return .broken(.noAnswer("the stream \(stream) is not available"))
    default:
      throw NATSError(
        .failed, "the stream \(stream) cannot be read: \(entry.header("Description") ?? status)")
    }
  }

  // MARK: - Replicas

  /// There should be more messages than were read.
  package func expectMore() {
    if expectedSince == nil { expectedSince = .now }
  }

  /// Whether the stream's leader has messages from a sequence on; false where it does not answer.
  package func leaderHasMore(from sequence: UInt64) -> Bool {
    let request = "{\"seq\":\(sequence),\"next_by_subj\":\(Value.string(filter))}"
    guard let answer = try? self.request("$JS.API.STREAM.MSG.GET.\(stream)", request) else {
      nextQuestion = .now + .seconds(60)
      return false
    }
    return answer.member("message") != nil
  }

  /// Whether the replica of this server, which has no message from a place on, is behind the leader.
  private func isBehind(at start: Start) -> Bool {
    guard case .sequence(let sequence) = start, let expectedSince else { return false }
    let now = ContinuousClock.now
    guard now > expectedSince + .seconds(Self.delay), now > nextQuestion else { return false }
    if let missingSince {
      guard now > missingSince + .seconds(Self.delay) else { return false }
      isClosed = true
      return true
    }
    // It may have arrived just now, so that the replica must be read again.
    if leaderHasMore(from: sequence) { missingSince = .now } else { self.expectedSince = nil }
    return false
  }

  private func waitForConnection() -> Outcome {
    while !isConnected, !stop.isSet {
      if let entry = connection.next() { see(entry) } else { connection.wait(seconds: 5, stop) }
      if isClosed { return .broken(.noAnswer("the connection was closed")) }
    }
    return stop.isSet ? .stopped : .broken(.noAnswer("the connection was lost"))
  }

  // MARK: - Waiting

  /// Waits until there may be more.
  ///
  /// The first call only subscribes and returns, since messages may have come before.
  package func waitForMore(subjects: [String]) throws(NATSError) {
    if !hasWakeUp {
      hasWakeUp = true
      for subject in wakeUp.map({ [$0] }) ?? subjects {
        try connection.subscribe(to: subject, tag: .wakeUp)
      }
      return
    }
    // Looked for soon and often after a wake-up; otherwise each second, since a wake-up may be lost.
    let longest = waits < 10 ? 0.001 * Double(1 << waits) : 1
    waits += 1
    let end = ContinuousClock.now + .seconds(longest)
    while !stop.isSet {
      while let entry = connection.next() { see(entry) }
      if isAwake {
        isAwake = false
        waits = 0
        return
      }
      let rest = end - ContinuousClock.now
      if rest <= .zero || !isConnected { return }
      let (seconds, attoseconds) = rest.components
      connection.wait(seconds: Double(seconds) + Double(attoseconds) * 1e-18, stop)
    }
  }
}
