import CGlibc
import Engine
import Glibc
import Language
import Reactive
import System

/// The connection of an `mqtt` sink, on a thread of its own: publishes what it is given, and connects again.
///
/// The delivery queue does the retries: what is lost with a connection before it was acknowledged is published again by
/// the next one.
final class MQTTPublisher: Sendable {
  /// A message to publish.
  struct Message: Sendable {
    let topic: String
    let data: [UInt8]
    init(_ topic: String, _ data: [UInt8]) { (self.topic, self.data) = (topic, data) }
  }

  private struct Item: Sendable {
    let number: UInt64
    let message: Message
    let end: DeliveryEnd
    let deadline: Instant
  }

  private struct State: Sendable {
    var last: UInt64 = 0
    /// What the thread has not taken yet.
    var items: [Item] = []
    var cancelled: Set<UInt64> = []
    /// Whether the run ends: then what cannot be published is left to the next one.
    var isLast = false
    var hasEnded = false
  }

  private static let backoff = (first: Duration.seconds(1), longest: Duration.seconds(30))
  /// Longer than the end of a run waits for another attempt.
  private static let nextRun = 3600.0
  /// How long the end of a run waits for the last words.
  private static let lastWords = Duration.seconds(2)

  private let settings: MQTTSettings
  /// What is published, retained, after each connection.
  private let announcement: Message?
  private let (quality, isRetained): (Int, Bool)
  private let timeout: Duration
  private let log: NodeLog
  private let (random, now): (@Sendable () -> Double, @Sendable () -> Double)
  private let state = ConditionLock(State())
  private let stopSign = StopSign()
  private let bell = flow_eventfd()

  init(
    _ settings: MQTTSettings, _ announcement: Message?, quality: Int, isRetained: Bool, timeout: Duration,
    _ context: SinkContext
  ) throws {
    try MQTTConnection.load()
    (self.settings, self.announcement, self.timeout) = (settings, announcement, timeout)
    (self.quality, self.isRetained) = (quality, isRetained)
    log = context.log
    (random, now) = (context.lane.world.random, context.lane.world.wallClock)
    if !startThread(named: "flow-mqtt", { [self] in run() }) { throw MQTTError("there is no thread for it") }
  }

  deinit { if bell >= 0 { close(bell) } }

  // MARK: - On the lane

  /// Publishes a message, and calls back when the server has acknowledged it: its number.
  func publish(_ message: Message, _ end: @escaping DeliveryEnd) -> UInt64 {
    let number = state.change { state in
      state.last += 1
      state.items.append(
        Item(number: state.last, message: message, end: end, deadline: MonotonicClock.now + timeout))
      return state.last
    }
    ring()
    return number
  }

  func cancel(_ number: UInt64) {
    state.change { _ = $0.cancelled.insert(number) }
    ring()
  }

  /// Waits for a connection no longer than for an acknowledgement.
  func end() { state.change { $0.isLast = true } }

  /// Ends the connection, and waits until the server knows that it has ended.
  func stop() {
    stopSign.set()
    _ = state.wait(until: MonotonicClock.now + Self.lastWords) { $0.hasEnded ? true : nil }
  }

  private func ring() {
    var one: UInt64 = 1
    if bell >= 0 { _ = write(bell, &one, 8) }
  }

  // MARK: - On the thread

  private func run() {
    defer { state.change { $0.hasEnded = true } }
    let backoff = Backoff(
      initial: Self.backoff.first, cap: Self.backoff.longest, jitter: 0.2, random: random)
    var (failures, wasConnected, lastReport) = (0, false, Instant())
    var waiting: [Item] = []
    while !stopSign.isSet {
      do throws(MQTTError) {
        let connection = try MQTTConnection(settings, isClean: true, stopSign)
        try greet(connection)
        if failures > 0 { log.notice("connected to \(settings.server)\(wasConnected ? " again" : "")") }
        if !wasConnected, let announcement {
          log.notice("announced to Home Assistant by \(announcement.topic)")
        }
        (failures, wasConnected) = (0, true)
        return try serve(connection, &waiting)
      } catch {
        if stopSign.isSet { break }
        failures += 1
        let pause = backoff.delay(beforeRetry: failures - 1, after: error) ?? Self.backoff.longest
        // At growing distances; a login may be corrected at the server.
        if failures & (failures - 1) == 0 || MonotonicClock.now - lastReport > .seconds(3600) {
          lastReport = MonotonicClock.now
          let text =
            "\(error); next try in \(DurationText.format(.milliseconds(Int(pause.inSeconds * 1000))))"
          error.mayPass || wasConnected ? log.notice(text) : log.error(text)
        }
        wait(pause, &waiting, error)
      }
    }
  }

