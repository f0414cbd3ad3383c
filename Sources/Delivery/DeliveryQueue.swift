import System
import Engine
import Language
import Reactive
import Store

/// The delivery queue of a sink: runs an item outside the process for each event, a limited number at a time, and
/// retries those that fail.
///
/// Where the pipeline has state, an item stays in the outbox until it has succeeded, through retries and restarts; one
/// that fails for good becomes a dead letter. With a concurrency of one, items run and are retried strictly in order.
/// All decisions are made on the lane; a transport reports from its own threads.
package final class DeliveryQueue<Transport: DeliveryTransport> {
  private struct Pending {
    let item: Transport.Item
    let id: String
    var entry: OutboxEntry?
    var attempts = 0
    /// When the next attempt may begin, by `now`.
    var due: Instant
    /// The attempt that is under way.
    var attempt: Subscription?
  }

  package let transport: Transport
  /// The report of a dry run, instead of deliveries.
  package var dryRun = DryRun()
  private let context: SinkContext
  private let settings: DeliverySettings
  private let backoff: Backoff
  private let completions: Completions
  private var suppression: Suppression?
  private var ids: EventIDs
  private var waiting: ArraySlice<Pending> = []
  /// The items that run or wait for a retry, by the order in which they began.
  private var active: [Int64: Pending] = [:]
  /// The numbers of those that are not under way: about to begin, or waiting for a retry.
  private var resting: Set<Int64> = []
  private var failuresInARow = 0
  /// Why deliveries are repeated, for their status: until one succeeds.
  private var failing: (reason: String, since: Double, isFailure: Bool)?
  private var lastNumber: Int64 = 0
  /// How many items the end of the pipeline left to the next run.
  private var left = 0
  /// Whether no attempt may be under way between two turns.
  private let waitsInTurn: Bool
  private let retriesInTurn: Bool

  package init(_ settings: DeliverySettings, _ context: SinkContext, _ transport: Transport) {
    self.settings = settings
    self.context = context
    self.transport = transport
    backoff = Backoff(initial: settings.backoff, random: context.lane.world.random)
    completions = Completions(context.alarm)
    suppression = Suppression(of: transport.delivers, context)
    ids = EventIDs(pipeline: context.pipeline, sink: context.name)
    waitsInTurn = context.lane.waiting == .withinTurn
    retriesInTurn = waitsInTurn && transport.retriesInRealTime
  }

  deinit { for pending in active.values { pending.attempt?.dispose() } }

  private var now: Instant { retriesInTurn ? MonotonicClock.now : context.lane.scheduler.now }

  /// Adds an item: it runs when the epoch has been committed or, without state, as soon as there is room.
  ///
  /// Throws `NotSent` where deliveries are suppressed.
  package func add(_ item: Transport.Item) throws {
    try suppress()
    if let outbox = context.outbox {
      let stored = context.lane.world[Secrets.self]?.sealed(item.stored) ?? item.stored
      let id = try outbox.nextID()
      context.trace(output: id)
      return outbox.put(stored, id: id)
    }
    try submit(Pending(item: item, id: ids.next(at: context.lane.now), due: now))
  }

  /// Throws `NotSent` where deliveries are suppressed.
  package func suppress() throws {
    if let suppressed = suppression?.next() { throw suppressed }
  }

  package var isSuppressed: Bool { suppression != nil }

  /// Runs the items that the run before has left in the outbox.
  func recover(_ entries: [OutboxEntry]) throws {
    if !isSuppressed { transport.endLeftovers(of: entries.map(\.id)) }
    try run(entries)
  }

  /// Runs items from the outbox.
  package func run(_ entries: [OutboxEntry]) throws {
    // They stay there for a run that delivers them.
    if isSuppressed { return }
    for entry in entries {
      let secrets = context.lane.world[Secrets.self] ?? Secrets()
      guard let bytes = secrets.opened(entry.bytes) else {
        context.refuse(entry, "a secret in it is no longer known, or has another value")
        continue
      }
      guard let item = Transport.Item(stored: bytes) else {
        context.refuse(entry, "a sink of another kind that had this name has left it")
        continue
      }
      try submit(
        Pending(
          item: item, id: entry.id, entry: entry, attempts: entry.attempts, due: now + storedWait(of: entry))
      )
    }
    try endTurn()
  }

  private func submit(_ pending: Pending) throws {
    let isFull = waiting.count >= settings.queue
    if isFull { context.lane.noteWait("its queue of \(settings.queue) is full", of: context.name) }
    defer { if isFull { context.lane.noteWait(nil) } }
    while waiting.count >= settings.queue {
      if context.stop.isSet { return cutShort(pending) }
      // Virtual time stands still meanwhile, so that no retry would ever be due.
      pump(isForced: waitsInTurn && !retriesInTurn)
      try wait()
    }
    waiting.append(pending)
    pump()
  }

  package func wake() throws { try collect() }

  package func endTurn() throws {
    try dryRun.write(to: context.screen, in: context.lane.world)
    pump()
    while waitsInTurn, !context.stop.isSet, retriesInTurn ? !active.isEmpty : isUnderWay { try wait() }
  }

  /// Waits until the deadline, by the scheduler's clock, for everything but retries that are due much later; then
  /// cancels what is left.
  package func finish(by deadline: Instant) throws {
    transport.beginEnd()
    defer { transport.end() }
    try dryRun.write(to: context.screen, in: context.lane.world)
    let end =
      MonotonicClock.now + context.lane.world.speed.machine(for: deadline - context.lane.scheduler.now)
    while !context.stop.isSet, MonotonicClock.now < end, !isDone {
      pump(isForced: waitsInTurn && !retriesInTurn)
      try wait(until: end)
    }
    for number in active.keys.sorted() { active[number]?.attempt?.dispose() }
    completions.waitForAll(until: MonotonicClock.now + DeliveryWait.longestCancellation)
    try takeCompletions()
    for pending in active.keys.sorted().compactMap({ active[$0] }) + waiting { cutShort(pending) }
    (active, resting, waiting) = ([:], [], [])
    if left > 0 { context.log.notice(transport.leftMessage(left)) }
    left = 0
    context.meter.note(nil)
    suppression?.report()
    context.alarm.clear()
  }

  /// Whether the end of the pipeline need not wait.
  private var isDone: Bool {
    if active.isEmpty { return waiting.isEmpty }
    let limit = now + DeliveryWait.longestAtEnd
    return !isUnderWay && active.values.allSatisfy { $0.due > limit }
      && (active.count >= settings.concurrency || !waiting.contains(where: isFree))
  }

  private var isUnderWay: Bool { active.count > resting.count }

  /// Begins what may begin now.
  private func pump(isForced: Bool = false) {
    while active.count < settings.concurrency, let place = waiting.firstIndex(where: isFree) {
      lastNumber += 1
      // The first, as a rule, which moves no others.
      active[lastNumber] = place == waiting.startIndex ? waiting.removeFirst() : waiting.remove(at: place)
      resting.insert(lastNumber)
      if waiting.isEmpty { waiting = [] }
    }
    var next: Instant?
    for number in resting.sorted() {
      guard let pending = active[number] else { continue }
      if isForced || pending.due <= now {
        begin(number, pending)
      } else {
        next = min(next ?? pending.due, pending.due)
      }
    }
    if let next, !retriesInTurn { context.alarm.set(at: context.now + max(.zero, next - now)) }
  }

  private func isFree(_ pending: Pending) -> Bool {
    guard let key = pending.item.key else { return true }
    return !active.values.contains { $0.item.key == key }
  }

  private func begin(_ number: Int64, _ pending: Pending) {
    crashPoint("delivery.starting")
    completions.expect(number)
    resting.remove(number)
    active[number]?.attempt = transport.begin(pending.item, id: pending.id) { [completions] in
      completions.put(number, $0)
    }
  }

  /// Waits a little for an attempt to end or, where none is under way, for the time of a retry.
  private func wait(until deadline: Instant = .distantFuture) throws {
    let pause = min(deadline, MonotonicClock.now + DeliveryWait.checkInterval)
    if isUnderWay {
      completions.wait(until: pause)
    } else {
      context.stop.wait(seconds: (pause - MonotonicClock.now).inSeconds)
    }
    try collect()
  }

  private func collect() throws {
    try takeCompletions()
    pump()
  }

  /// Deals with the attempts that have ended.
  private func takeCompletions() throws {
    let completed = completions.take()
    for (number, failure) in completed {
      guard var pending = active[number] else { continue }
      pending.attempt = nil
      if failure?.isAttempt ?? true { pending.attempts += 1 }
      if failure == nil { (failuresInARow, failing) = (0, nil) }
      if let failure, failure.isCancellation {
        active[number] = pending
        resting.insert(number)
      } else if let failure, failure.mayPass, pending.attempts < settings.attempts {
        active[number] = postponed(pending, failure)
        resting.insert(number)
      } else {
        active[number] = nil
        end(pending, failure)
      }
    }
    if !completed.isEmpty { noteWait() }
    try transport.showOutput()
  }

  /// Notes what all items wait for.
  private func noteWait() {
    guard let failing, let due = resting.compactMap({ active[$0]?.due }).min() else {
      return context.meter.note(nil)
    }
    context.meter.note(
      NodeStatus.Wait(
        events: active.count + waiting.count, request: "delivery", reason: failing.reason,
        since: failing.since,
        until: context.lane.world.wallClock() + (due - now).inSeconds, isFailing: failing.isFailure))
  }

  private func postponed(_ pending: Pending, _ failure: DeliveryFailure) -> Pending {
    var pending = pending
    let own = failure.isAttempt ? backoff.delay(beforeRetry: pending.attempts - 1, after: failure) : nil
    let delay = max(own ?? .zero, wait(until: failure.retryAt ?? 0))
    pending.due = now + delay
    pending.entry?.attempts = pending.attempts
    let due = context.lane.world.wallClock() + delay.inSeconds
    pending.entry?.due = due
    if failure.isAttempt { context.trace(attempt: pending.id, failure: "\(failure)", next: due) }
    if let entry = pending.entry { context.outbox?.retry(entry) }
    crashPoint("delivery.retry noted")
    let words = "\(failure); next try in \(DurationText.format(.milliseconds(Int(delay.inSeconds * 1000))))"
    failuresInARow += 1
    // To wait as the server asks is no failure.
    failing = ("\(failure)", failing?.since ?? context.lane.world.wallClock(), failure.retryAt == nil)
    // At growing distances; a transport that waits for its connection has said so itself.
    let isReported = failuresInARow & (failuresInARow - 1) == 0
    let isWait = !failure.isAttempt && failure.retryAt != nil
    if isWait || failure.isAttempt && isReported {
      context.log.notice(isWait ? "\(failure)" : words)
    } else {
      context.log.detail(words)
    }
    return pending
  }

  private func storedWait(of entry: OutboxEntry) -> Duration {
    backoff.wait(untilStored: entry.due, attempts: entry.attempts, now: context.lane.world.wallClock())
  }

  /// The time left until a time of day; zero when that has passed.
  private func wait(until time: Double) -> Duration {
    .seconds(min(max(0, time - context.lane.world.wallClock()), 1e9))
  }

  private func end(_ pending: Pending, _ failure: DeliveryFailure?) {
    guard var failure else {
      context.trace(attempt: pending.id, failure: nil)
      if let entry = pending.entry { context.outbox?.remove(entry.place) }
      crashPoint("delivery.success noted")
      return
    }
    context.trace(attempt: pending.id, failure: "\(failure)")
    if pending.attempts > 1 { failure.description += " after \(pending.attempts) attempts" }
    if var entry = pending.entry {
      entry.attempts = pending.attempts
      context.outbox?.giveUp(entry, reason: "\(failure)")
    }
    context.meter.countGivenUp()
    context.errors.report(failure, pending.item.event)
  }

  /// Leaves an item to the next run; without state it has failed.
  private func cutShort(_ pending: Pending) {
    if pending.entry != nil { return left += 1 }
    let message = transport.cutShortMessage(pending.item, attempts: pending.attempts)
    context.meter.countGivenUp()
    context.errors.report(DeliveryFailure(message, mayPass: false), pending.item.event)
  }
}

