import Engine
import Language
import Reactive
import System

/// A connection that carries the items of a sink to a server, and brings their answers; one thread uses it.
package protocol DeliveryConnection: AnyObject, SendableMetatype {
  associatedtype Item: DeliveryItem

  /// Whether items may be sent now: a connection may have a greeting to get through first.
  var isReady: Bool { get }
  /// Whether the server has answered anything on it.
  var hasAnswered: Bool { get }
  /// Whether an end without a single answer may be the fault of the first item that was sent.
  var isGreeted: Bool { get }

  /// Sends an item, whose answer will have the number returned.
  ///
  /// Throws what ends the connection; an error that may not pass is the item's own.
  func send(_ item: Item, id: String) throws -> Int

  /// Sends what is left to send, and waits until something has come, a time, or a descriptor that is readable.
  func turn(until deadline: Instant, wake: Int32) throws

  /// The answers that have come since the last call; nil for success.
  func takeAnswers() -> [(number: Int, failure: DeliveryFailure?)]

  /// Ends it in order, so that the server knows.
  func close()

  /// Notes that it has failed.
  func noteFailure(_ error: any Error)
}

extension DeliveryConnection {
  package var isReady: Bool { true }
  package var isGreeted: Bool { true }
  package func noteFailure(_ error: any Error) {}
}

