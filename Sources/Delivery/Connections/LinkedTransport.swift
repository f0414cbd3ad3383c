import Engine
import Language
import Reactive
import System

/// A connection that carries the items of a sink to a server, and brings their answers; one thread uses it.
package protocol DeliveryConnection: AnyObject {
  /// Whether items may be sent now: a connection may have a greeting to get through first.
  var isReady: Bool { get }
  /// Whether the server has answered anything on it.
  var hasAnswered: Bool { get }
  /// Whether an end without a single answer may be the fault of the first item that was sent.
  var isGreeted: Bool { get }
  /// Whether answers come in order, so that one that is late ends the connection: it must not be taken for that of
  /// another attempt.
  var answersInOrder: Bool { get }

  /// Sends an item, whose answer will have the number returned.
  ///
  /// Throws what ends the connection; an error that may not pass is the item's own.
  func send(_ item: any DeliveryItem, id: String) throws -> Int

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
  package var answersInOrder: Bool { true }
  package func noteFailure(_ error: any Error) {}
}

/// The transport of a sink over a connection, on a thread of its own: sends what it is given, and connects again.
///
/// The delivery queue does the retries: what is lost with a connection before it was answered is sent again by the next
/// one, in order, and that is no attempt.
package final class LinkedTransport: DeliveryTransport, Sendable {
  /// The words and times of a transport.
  package struct Settings: Sendable {
    /// The server, as messages name it.
    var server: String
    /// How long a connection, or an answer, is waited for.
    var timeout: Duration
    package init(server: String, timeout: Duration) { (self.server, self.timeout) = (server, timeout) }
  }

  private struct Parcel: Sendable {
    let attempt: DeliveryAttempt
    /// How long it waits for a connection.
    var deadline: Instant
    /// When it was sent.
    var sent = Instant()
    /// The beginning of a message about it.
    var place: String { attempt.item.place.map { "\($0): " } ?? "" }
  }

  private struct State: Sendable {
    /// The items that the thread has not taken yet.
    var parcels: [Parcel] = []
    var answers: DeliveryAnswers?
    var cancelled: Set<UInt64> = []
    /// Whether the run ends: then what cannot be sent is left to the next one.
    var isLast = false
    /// Why the server takes no connection, which settings alone can mend; and whether the lane knows.
    var refusal: (any LinkError)?
    var isRefusalKnown = false
    var hasEnded = false
  }

  /// A retry so far off, in seconds, is left to the next run.
  private static let nextRun = 3600.0
  /// How long the end of a run waits for the last words.
  private static let lastWords = Duration.seconds(2)
  /// How long it waits at most between two looks at whether the connection has something to send.
  private static let longestTurn = Duration.seconds(20)

  package let delivers = Deliverable.message
  /// A server is in the real world, in which virtual time does not pass.
  package let retriesInRealTime = true
  package let recognisesRepeats: Bool
  package let batch: Int
  private let read: @Sendable ([UInt8]) -> (any DeliveryItem)?
  private let settings: Settings
  private let (log, meter, alarm): (NodeLog, Meter, SinkAlarm)
  private let (random, now): (@Sendable () -> Double, @Sendable () -> Double)
  private let state = ConditionLock(State())
  private let stopSign = StopSign()
  /// Rings the thread, also for what its connection has to do besides.
  package let wakeUp = WakeUp()

  /// Makes a transport whose connections `connect` makes, on the thread: until the stop sign, with calls now and then of
  /// its second argument.
  ///
  /// `read` makes an item of what is stored of it.
  ///
  /// Nothing is connected, and no library loaded, where messages are printed or suppressed.
  package init(
    _ settings: Settings, _ context: SinkContext, recognisesRepeats: Bool = false, batch: Int = 1,
    load: () throws -> Void = {}, read: @escaping @Sendable ([UInt8]) -> (any DeliveryItem)?,
    connect: @escaping @Sendable (StopSign, () -> Void) throws -> any DeliveryConnection
  ) throws {
    (self.settings, self.recognisesRepeats, self.batch) = (settings, recognisesRepeats, batch)
    self.read = read
    (log, meter, alarm) = (context.log, context.meter, context.alarm)
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

  package func item(stored bytes: [UInt8]) -> (any DeliveryItem)? { read(bytes) }

  package func begin(_ attempts: [DeliveryAttempt], _ answers: DeliveryAnswers) -> Subscription {
    let deadline = MonotonicClock.now + settings.timeout
    let isFirst = state.change { state in
      defer { state.parcels += attempts.map { Parcel(attempt: $0, deadline: deadline) } }
      state.answers = answers
      return state.parcels.isEmpty
    }
    if isFirst { wakeUp.ring() }
    let batch = Subscription()
    let numbers = attempts.map(\.number)
    batch.onDispose { [self] in
      state.change { $0.cancelled.formUnion(numbers) }
      wakeUp.ring()
      answers.put(numbers.map { ($0, .cancelled) })
    }
    return batch
  }

  package func beginEnd() {
    state.change { $0.isLast = true }
    wakeUp.ring()
  }

  /// Throws the refusal of a login, once: later it may be accepted, but the run has failed.
  package func takeOutput(of ended: [UInt64]) throws {
    let refusal = state.change { state in
      defer { state.isRefusalKnown = state.refusal != nil }
      return state.isRefusalKnown ? nil : state.refusal
    }
    if let refusal { throw refusal }
  }

  package func end() {
    stopSign.set()
    wakeUp.ring()
    _ = state.wait(until: MonotonicClock.now + Self.lastWords) { $0.hasEnded ? true : nil }
  }

  package func cutShortMessage(_ item: any DeliveryItem, attempts: Int) -> String {
    "\(item.place.map { "\($0): " } ?? "")not published: the pipeline ended"
  }

  package func leftMessage(_ count: Int) -> String {
    count == 1
      ? "one message was not acknowledged; the next run publishes it again"
      : "\(count) messages were not acknowledged; the next run publishes them again"
  }

  // MARK: - On the thread

  private func run(_ connect: (StopSign, () -> Void) throws -> any DeliveryConnection) {
    defer { state.change { $0.hasEnded = true } }
    let freight = Freight()
    let health = Health(self)
    let link = ConnectionLink(health, longest: .seconds(30))
    health.doWait = { [self] in wait($0, freight, because: $1) }
    health.events = { freight.waiting.count }
    try? link.run {
      let connection = try connect(stopSign) { expire(freight, nil) }
      link.noteConnected()
      try serve(connection, link, freight)
      return .done
    }
  }

  /// Waits without a connection.
  private func wait(_ pause: Duration, _ freight: Freight, because reason: String) {
    let end = MonotonicClock.now + pause
    while !stopSign.isSet, MonotonicClock.now < end {
      expire(freight, reason, nextTry: now() + (end - MonotonicClock.now).inSeconds)
      let next = min(end, freight.waiting.map(\.deadline).min() ?? end)
      wakeUp.wait(or: stopSign, until: max(next, MonotonicClock.now + .milliseconds(10)))
    }
  }

  /// Ends what has waited too long for a connection, which is no attempt.
  private func expire(_ freight: Freight, _ reason: String?, nextTry: Double? = nil) {
    take(freight)
    let now = MonotonicClock.now
    let (isLast, isRefused) = state.change { ($0.isLast, $0.refusal != nil) }
    freight.waiting.removeAll { parcel in
      if now < parcel.deadline, !(isLast && isRefused) { return false }
      var failure = DeliveryFailure(reason ?? "\(settings.server): there is no connection", mayPass: true)
      (failure.isAttempt, failure.nextTry) = (false, nextTry)
      if isLast { failure.retryAt = self.now() + Self.nextRun }
      freight.end(parcel, failure)
      return true
    }
    answer(freight)
  }

  /// Takes over what is to be sent, without what the lane no longer waits for and is not sent yet.
  private func take(_ freight: Freight) {
    wakeUp.clear()
    let (new, cancelled) = state.change { state in
      defer { (state.parcels, state.cancelled) = ([], []) }
      return (state.parcels, state.cancelled)
    }
    // One that has waited too long, and is begun again, came before.
    var last = freight.waiting.last?.attempt.order ?? 0
    let isInOrder = new.allSatisfy { parcel in
      defer { last = parcel.attempt.order }
      return last <= parcel.attempt.order
    }
    freight.waiting += new
    if !isInOrder { freight.waiting.sort { $0.attempt.order < $1.attempt.order } }
    if !cancelled.isEmpty { freight.waiting.removeAll { cancelled.contains($0.attempt.number) } }
  }

  /// Gives the lane the answers that have come.
  private func answer(_ freight: Freight) {
    if freight.answers.isEmpty { return }
    state.change { $0.answers }?.put(freight.answers)
    freight.answers = []
  }

  /// Has the lane report that the server takes no connection; false where it knows.
  private func refuse(_ error: any LinkError) -> Bool {
    let isNew = state.change { state in
      state.refusal = error
      return !state.isRefusalKnown
    }
    if isNew { alarm.ring() }
    return isNew
  }

  /// Sends until the run ends, which ends the connection too.
  private func serve(_ connection: any DeliveryConnection, _ link: ConnectionLink, _ freight: Freight) throws
  {
    defer { answer(freight) }
    do {
      while true {
        take(freight)
        if stopSign.isSet { break }
        if connection.isReady { try send(freight, connection) }
        let longest = MonotonicClock.now + Self.longestTurn
        let next = freight.firstSent.map { $0 + settings.timeout } ?? longest
        try connection.turn(until: min(longest, next), wake: wakeUp.descriptor)
        if connection.hasAnswered { link.noteReceived() }
        for (number, failure) in connection.takeAnswers() { freight.end(number, failure) }
        try endLate(freight, connection)
        answer(freight)
      }
      connection.close()
    } catch {
      connection.noteFailure(error)
      // Where a connection has ended without a single answer, what it has carried first may be the reason.
      if !connection.hasAnswered, connection.isGreeted { freight.endFirst(error) }
      // The rest is not known to have arrived; each has its whole time again.
      freight.returnSent(deadline: MonotonicClock.now + settings.timeout)
      throw error
    }
  }

  private func send(_ freight: Freight, _ connection: any DeliveryConnection) throws {
    var count = 0
    defer { freight.waiting.removeFirst(count) }
    let now = MonotonicClock.now
    while count < freight.waiting.count {
      let parcel = freight.waiting[count]
      do {
        freight.add(parcel, as: try connection.send(parcel.attempt.item, id: parcel.attempt.id), at: now)
      } catch let error as any LinkError where !error.mayPass {
        freight.end(parcel, DeliveryFailure("\(parcel.place)\(error)", mayPass: false))
      }
      count += 1
    }
  }

  private func endLate(_ freight: Freight, _ connection: any DeliveryConnection) throws {
    let now = MonotonicClock.now
    while let first = freight.firstSent, first + settings.timeout < now {
      if connection.answersInOrder { throw LateAnswer(server: settings.server, timeout: settings.timeout) }
      freight.endFirst(LateAnswer(timeout: settings.timeout))
    }
  }

  /// The freight of the thread: the items that wait, those that are sent, and the answers for the lane.
  private final class Freight {
    var waiting: [Parcel] = []
    var answers: [DeliveryAnswers.Answer] = []
    /// By the numbers of the connection.
    private var sent: [Int: Parcel] = [:]
    /// The order in which they were sent; some have an answer.
    private var order = Queue<(number: Int, at: Instant)>()

    /// When the first without an answer was sent.
    var firstSent: Instant? {
      while let first = order.first {
        if sent[first.number]?.sent == first.at { return first.at }
        _ = order.popFirst()
      }
      return nil
    }

    func add(_ parcel: Parcel, as number: Int, at now: Instant) {
      var parcel = parcel
      parcel.sent = now
      sent[number] = parcel
      order.append((number, now))
    }

    func end(_ number: Int, _ failure: DeliveryFailure?) {
      guard let parcel = sent.removeValue(forKey: number) else { return }
      end(parcel, failure.map { $0.at(parcel.place) })
    }

    func end(_ parcel: Parcel, _ failure: DeliveryFailure?) {
      answers.append((parcel.attempt.number, failure))
    }

    /// An error is the fault of the first that was sent.
    func endFirst(_ error: any Error) {
      guard firstSent != nil, let number = order.first?.number else { return }
      end(number, DeliveryFailure("\(error)", mayPass: true))
    }

    /// Has everything without an answer sent again, before the others.
    func returnSent(deadline: Instant) {
      let rest = order.elements.compactMap { number, at -> Parcel? in
        guard var parcel = sent[number], parcel.sent == at else { return nil }
        parcel.deadline = deadline
        return parcel
      }
      waiting = rest + waiting
      (sent, order) = ([:], Queue())
    }
  }

  /// The link of the transport: the wait that status shows, and the log at growing distances.
  private final class Health: LinkHealth {
    /// Connections that end again and again, and do something before, are reported so often.
    private static let quiet = Duration.seconds(60)

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
      transport.state.change { $0.refusal = nil }
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
      if !wasConnected, let error = error as? any LinkError, !error.mayPass, transport.refuse(error) {
        isReported = true
        return
      }
      // At growing distances.
      let isDue = MonotonicClock.now - lastReport > Self.quiet || failures > 1
      guard failures & (failures - 1) == 0, isDue else { return }
      lastReport = MonotonicClock.now
      isReported = true
      let wait = DurationText.format(.milliseconds(Int(next.inSeconds * 1000)))
      let text = "\(error); next try in \(wait)"
      transport.log.notice(text)
    }

    func wait(_ time: Duration, because reason: String) { doWait(time, reason) }
  }
}

/// An answer that has not come in time.
private struct LateAnswer: LinkError, CustomStringConvertible {
  /// The server, where it ends the connection.
  var server: String?
  let timeout: Duration
  var mayPass: Bool { true }
  var description: String {
    "\(server.map { "\($0): " } ?? "")no acknowledgement within \(DurationText.format(timeout))"
  }
}
