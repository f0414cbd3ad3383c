import Delivery
import Engine
import Glibc
import JSON
import Language
import NATS
import Reactive
import Store
import System

/// The publisher of a sink: connects, publishes the messages it is given, and retries until each is acknowledged.
///
/// All of it is used on the lane, except for connecting, which may take long and has a thread of its own.
final class Publisher {
  /// A message, with its place in the outbox where the pipeline has state.
  struct Item {
    let message: OutgoingMessage
    let id: String
    var entry: OutboxEntry?
  }

  struct Settings {
    /// Whether a stream acknowledges messages.
    var isAcknowledged = true
    var window = 1024
    /// How many may wait before the pipeline does.
    var queue = 4096
    var attempts = 10
    var backoff = Duration.seconds(1)
    var longestBackoff = Duration.seconds(30)
    /// How long an acknowledgement may take.
    var timeout = Duration.seconds(2)
  }

  private let settings: Settings
  private let context: SinkContext
  private let connector: Connector
  private let results: PublishResults
  private let notes: ConnectionLog
  private let backoff: Backoff
  private var window: PublishWindow<Item>
  private var connection: NATSConnection?
  /// Whether libnats has the connection at the moment.
  private var isConnected = false
  private var isPublished = false
  /// Why messages wait, and since when, until one is acknowledged or there is a connection again.
  private var waiting: (reason: String, since: Double)?
  /// The failed login that was reported, so that the pipeline ends with a failure.
  private var refusal: NATSError?

  init(_ settings: Settings, _ server: NATSSettings, _ context: SinkContext) throws {
    try NATSConnection.load()
    self.settings = settings
    self.context = context
    results = PublishResults(context.alarm)
    connector = Connector(server, results)
    notes = ConnectionLog(server.shownServers, context.log)
    backoff = Backoff(
      initial: settings.backoff, cap: settings.longestBackoff, random: context.lane.world.random)
    window = PublishWindow(size: settings.isAcknowledged ? settings.window : .max)
    connector.start()
  }

  deinit { connector.stop() }

  private var now: Instant { MonotonicClock.now }

  // MARK: - On the lane

  /// Takes over messages; waits while there are too many.
  func submit(_ items: [Item]) throws {
    for item in items { window.append(item) }
    while window.count > settings.queue {
      if context.stop.isSet { return }
      try pump()
      if window.count > settings.queue { waitForArrivals(until: now + .milliseconds(50)) }
    }
  }

  func submit(_ item: Item) throws {
    window.append(item)
    if window.count > settings.queue { try submit([]) }
  }

  /// Publishes what may be published, and deals with what has arrived.
  func pump() throws {
    try collect()
    expire()
    publish()
    removeDone()
    setAlarm()
    showWait()
  }

  /// Shows in status what the messages wait for.
  private func showWait() {
    guard let waiting else { return context.meter.note(nil) }
    // libnats, or the connector, tries again at times of its own.
    let pause = isConnected ? max(.zero, window.pause - now).inSeconds : nil
    context.meter.note(
      NodeStatus.Wait(
        events: window.count, request: "delivery", reason: waiting.reason, since: waiting.since,
        until: pause.map { context.lane.world.wallClock() + $0 }, isFailing: true))
  }

  private func noteWait(_ reason: String) {
    waiting = (reason, waiting?.since ?? context.lane.world.wallClock())
  }

  /// Waits until everything is acknowledged, or until the deadline.
  func drain(until deadline: Instant) throws {
    while !window.isEmpty, now < deadline, !context.stop.isSet, refusal == nil {
      try pump()
      if !window.isEmpty { waitForArrivals(until: min(deadline, now + .milliseconds(50))) }
    }
    try pump()
  }

  /// Ends: what is left is for the next run or, without state, has failed.
  func finish(by deadline: Instant) throws {
    try drain(until: deadline)
    if isPublished, !settings.isAcknowledged, let connection, isConnected { _ = connection.flush(seconds: 5) }
    connector.stop()
    context.alarm.clear()
    context.meter.note(nil)
    let left = window.removeAll()
    let stored = left.count { $0.entry != nil }
    if stored > 0 {
      context.log.notice(
        stored == 1
          ? "one message was not acknowledged; the next run publishes it again"
          : "\(stored) messages were not acknowledged; the next run publishes them again")
    }
    for item in left where item.entry == nil {
      report("not published: the pipeline ended", item)
    }
    (connection, isConnected) = (nil, false)
  }

