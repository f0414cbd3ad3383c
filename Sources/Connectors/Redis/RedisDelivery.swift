import Decode
import Delivery
import Engine
import JSON
import Language
import Reactive
import Store
import System

/// A command that a `redis` sink sends for an event, as it is stored in the outbox.
struct RedisItem: EventItem, JSONRecord {
  /// The command, up to the id of an entry or the data.
  var command: [String]
  /// The field of an entry that has the data.
  var field: String?
  /// Nil for the event as JSON.
  var data: String?
  /// Whether the command ends without data, as one that deletes does.
  var isBare = false
  var event: Event?

  static let form = RecordForm<Self>(
    Self.init(command:field:data:isBare:event:), Field("command", \.command), Field("field", \.field),
    Field("data", \.data), Field("bare", \.isBare, unless: false), Field("event", \.event))

  var place: String? { command.count > 1 ? printable(command[1]) : nil }
  var isEntry: Bool { command.first == "XADD" }
  /// The key, or field of a hash, whose commands run one after the other.
  var key: String? {
    if isEntry { return nil }
    let isField = ["HSET", "HDEL"].contains(command.first)
    return command.dropFirst().prefix(isField ? 2 : 1).joined(separator: "\0")
  }

  /// The whole command.
  func arguments(id: String, in envelope: CloudEvents?, ids: RedisEntryIDs?) throws -> [[UInt8]] {
    var arguments = command.map { Array($0.utf8) }
    if isEntry {
      arguments.append(Array((ids?.id(of: id).map { "\($0)" } ?? "*").utf8))
      arguments.append(Array((field ?? "data").utf8))
    }
    if !isBare { arguments.append(try envelope.bytes(data, of: event, id: id)) }
    return arguments
  }
}

/// The ids of entries that a sink with state chooses itself, so that the server refuses a repeat: a time before the first of
/// them, and the number of the output.
final class RedisEntryIDs: Sendable {
  let time: UInt64
  private let warn: @Sendable (String) -> Void
  /// The streams of which it was reported that they have ids beyond these.
  private let passed = Locked<Set<String>>([])

  init(time: UInt64, warn: @escaping @Sendable (String) -> Void = { _ in }) {
    (self.time, self.warn) = (time, warn)
  }

  /// Reports once that a stream takes no ids of the sink's own any more.
  func notePassed(_ stream: String) {
    guard passed.withLock({ $0.insert(stream).inserted }) else { return }
    warn(
      "the stream \(printable(stream)) has ids beyond the sink's own, of another writer or before a dead letter that is "
        + "retried: its entries get ids of the server, and one that is repeated after a failure may come twice"
    )
  }

  /// The id of an entry, from the id of its output.
  func id(of output: String) -> RedisID? {
    guard let dash = output.lastIndex(of: "-"), let number = UInt64(output[output.index(after: dash)...])
    else {
      return nil
    }
    return RedisID(time: time, number: number)
  }
}

/// A connection of a `redis` sink.
final class RedisDelivery: DeliveryConnection {
  private let connection: RedisConnection
  private let envelope: CloudEvents?
  private let ids: RedisEntryIDs?
  /// The items without an answer, in the order in which they were sent.
  private var sent: [(number: Int, item: RedisItem, id: String)] = []
  private var answers: [(number: Int, failure: DeliveryFailure?)] = []
  private(set) var hasAnswered = false
  private var last = 0

  init(
    _ settings: RedisSettings, _ envelope: CloudEvents?, _ ids: RedisEntryIDs?, _ stop: StopSign,
    _ meanwhile: () -> Void
  ) throws(RedisError) {
    (self.envelope, self.ids) = (envelope, ids)
    connection = try RedisConnection(settings, stop, meanwhile)
  }

  func send(_ item: any DeliveryItem, id: String) throws -> Int {
    guard let item = item as? RedisItem else { throw StrangeItem() }
    let arguments: [[UInt8]]
    do {
      arguments = try item.arguments(id: id, in: envelope, ids: ids)
    } catch {
      throw RedisError(description: "\(error)", mayPass: false)
    }
    connection.add(arguments)
    last += 1
    sent.append((last, item, id))
    return last
  }

  func turn(until deadline: Instant, wake: Int32) throws {
    var count = 0
    defer { sent.removeFirst(count) }
    var answer = try connection.turn(until: deadline, wake: wake)
    while let value = answer {
      guard count < sent.count else { throw RedisError(description: "an answer that nothing was asked for") }
      let (number, item, id) = sent[count]
      count += 1
      hasAnswered = true
      answers.append((number, try failure(of: item, id, value)))
      answer = count < sent.count ? try connection.turn(until: Instant()) : nil
    }
  }

  private func failure(of item: RedisItem, _ id: String, _ answer: RESPValue) throws -> DeliveryFailure? {
    guard case .error(let text) = answer else { return nil }
    if item.isEntry, let entry = ids?.id(of: id), text.has("equal or smaller") {
      // An attempt before has stored it, or else another writer is ahead; nothing else is under way.
      let found = try connection.call(["XRANGE", item.command[1], "\(entry)", "\(entry)"])
      if found.items?.isEmpty == false { return nil }
      ids?.notePassed(item.command[1])
      return try self.failure(of: item, id, connection.call(item.arguments(id: id, in: envelope, ids: nil)))
    }
    return DeliveryFailure(printable(text), mayPass: RedisConnection.mayPass(text))
  }

  func takeAnswers() -> [(number: Int, failure: DeliveryFailure?)] {
    defer { answers = [] }
    return answers
  }

  func close() {}
}