/// The transport of a sink over a connection, on a thread of its own: sends what it is given, and connects again.
///
/// The delivery queue does the retries: what is lost with a connection before it was answered is sent again by the next
/// one, in order, and that is no attempt. An answer that is late ends the connection, so that it is not taken for that
/// of another attempt.
package final class LinkedTransport<Connection: DeliveryConnection>: DeliveryTransport, Sendable {
  package typealias Item = Connection.Item

  /// The words and times of a transport.
  package struct Settings: Sendable {
    /// The server, as messages name it.
    var server: String
    /// How long a connection, or an answer, is waited for.
    var timeout: Duration
    package init(server: String, timeout: Duration) { (self.server, self.timeout) = (server, timeout) }
  }

  private struct Parcel: Sendable {
    let number: UInt64
    let id: String
    let item: Item
    let end: DeliveryEnd
    /// How long it waits for a connection.
    var deadline: Instant
    /// When it was sent.
    var sent = Instant()
  }

  private struct State: Sendable {
    var last: UInt64 = 0
    /// The items that the thread has not taken yet.
    var parcels: [Parcel] = []
    var cancelled: Set<UInt64> = []
    /// Whether the run ends: then what cannot be sent is left to the next one.
    var isLast = false
    var hasEnded = false
  }

  /// Longer than the end of a run waits for another attempt.
  private static var nextRun: Double { 3600 }
  /// How long the end of a run waits for the last words.
  private static var lastWords: Duration { .seconds(2) }
  /// How long it waits at most between two looks at whether the connection has something to send.
  private static var longestTurn: Duration { .seconds(20) }

  package let delivers = Deliverable.message
  /// A server is in the real world, in which virtual time does not pass.
  package let retriesInRealTime = true
  private let settings: Settings
  private let (log, meter): (NodeLog, Meter)
  private let (random, now): (@Sendable () -> Double, @Sendable () -> Double)
  private let state = ConditionLock(State())
  private let stopSign = StopSign()
  /// Rings the thread, also for what its connection has to do besides.
  package let wakeUp = WakeUp()

  /// Makes a transport whose connections `connect` makes, on the thread: until the stop sign, with calls now and then of
  /// its second argument.
  ///
  /// Nothing is connected, and no library loaded, where messages are printed or suppressed.
  package init(
    _ settings: Settings, _ context: SinkContext, load: () throws -> Void = {},
    connect: @escaping @Sendable (StopSign, () -> Void) throws -> Connection
  ) throws {
    self.settings = settings
    (log, meter) = (context.log, context.meter)
    (random, now) = (context.lane.world.random, context.lane.world.wallClock)
    if context.isDryRun || !context.outputs.isLive {
      state.change { $0.hasEnded = true }
      return
    }
    try load()
    guard startThread(named: "flow-link", { [self] in run(connect) }) else {
      throw Sentence("\(settings.server): there is no thread for the connection")
    }
  }

  // MARK: - On the lane

  package func begin(_ item: Item, id: String, _ end: @escaping DeliveryEnd) -> Subscription {
    let number = state.change { state in
      state.last += 1
      state.parcels.append(
        Parcel(
          number: state.last, id: id, item: item, end: end, deadline: MonotonicClock.now + settings.timeout))
      return state.last
    }
    wakeUp.ring()
    let attempt = Subscription()
    attempt.onDispose { [self] in
      state.change { _ = $0.cancelled.insert(number) }
      wakeUp.ring()
      end(.cancelled)
    }
    return attempt
  }

  package func beginEnd() { state.change { $0.isLast = true } }

  package func end() {
    stopSign.set()
    wakeUp.ring()
    _ = state.wait(until: MonotonicClock.now + Self.lastWords) { $0.hasEnded ? true : nil }
  }

  package func cutShortMessage(_ item: Item, attempts: Int) -> String {
    "\(item.place.map { "\($0): " } ?? "")not published: the pipeline ended"
  }

  package func leftMessage(_ count: Int) -> String {
    count == 1
      ? "one message was not acknowledged; the next run publishes it again"
      : "\(count) messages were not acknowledged; the next run publishes them again"
  }

  // MARK: - On the thread

  private func run(_ connect: (StopSign, () -> Void) throws -> Connection) {
    defer { state.change { $0.hasEnded = true } }
    var waiting: [Parcel] = []
    let health = Health(self)
    let link = ConnectionLink(health, longest: .seconds(30))
    health.doWait = { [self] in wait($0, &waiting, because: $1) }
    health.events = { waiting.count }
    try? link.run {
      let connection = try connect(stopSign) { expire(&waiting, nil) }
      link.noteConnected()
      try serve(connection, link, &waiting)
      return .done
    }
  }

  /// Waits without a connection.
  private func wait(_ pause: Duration, _ waiting: inout [Parcel], because reason: String) {
    let end = MonotonicClock.now + pause
    while !stopSign.isSet, MonotonicClock.now < end {
      expire(&waiting, reason)
      let next = min(end, waiting.map(\.deadline).min() ?? end)
      wakeUp.wait(or: stopSign, until: max(next, MonotonicClock.now + .milliseconds(10)))
    }
  }

  /// Ends what has waited too long for a connection, which is no attempt.
  private func expire(_ waiting: inout [Parcel], _ reason: String?) {
    take(&waiting)
    let (now, isLast) = (MonotonicClock.now, state.change { $0.isLast })
    waiting.removeAll { parcel in
      if now < parcel.deadline { return false }
      var failure = DeliveryFailure(reason ?? "\(settings.server): there is no connection", mayPass: true)
      failure.isAttempt = false
      if isLast { failure.retryAt = self.now() + Self.nextRun }
      parcel.end(failure)
      return true
    }
  }

  /// Takes over what is to be sent, without what the lane no longer waits for and is not sent yet.
  private func take(_ waiting: inout [Parcel]) {
    wakeUp.clear()
    let (new, cancelled) = state.change { state in
      defer { (state.parcels, state.cancelled) = ([], []) }
      return (state.parcels, state.cancelled)
    }
    waiting += new
    if !cancelled.isEmpty { waiting.removeAll { cancelled.contains($0.number) } }
  }

  /// Sends until the run ends, which ends the connection too.
  private func serve(_ connection: Connection, _ link: ConnectionLink, _ waiting: inout [Parcel]) throws {
    var sent: [Int: Parcel] = [:]
    do {
      while true {
        take(&waiting)
        if stopSign.isSet { break }
        if connection.isReady { try send(&waiting, connection, &sent) }
        let longest = MonotonicClock.now + Self.longestTurn
        let next = sent.values.map { $0.sent + settings.timeout }.min()
        try connection.turn(until: min(longest, next ?? longest), wake: wakeUp.descriptor)
        if connection.hasAnswered { link.noteReceived() }
        for (number, failure) in connection.takeAnswers() { sent.removeValue(forKey: number)?.end(failure) }
        if let late = sent.values.map(\.sent).min(), late + settings.timeout < MonotonicClock.now {
          throw LateAnswer(server: settings.server, timeout: settings.timeout)
        }
      }
      connection.close()
    } catch {
      connection.noteFailure(error)
      // Where a connection has ended without a single answer, what it has carried first may be the reason.
      if !connection.hasAnswered, connection.isGreeted,
        let first = sent.min(by: { $0.value.number < $1.value.number })
      {
        sent[first.key] = nil
        let place = first.value.item.place.map { "\($0): " } ?? ""
        first.value.end(DeliveryFailure("\(place)\(error)", mayPass: true))
      }
      // The rest is not known to have arrived; each has its whole time again.
      let rest = sent.values.sorted { $0.number < $1.number }.map { parcel in
        var parcel = parcel
        parcel.deadline = MonotonicClock.now + settings.timeout
        return parcel
      }
      waiting = rest + waiting
      throw error
    }
  }

  private func send(
    _ waiting: inout [Parcel], _ connection: Connection, _ sent: inout [Int: Parcel]
  ) throws {
    var count = 0
    defer { waiting.removeFirst(count) }
    while count < waiting.count {
      var parcel = waiting[count]
      do {
        let number = try connection.send(parcel.item, id: parcel.id)
        parcel.sent = MonotonicClock.now
        sent[number] = parcel
      } catch let error as any LinkError where !error.mayPass {
        let place = parcel.item.place.map { "\($0): " } ?? ""
        parcel.end(DeliveryFailure("\(place)\(error)", mayPass: false))
      }
      count += 1
    }
  }

  /// The link of the transport: the wait that status shows, and the log at growing distances.
  private final class Health: LinkHealth {
    /// Connections that end again and again, and do something before, are reported so often.
    private static var quiet: Duration { .seconds(60) }

    private let transport: LinkedTransport
    private var lastReport = Instant() - quiet * 2
    /// Since when there is no connection, in seconds since 1970.
    private var lostAt: Double?
    private var wasConnected = false
    private var isReported = false
    var doWait: (Duration, String) -> Void = { _, _ in }
    var events: () -> Int = { 0 }

    init(_ transport: LinkedTransport) { self.transport = transport }

    var isStopped: Bool { transport.stopSign.isSet }
    var isOnce: Bool { false }
    var random: @Sendable () -> Double { transport.random }

    /// A login may be corrected at the server.
    func isFinal(_ error: any Error) -> Bool { false }

    func noteConnected() {
      wasConnected = true
      if lostAt != nil { transport.meter.note(nil) }
      lostAt = nil
      if isReported { transport.log.notice("connected to \(transport.settings.server)") }
      isReported = false
    }

    func noteFailure(_ error: any Error, failures: Int, next: Duration) {
      lostAt = lostAt ?? transport.now()
      transport.meter.note(
        NodeStatus.Wait(
          events: events(), request: "delivery", reason: "\(error)", since: lostAt,
          until: transport.now() + next.inSeconds, isFailing: true))
      // At growing distances.
      let isDue = MonotonicClock.now - lastReport > Self.quiet || failures > 1
      guard failures & (failures - 1) == 0, isDue else { return }
      lastReport = MonotonicClock.now
      isReported = true
      let wait = DurationText.format(.milliseconds(Int(next.inSeconds * 1000)))
      let text = "\(error); next try in \(wait)"
      let mayPass = (error as? any LinkError)?.mayPass ?? true
      mayPass || wasConnected ? transport.log.notice(text) : transport.log.error(text)
    }

    func wait(_ time: Duration, because reason: String) { doWait(time, reason) }
  }
}

/// An answer that has not come in time.
private struct LateAnswer: LinkError, CustomStringConvertible {
  let server: String
  let timeout: Duration
  var mayPass: Bool { true }
  var description: String { "\(server): no acknowledgement within \(DurationText.format(timeout))" }
}