  /// Waits without a connection; what is waited for too long has failed, which is no attempt.
  private func wait(_ pause: Duration, _ waiting: inout [Item], _ error: MQTTError) {
    let end = MonotonicClock.now + pause
    while !stopSign.isSet, MonotonicClock.now < end {
      waiting += take()
      let (now, isLast) = (MonotonicClock.now, state.change { $0.isLast })
      waiting.removeAll { item in
        if now < item.deadline { return false }
        var failure = DeliveryFailure("\(error)", mayPass: true)
        failure.isAttempt = false
        if isLast { failure.retryAt = self.now() + Self.nextRun }
        item.end(failure)
        return true
      }
      dropCancelled(&waiting)
      let next = min(end, waiting.map(\.deadline).min() ?? end)
      listen(seconds: max(0.01, (next - MonotonicClock.now).inSeconds))
    }
  }

  /// Waits for something to publish, or the end.
  private func listen(seconds: Double) {
    var entries = [bell, stopSign.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = poll(&entries, 2, Int32(min(seconds * 1000, 1e6).rounded(.up)))
  }

  /// What is to be published since the last call.
  private func take() -> [Item] {
    var count: UInt64 = 0
    if bell >= 0 { _ = read(bell, &count, 8) }
    return state.change { state in
      defer { state.items = [] }
      return state.items
    }
  }

  /// Drops what the lane no longer waits for, and is not published yet.
  private func dropCancelled(_ waiting: inout [Item]) {
    let cancelled = state.change { state in
      defer { state.cancelled = [] }
      return state.cancelled
    }
    if !cancelled.isEmpty { waiting.removeAll { cancelled.contains($0.number) } }
  }

  /// Publishes what others know the sink by.
  private func greet(_ connection: MQTTConnection) throws(MQTTError) {
    var messages: [Message] = []
    if let announcement { messages.append(announcement) }
    if let status = settings.status { messages.append(Message(status, Array(MQTTSettings.online.utf8))) }
    for message in messages {
      _ = try connection.publish(message.topic, message.data, quality: 1, isRetained: true)
    }
    try connection.flush()
  }

  /// Publishes until the run ends, which ends the connection too.
  private func serve(_ connection: MQTTConnection, _ waiting: inout [Item]) throws(MQTTError) {
    var published: [Int32: Item] = [:]
    // What has no answer when the connection is lost is not known to have arrived.
    defer { waiting = published.values.sorted { $0.number < $1.number } + waiting }
    while true {
      waiting += take()
      dropCancelled(&waiting)
      if stopSign.isSet { break }
      while let item = waiting.first {
        do throws(MQTTError) {
          let id = try connection.publish(
            item.message.topic, item.message.data, quality: quality, isRetained: isRetained)
          published[id] = item
        } catch {
          if error.mayPass { throw error }
          item.end(DeliveryFailure("\(item.message.topic): \(error)", mayPass: false))
        }
        waiting.removeFirst()
      }
      try connection.flush()
      let next = published.values.map(\.deadline).min()
      let wait = next.map { max(0, ($0 - MonotonicClock.now).inSeconds * 1000) + 1 } ?? .infinity
      try connection.turn(wait: Int32(min(wait, Double(MQTTConnection.longestWait))), wake: bell)
      for answer in connection.takeAnswers() {
        guard let item = published.removeValue(forKey: answer.id) else { continue }
        item.end(answer.reason < 128 ? nil : connection.refusal(of: item.message.topic, answer.reason))
      }
      let now = MonotonicClock.now
      for (id, item) in published where item.deadline < now {
        published[id] = nil
        item.end(
          DeliveryFailure(
            "\(settings.server): no acknowledgement within \(DurationText.format(timeout))", mayPass: true))
      }
    }
    if let status = settings.status {
      _ = try connection.publish(
        status, Array(MQTTSettings.offline.utf8), quality: 1, isRetained: true)
    }
    connection.close()
  }
}

extension MQTTConnection {
  /// The failure of a message that the server has refused.
  fileprivate func refusal(of topic: String, _ reason: Int32) -> DeliveryFailure {
    // Unspecified, of the implementation, and a spent quota; others are about the message or the user's rights.
    DeliveryFailure(
      "\(topic): the server refuses it: \(text(ofReason: reason))", mayPass: [128, 131, 151].contains(reason))
  }
}