  /// Something has arrived, or the time of an alarm has come.
  func wake() throws {
    results.isHeard()
    try pump()
  }

  private func waitForArrivals(until deadline: Instant) {
    results.wait(until: deadline)
    // Where many are on their way their answers come one by one, and each would wake the lane by itself.
    if window.unanswered > 64 { usleep(300) }
  }

  // MARK: - Publishing

  private func publish() {
    guard isConnected, let connection else { return }
    var failures: [(UInt64, NATSError)] = []
    var published: [UInt64] = []
    let isAcknowledged = settings.isAcknowledged
    window.publish(at: now) { number, item in
      do throws(NATSError) {
        try connection.publish(
          to: item.message.subject, id: item.id, number: isAcknowledged ? number : nil,
          headers: item.message.headers, item.message.data)
        if !isAcknowledged { published.append(number) }
      } catch {
        // The connection is lost, which the queue is about to report.
        if error.kind == .unreachable { return false }
        failures.append((number, error))
      }
      return true
    }
    isPublished = isPublished || !window.isEmpty
    for number in published { acknowledge(number) }
    for (number, error) in failures {
      let most = error.kind == .tooLarge ? "; the server accepts \(connection.mostBytes) bytes" : ""
      giveUp(number, "\(error)\(most)")
    }
  }

  /// Handles all entries of the connection's queue.
  private func collect() throws {
    try renewConnection()
    guard let connection else { return }
    let prefix = connection.inbox.utf8.count
    while let entry = connection.next() {
      guard entry.has(.answer) else {
        see(entry)
        continue
      }
      if let number = entry.number(behind: prefix) { resolve(number, entry) }
    }
  }

  private func resolve(_ number: UInt64, _ entry: NATSEntry) {
    let bytes = entry.bytes
    if entry.begins(with: #"{"stream":"#) { return acknowledge(number) }
    if bytes.isEmpty, entry.header("Status") == "503" {
      return retry(number, "no stream has its subject, or the stream is not available", isUnavailable: true)
    }
    guard let answer = try? Value.parse(bytes), answer.kind == .object else {
      return giveUp(number, "the answer is not a stream's; another service has the subject")
    }
    guard let error = answer.member("error") else {
      if answer.member("stream") != nil { return acknowledge(number) }
      return giveUp(number, "the answer is not a stream's; another service has the subject")
    }
    let text = error.member("description")?.string ?? error.description
    // An earlier attempt, which is not acknowledged yet, and may never be.
    if error.member("err_code")?.double == 10158 { return retry(number, text, isUnavailable: true) }
    // The others are about the state of the server or the stream, which may be full.
    let code = error.member("code")?.double ?? 0
    if (400..<500).contains(code), code != 408, code != 429 {
      giveUp(number, text)
    } else {
      retry(number, text)
    }
  }

  private func acknowledge(_ number: UInt64) {
    waiting = nil
    if let item = window.acknowledge(number) { context.trace(attempt: item.id, failure: nil) }
  }

  private func see(_ entry: NATSEntry) {
    switch entry.kind {
    case .disconnected:
      isConnected = false
      noteWait("the connection is lost")
    case .reconnected:
      (isConnected, waiting) = (true, nil)
      // Whatever was waited for may be over with the server that is gone.
      window.resume()
    case .closed:
      isConnected = false
      connection = nil
      connector.start()
    default: break
    }
    // An answer may be lost: everything without one is published again, under its id.
    if case .error = entry.kind {} else { window.releaseAll() }
    notes.see(entry, losesMessages: false)
  }

  private func renewConnection() throws {
    guard connection == nil else { return }
    switch connector.take() {
    case nil: return
    case .success(let new):
      connection = new
      (isConnected, waiting) = (true, nil)
      notes.connected()
      refusal = nil
    case .failure(let error):
      noteWait("\(error)")
      if error.mayPass { return notes.failed(error) }
      if refusal != nil { return notes.failed(error) }
      // The sink continues to try, since a server may get its users later, but the run has failed.
      refusal = error
      throw error
    }
  }

  // MARK: - Failures

  /// Messages whose acknowledgement takes too long have failed.
  private func expire() {
    guard isConnected, window.unanswered > 0 else { return }
    for number in window.overdue(before: now - settings.timeout) {
      retry(number, "no acknowledgement within \(DurationText.format(settings.timeout))")
    }
  }

  private func retry(_ number: UInt64, _ reason: String, isUnavailable: Bool = false) {
    if window.failProbe(number) { return }
    guard let (item, attempts) = window.fail(number) else { return }
    if attempts >= settings.attempts {
      return giveUp(number, item, attempts, "\(reason), after \(attempts) attempts")
    }
    let wait = backoff.delay(beforeRetry: attempts - 1, after: NATSError(.failed, reason)) ?? .zero
    context.trace(
      attempt: item.id, failure: reason, next: context.lane.world.wallClock() + wait.inSeconds)
    noteWait(reason)
    window.pause(until: now + wait, at: now, isUnavailable: isUnavailable)
    notes.retrying(item.message.subject, reason)
  }

  private func giveUp(_ number: UInt64, _ reason: String) {
    if let (item, attempts) = window.fail(number) { giveUp(number, item, attempts, reason) }
  }

  private func giveUp(_ number: UInt64, _ item: Item, _ attempts: Int, _ reason: String) {
    window.discard(number)
    context.trace(attempt: item.id, failure: reason)
    if var entry = item.entry {
      entry.attempts = attempts
      context.outbox?.giveUp(entry, reason: reason)
    }
    report(reason, item)
  }

  private func report(_ reason: String, _ item: Item) {
    context.meter.countGivenUp()
    context.errors.report(
      DeliveryFailure("\(item.message.subject): \(reason)", mayPass: false), item.message.event)
  }

  private func removeDone() {
    guard let last = window.removeDone(), let entry = last.entry else { return }
    context.outbox?.markWritten(through: entry.place)
    // Has the mark stored soon: a repeat is only detected for so long.
    context.outbox?.remove(entry.place)
  }

  /// Wakes the sink for a retry, and to look for acknowledgements that are late.
  private func setAlarm() {
    guard isConnected, !window.isEmpty else { return }
    var wait = Duration.seconds(1)
    if window.hasWaiting, window.pause > now {
      wait = min(wait, window.pause - now, max(.zero, window.nextProbe.map { $0 - now } ?? wait))
    }
    context.alarm.set(at: context.now + context.lane.world.speed.shown(for: wait))
  }
}

/// Wakes the lane for what has arrived, also while it waits.
private final class PublishResults: Sendable {
  private struct State: Sendable {
    var isNew = false
    /// Whether the lane is about to be woken.
    var isRung = false
  }

