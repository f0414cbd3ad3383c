import Delivery
import Engine
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
    /// How long it waits for a connection.
    var deadline: Instant
    /// When it was published.
    var sent = Instant()
  }

  private struct State: Sendable {
    var last: UInt64 = 0
    /// The items that the thread has not taken yet.
    var items: [Item] = []
    var cancelled: Set<UInt64> = []
    /// Whether the run ends: then what cannot be published is left to the next one.
    var isLast = false
    var hasEnded = false
  }

  private static let backoff = (first: Duration.seconds(1), longest: Duration.seconds(30))
  /// Longer than the end of a run waits for another attempt.
  private static let nextRun = 3600.0
  /// A connection that went on for so long was a good one.
  private static let goodTime = Duration.seconds(10)
  /// Connections that end again and again, and do something before, are reported so often.
  private static let quiet = Duration.seconds(60)
  /// So many connections in a row that end behind a greeting end because of it.
  private static let mostLostGreetings = 3
  /// How long the end of a run waits for the last words.
  private static let lastWords = Duration.seconds(2)

  private let settings: MQTTSettings
  /// The message that is published, retained, after each connection.
  private let announcement: Message?
  /// The topic, retained, of whether the polls of the sources are as good as they should be, and until when that holds.
  private let freshness: (topic: String, state: @Sendable () -> (isFresh: Bool?, until: Double))?
  private let (quality, isRetained): (Int, Bool)
  private let timeout: Duration
  private let log: NodeLog
  private let meter: Meter
  private let (random, now): (@Sendable () -> Double, @Sendable () -> Double)
  private let state = ConditionLock(State())
  private let stopSign = StopSign()
  private let wakeUp = WakeUp()

  init(
    _ settings: MQTTSettings, _ announcement: Message?,
    _ freshness: (topic: String, state: @Sendable () -> (isFresh: Bool?, until: Double))?, quality: Int,
    isRetained: Bool, timeout: Duration,
    _ context: SinkContext
  ) throws {
    try MQTTConnection.load()
    (self.settings, self.announcement, self.timeout) = (settings, announcement, timeout)
    self.freshness = freshness
    (self.quality, self.isRetained) = (quality, isRetained)
    (log, meter) = (context.log, context.meter)
    (random, now) = (context.lane.world.random, context.lane.world.wallClock)
    if freshness != nil { context.lane.lists.watch { [wakeUp] in wakeUp.ring() } }
    if !startThread(named: "flow-mqtt", { [self] in run() }) { throw MQTTError("there is no thread for it") }
  }

  // MARK: - On the lane

  /// Publishes a message, and calls back when the server has acknowledged it: its number.
  func publish(_ message: Message, _ end: @escaping DeliveryEnd) -> UInt64 {
    let number = state.change { state in
      state.last += 1
      state.items.append(
        Item(number: state.last, message: message, end: end, deadline: MonotonicClock.now + timeout))
      return state.last
    }
    wakeUp.ring()
    return number
  }

  func cancel(_ number: UInt64) {
    state.change { _ = $0.cancelled.insert(number) }
    wakeUp.ring()
  }

  /// Waits for a connection no longer than for an acknowledgement.
  func end() { state.change { $0.isLast = true } }

  /// Ends the connection, and waits until the server knows that it has ended.
  func stop() {
    stopSign.set()
    _ = state.wait(until: MonotonicClock.now + Self.lastWords) { $0.hasEnded ? true : nil }
  }

  // MARK: - On the thread

  /// The progress that the thread knows of.
  private struct Progress {
    /// The items that are not published yet, or were and have lost their connection.
    var waiting: [Item] = []
    /// The connections in a row that have done nothing.
    var failures = 0
    var lastReport = Instant() - quiet * 2
    /// Since when there is no connection, in seconds since 1970.
    var lostAt: Double?
    /// Whether a server has ever accepted the connection.
    var wasConnected = false
    /// Whether the announcement was acknowledged.
    var isAnnounced = false
    /// How many connections have ended behind a greeting, and those that the server does not take.
    var lostGreetings = 0
    var refusedGreetings: Set<String> = []
  }

  private func run() {
    defer { state.change { $0.hasEnded = true } }
    let backoff = Backoff(
      initial: Self.backoff.first, cap: Self.backoff.longest, jitter: 0.2, random: random)
    var progress = Progress()
    while !stopSign.isSet {
      do throws(MQTTError) {
        let connection = try MQTTConnection(settings, isClean: true, stopSign) { expire(&progress, nil) }
        if progress.failures > 0 { log.detail("connected to \(settings.server)") }
        return try serve(connection, &progress)
      } catch {
        if stopSign.isSet { break }
        progress.failures += 1
        let pause = backoff.delay(beforeRetry: progress.failures - 1, after: error) ?? Self.backoff.longest
        progress.lostAt = progress.lostAt ?? now()
        meter.note(
          NodeStatus.Wait(
            events: progress.waiting.count, request: "delivery", reason: "\(error)", since: progress.lostAt,
            until: now() + pause.inSeconds, isFailing: true))
        // At growing distances; a login may be corrected at the server.
        let isFirst = MonotonicClock.now - progress.lastReport > Self.quiet || progress.failures > 1
        if progress.failures & (progress.failures - 1) == 0, isFirst {
          progress.lastReport = MonotonicClock.now
          let text =
            "\(error); next try in \(DurationText.format(.milliseconds(Int(pause.inSeconds * 1000))))"
          error.mayPass || progress.wasConnected ? log.notice(text) : log.error(text)
        }
        wait(pause, &progress, error)
      }
    }
  }

  /// Waits without a connection.
  private func wait(_ pause: Duration, _ progress: inout Progress, _ error: MQTTError) {
    let end = MonotonicClock.now + pause
    while !stopSign.isSet, MonotonicClock.now < end {
      expire(&progress, error)
      let next = min(end, progress.waiting.map(\.deadline).min() ?? end)
      wakeUp.wait(or: stopSign, until: max(next, MonotonicClock.now + .milliseconds(10)))
    }
  }

  /// Ends what has waited too long for a connection, which is no attempt.
  private func expire(_ progress: inout Progress, _ error: MQTTError?) {
    progress.waiting += take()
    dropCancelled(&progress.waiting)
    let (now, isLast) = (MonotonicClock.now, state.change { $0.isLast })
    progress.waiting.removeAll { item in
      if now < item.deadline { return false }
      var failure = DeliveryFailure(
        error.map { "\($0)" } ?? "\(settings.server): there is no connection", mayPass: true)
      failure.isAttempt = false
      if isLast { failure.retryAt = self.now() + Self.nextRun }
      item.end(failure)
      return true
    }
  }

  /// The items to publish since the last call.
  private func take() -> [Item] {
    wakeUp.clear()
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

  /// The messages by which others know the sink, which each connection publishes first.
  private func greetings(_ progress: Progress) -> [Message] {
    let status = settings.status.map { Message($0, Array(MQTTSettings.online.utf8)) }
    return [announcement, status].compactMap(\.self).filter { !progress.refusedGreetings.contains($0.topic) }
  }

  /// Publishes until the run ends, which ends the connection too.
  private func serve(_ connection: MQTTConnection, _ progress: inout Progress) throws(MQTTError) {
    var greeted: [Int32: Message] = [:]
    var published: [Int32: Item] = [:]
    let start = MonotonicClock.now
    var hasAnswered = false
    var shown: Bool?
    progress.wasConnected = true
    if progress.lostAt != nil { meter.note(nil) }
    progress.lostAt = nil
    do throws(MQTTError) {
      for message in greetings(progress) {
        greeted[try connection.publish(message.topic, message.data, quality: 1, isRetained: true)] = message
      }
      while true {
        progress.waiting += take()
        dropCancelled(&progress.waiting)
        if stopSign.isSet { break }
        // Where a connection has ended behind a greeting, nothing else is on its way with it.
        if greeted.isEmpty || progress.lostGreetings == 0 {
          try publish(&progress.waiting, connection, &published)
        }
        try connection.flush()
        let next = published.values.map { $0.sent + timeout }.min()
        var longest = MonotonicClock.now + MQTTConnection.longestWait
        if let freshness, !progress.refusedGreetings.contains(freshness.topic) {
          let (isFresh, until) = freshness.state()
          longest = min(longest, MonotonicClock.now + .seconds(min(max(0.01, until - now()), 1e6)))
          if let isFresh, isFresh != shown {
            shown = isFresh
            let text = isFresh ? MQTTSettings.online : MQTTSettings.offline
            let message = Message(freshness.topic, Array(text.utf8))
            greeted[try connection.publish(message.topic, message.data, quality: 1, isRetained: true)] =
              message
            try connection.flush()
          }
        }
        try connection.turn(until: min(longest, next ?? longest), wake: wakeUp.descriptor)
        for answer in connection.takeAnswers() {
          (hasAnswered, progress.failures) = (true, 0)
          if let greeting = greeted.removeValue(forKey: answer.id) {
            note(answer.reason, of: greeting, connection, &progress)
          } else if let item = published.removeValue(forKey: answer.id) {
            item.end(answer.reason < 128 ? nil : connection.refusal(of: item.message.topic, answer.reason))
          }
        }
        // A late answer must not be taken for that of another attempt, and libmosquitto would send it again.
        if let late = published.values.map(\.sent).min(), late + timeout < MonotonicClock.now {
          throw MQTTError(
            "\(settings.server): no acknowledgement within \(DurationText.format(timeout))")
        }
      }
      if let status = settings.status, !progress.refusedGreetings.contains(status) {
        _ = try connection.publish(status, Array(MQTTSettings.offline.utf8), quality: 1, isRetained: true)
      }
      connection.close()
    } catch {
      if MonotonicClock.now - start > Self.goodTime { progress.failures = 0 }
      // Where a connection has ended without a single answer, what it has carried first may be the reason.
      if !hasAnswered, let greeting = greeted.min(by: { $0.key < $1.key })?.value {
        progress.lostGreetings += 1
        if progress.lostGreetings >= Self.mostLostGreetings {
          progress.lostGreetings = 0
          refuse(greeting, "\(error)", &progress)
        }
      } else if !hasAnswered, let first = published.min(by: { $0.value.number < $1.value.number }) {
        published[first.key] = nil
        first.value.end(DeliveryFailure("\(first.value.message.topic): \(error)", mayPass: true))
      }
      // The rest is not known to have arrived; each has its whole time again.
      let rest = published.values.sorted { $0.number < $1.number }.map { item in
        var item = item
        item.deadline = MonotonicClock.now + timeout
        return item
      }
      progress.waiting = rest + progress.waiting
      throw error
    }
  }

  private func publish(
    _ waiting: inout [Item], _ connection: MQTTConnection, _ published: inout [Int32: Item]
  ) throws(MQTTError) {
    while var item = waiting.first {
      do throws(MQTTError) {
        let id = try connection.publish(
          item.message.topic, item.message.data, quality: quality, isRetained: isRetained)
        item.sent = MonotonicClock.now
        published[id] = item
      } catch {
        if error.mayPass { throw error }
        item.end(DeliveryFailure("\(item.message.topic): \(error)", mayPass: false))
      }
      waiting.removeFirst()
    }
  }

  /// Notes the answer to a greeting.
  private func note(
    _ reason: Int32, of greeting: Message, _ connection: MQTTConnection, _ progress: inout Progress
  ) {
    if reason >= 128 { return refuse(greeting, connection.text(ofReason: reason), &progress) }
    progress.lostGreetings = 0
    guard greeting.topic == announcement?.topic, !progress.isAnnounced else { return }
    progress.isAnnounced = true
    log.notice("announced to Home Assistant by \(greeting.topic)")
  }

  /// Publishes a greeting no more; the messages are published without it.
  private func refuse(_ greeting: Message, _ reason: String, _ progress: inout Progress) {
    progress.refusedGreetings.insert(greeting.topic)
    let kind = greeting.topic == announcement?.topic ? "the announcement" : "the status"
    log.error("\(greeting.topic): the server refuses \(kind): \(reason); it is left out")
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
