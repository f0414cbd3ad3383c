import Delivery
import Engine
import JSON
import Language
import Reactive
import Store
import System

/// A message to publish for an event, as it is stored in the outbox.
struct MQTTItem: EventItem, JSONRecord {
  let topic: String
  /// Nil for the event as JSON.
  var data: String?
  var event: Event?

  static let form = RecordForm<Self>(
    Self.init(topic:data:event:), Field("topic", \.topic), Field("data", \.data), Field("event", \.event))

  var place: String? { topic }
}

/// A retained message by which others know the sink.
struct MQTTMessage: Sendable {
  let topic: String
  let data: [UInt8]
  init(_ topic: String, _ data: [UInt8]) { (self.topic, self.data) = (topic, data) }
}

/// The greetings of an `mqtt` sink, and how all of its connections publish; used by the thread that connects.
final class MQTTGreetings: @unchecked Sendable {
  /// After this many connections in a row that ended right behind a greeting, the greeting counts as the cause and is left
  /// out.
  private static let mostLost = 3

  let settings: MQTTSettings
  let envelope: CloudEvents?
  let quality: Int
  let isRetained: Bool
  /// The message that is published, retained, after each connection.
  let announcement: MQTTMessage?
  /// The topic, retained, of whether the polls of the sources are as good as they should be, and until when that holds.
  let freshness: (topic: String, state: @Sendable () -> (isFresh: Bool?, until: Double))?
  private let log: NodeLog
  fileprivate let now: @Sendable () -> Double
  private var isAnnounced = false
  /// How many connections have ended behind a greeting, and those that the server does not take.
  fileprivate private(set) var lost = 0
  private var refused: Set<String> = []

  init(
    _ settings: MQTTSettings, _ envelope: CloudEvents?, quality: Int, isRetained: Bool,
    announcement: MQTTMessage?,
    freshness: (topic: String, state: @Sendable () -> (isFresh: Bool?, until: Double))?,
    _ context: SinkContext
  ) {
    (self.settings, self.quality, self.isRetained) = (settings, quality, isRetained)
    (self.envelope, self.announcement, self.freshness) = (envelope, announcement, freshness)
    (log, now) = (context.log, context.lane.world.wallClock)
  }

  fileprivate var all: [MQTTMessage] {
    let status = settings.status.map { MQTTMessage($0, Array(MQTTSettings.online.utf8)) }
    return [announcement, status].compactMap(\.self).filter { isWanted($0.topic) }
  }

  fileprivate func isWanted(_ topic: String) -> Bool { !refused.contains(topic) }

  fileprivate func noteAccepted(_ greeting: MQTTMessage) {
    lost = 0
    guard greeting.topic == announcement?.topic, !isAnnounced else { return }
    isAnnounced = true
    log.notice("announced to Home Assistant by \(greeting.topic)")
  }

  /// Notes that a connection has ended behind a greeting, without a single answer.
  fileprivate func noteLost(_ greeting: MQTTMessage, _ reason: String) {
    lost += 1
    if lost >= Self.mostLost {
      lost = 0
      refuse(greeting, reason)
    }
  }

  /// Publishes a greeting no more; the messages are published without it.
  fileprivate func refuse(_ greeting: MQTTMessage, _ reason: String) {
    refused.insert(greeting.topic)
    let kind = greeting.topic == announcement?.topic ? "the announcement" : "the status"
    log.error("\(greeting.topic): the server refuses \(kind): \(reason); it is left out")
  }
}

/// A connection of an `mqtt` sink: publishes its greetings, the items, and what changes with time.
final class MQTTDelivery: DeliveryConnection {
  private let connection: MQTTConnection
  private let greetings: MQTTGreetings
  private var greeted: [Int32: MQTTMessage] = [:]
  private var sent: Set<Int32> = []
  private var answers: [(number: Int, failure: DeliveryFailure?)] = []
  private(set) var hasAnswered = false
  /// The state that the topic of freshness shows.
  private var shown: Bool?

  init(_ greetings: MQTTGreetings, _ stop: StopSign, _ meanwhile: () -> Void) throws(MQTTError) {
    self.greetings = greetings
    connection = try MQTTConnection(greetings.settings, isClean: true, stop, meanwhile: meanwhile)
    for message in greetings.all { try greet(message) }
  }

  /// Where a connection has ended behind a greeting, nothing else is on its way with it.
  var isReady: Bool { greeted.isEmpty || greetings.lost == 0 }
  var isGreeted: Bool { greeted.isEmpty }

  private func greet(_ message: MQTTMessage) throws(MQTTError) {
    greeted[try connection.publish(message.topic, message.data, quality: 1, isRetained: true)] = message
  }

  func send(_ item: any DeliveryItem, id: String) throws -> Int {
    guard let item = item as? MQTTItem else { throw StrangeItem() }
    let number = try connection.publish(
      item.topic, try greetings.envelope.bytes(item.data, of: item.event, id: id), quality: greetings.quality,
      isRetained: greetings.isRetained)
    sent.insert(number)
    return Int(number)
  }

  func turn(until deadline: Instant, wake: Int32) throws {
    try connection.flush()
    try connection.turn(until: min(deadline, try showFreshness()), wake: wake)
    for answer in connection.takeAnswers() {
      hasAnswered = true
      if let greeting = greeted.removeValue(forKey: answer.id) {
        if answer.reason < 128 {
          greetings.noteAccepted(greeting)
        } else {
          greetings.refuse(greeting, connection.text(ofReason: answer.reason))
        }
      } else if sent.remove(answer.id) != nil {
        let failure = answer.reason < 128 ? nil : connection.refusal(answer.reason)
        answers.append((Int(answer.id), failure))
      }
    }
  }

  func takeAnswers() -> [(number: Int, failure: DeliveryFailure?)] {
    defer { answers = [] }
    return answers
  }

  /// Publishes whether the sources are fresh, where that has changed; until when that holds.
  private func showFreshness() throws(MQTTError) -> Instant {
    guard let (topic, state) = greetings.freshness, greetings.isWanted(topic) else { return .distantFuture }
    let (isFresh, until) = state()
    if let isFresh, isFresh != shown {
      shown = isFresh
      try greet(MQTTMessage(topic, Array((isFresh ? MQTTSettings.online : MQTTSettings.offline).utf8)))
      try connection.flush()
    }
    return MonotonicClock.now + .seconds(min(max(0.01, until - greetings.now()), 1e6))
  }

  /// Where nothing was answered, what the connection has carried first may be the reason.
  func noteFailure(_ error: any Error) {
    if hasAnswered { return }
    if let greeting = greeted.min(by: { $0.key < $1.key })?.value { greetings.noteLost(greeting, "\(error)") }
  }

  func close() {
    if let status = greetings.settings.status, greetings.isWanted(status) {
      _ = try? connection.publish(
        status, Array(MQTTSettings.offline.utf8), quality: 1, isRetained: true)
    }
    connection.close()
  }
}

extension MQTTConnection {
  /// The failure of a message that the server has refused.
  fileprivate func refusal(_ reason: Int32) -> DeliveryFailure {
    // Unspecified, of the implementation, and a spent quota; others are about the message or the user's rights.
    DeliveryFailure(
      "the server refuses it: \(text(ofReason: reason))", mayPass: [128, 131, 151].contains(reason))
  }
}