  private let state = ConditionLock(State())
  private let alarm: SinkAlarm

  init(_ alarm: SinkAlarm) { self.alarm = alarm }

  func note() {
    let isFirst = state.change { state in
      defer { (state.isNew, state.isRung) = (true, true) }
      return !state.isRung
    }
    if isFirst { alarm.ring() }
  }

  /// The lane has been woken.
  func isHeard() { state.change { $0.isRung = false } }

  func wait(until deadline: Instant) {
    _ = state.wait(until: deadline, quietly: true) { state -> Bool? in
      guard state.isNew else { return nil }
      state.isNew = false
      return true
    }
  }
}

/// Connects on a thread of its own, until that succeeds.
private final class Connector: Sendable {
  private struct State: Sendable {
    var results: [Result<NATSConnection, NATSError>] = []
    var isRunning = false
    var thread: SerialScheduler?
  }

  private let settings: NATSSettings
  private let results: PublishResults
  private let state = Locked(State())
  private let end = StopSign()

  init(_ settings: NATSSettings, _ results: PublishResults) {
    self.settings = settings
    self.results = results
  }

  func start() {
    let thread = state.withLock { state -> SerialScheduler? in
      if state.isRunning { return nil }
      state.isRunning = true
      let thread = state.thread ?? SerialScheduler(name: "flow-nats")
      state.thread = thread
      return thread
    }
    thread?.perform { [self] in run() }
  }

  func stop() {
    end.set()
    state.withLock { state in
      state.thread?.stop()
      (state.thread, state.results) = (nil, [])
    }
  }

  /// The result of an attempt; nil where there is none that has not been taken.
  func take() -> Result<NATSConnection, NATSError>? {
    state.withLock { $0.results.isEmpty ? nil : $0.results.removeFirst() }
  }

  private func run() {
    var pause = 0.5
    while !end.isSet {
      do throws(NATSError) {
        let connection = try NATSConnection(settings) { [results] in results.note() }
        put(.success(connection))
        return
      } catch {
        put(.failure(error))
        end.wait(seconds: pause)
        pause = min(pause * 2, 30)
      }
    }
  }

  private func put(_ result: Result<NATSConnection, NATSError>) {
    state.withLock { state in
      if case .success = result { state.isRunning = false }
      state.results.append(result)
    }
    results.note()
  }
}