extension Backoff {
  /// The wait before the next attempt at a stored item: at most the longest of its back-off, because the clock may have
  /// been ahead when its time was stored.
  ///
  /// A longer wait that a server asked for is stored with the budgets, which refuse the attempt until then.
  func wait(untilStored due: Double, attempts: Int, now: Double) -> Duration {
    min(.seconds(min(max(0, due - now), 1e9)), longestDelay(beforeRetry: max(0, attempts - 1)))
  }
}

/// How long delivery queues wait.
private enum DeliveryWait {
  /// How long the lane waits at a time before it checks whether the pipeline must end.
  static let checkInterval = Duration.milliseconds(50)
  /// At the end of the pipeline, retries that are due later than this are left to the next run.
  static let longestAtEnd = Duration.seconds(60)
  /// How long attempts may take to end after they were cancelled.
  static let longestCancellation = Duration.seconds(10)
}

/// The results of attempts, from any thread, until the lane takes them.
private final class Completions: Sendable {
  typealias Completion = (number: Int64, failure: DeliveryFailure?)

  private struct State: Sendable {
    /// The attempts that are under way.
    var pending: Set<Int64> = []
    var completed: [Completion] = []
  }

  private let state = ConditionLock(State())
  private let alarm: SinkAlarm

  init(_ alarm: SinkAlarm) { self.alarm = alarm }

  func expect(_ number: Int64) { state.change { _ = $0.pending.insert(number) } }

  func put(_ number: Int64, _ failure: DeliveryFailure?) {
    let isFirst = state.change { state in
      guard state.pending.remove(number) != nil else { return false }
      state.completed.append((number, failure))
      return state.completed.count == 1
    }
    if isFirst { alarm.ring() }
  }

  /// All results since the last call.
  func take() -> [Completion] {
    state.change { state in
      defer { state.completed = [] }
      return state.completed
    }
  }

  /// Waits for a result, unless no attempt is under way.
  func wait(until deadline: Instant) {
    _ = state.wait(until: deadline) { $0.completed.isEmpty && !$0.pending.isEmpty ? nil : true }
  }

  func waitForAll(until deadline: Instant) {
    _ = state.wait(until: deadline) { $0.pending.isEmpty ? true : nil }
  }
}

/// A sink whose work is done by a delivery queue.
package protocol DeliverySink: KeepingSink {
  associatedtype Transport: DeliveryTransport
  var queue: DeliveryQueue<Transport> { get }
}

extension DeliverySink {
  package func recover(_ entries: [OutboxEntry]) throws { try queue.recover(entries) }
  package func didCommit(_ entries: [OutboxEntry]) throws { try queue.run(entries) }
  package func wake() throws { try queue.wake() }
  package func endTurn() throws { try queue.endTurn() }
  package func finish(by deadline: Instant) throws { try queue.finish(by: deadline) }
}
