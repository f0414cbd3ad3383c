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
package final class DeliveryQueue {
  private let transport: any DeliveryTransport
  /// The report of a dry run, instead of deliveries.
  package var dryRun = DryRun()
  private let context: SinkContext
  private let settings: DeliverySettings
  private let backoff: Backoff
  private let answers: DeliveryAnswers
  private var suppression: Suppression?
  private var ids: EventIDs
  private var waiting = Queue<Delivery>()
  /// The deliveries that are under way or wait for a retry.
  private var active = DeliveryPlaces()
  private var underWay = 0
  /// The places of those that wait for a retry, and when the first of them is due, or the last where each holds up all.
  private var resting: Set<Int> = []
  /// How many are under way again.
  private var repeated = 0
  /// The attempts that have begun, where one that is overdue holds back the others; some have ended.
  private var order = Queue<(number: UInt64, at: Instant)>()
  private var nextRetry = Instant.distantFuture
  /// The next look at whether a receiver is available again, and the place of the item by which it is under way.
  private var nextProbe = Instant.distantFuture
  private var probe: Int?
  private var keys: Set<String> = []
  /// The takings of answers in a row that had a failure, and as of how many one was reported.
  private var failuresInARow = 0
  private var reported = 0
  /// Why deliveries are repeated, for their status: until one succeeds.
  private var failing: (reason: String, since: Double, isFailure: Bool, nextTry: Double?)?
  private var lastSerial: UInt64 = 0
  private var lastNumber: UInt64 = 0
  /// The last entry that came in the order of the outbox, and the one up to which everything is marked as done.
  private var last: OutputPlace?
  private var marked: OutputPlace?
  /// The deliveries that are dead letters again on their way, out of the outbox's order: no mark is beyond them.
  private var late = 0
  /// How many items the end of the pipeline left to the next run.
  private var left = 0
  /// Whether no attempt may be under way between two turns.
  private let waitsInTurn: Bool
  private let retriesInTurn: Bool

  package init(_ settings: DeliverySettings, _ context: SinkContext, _ transport: any DeliveryTransport) {
    self.settings = settings
    self.context = context
    self.transport = transport
    backoff = Backoff(
      initial: settings.backoff, cap: settings.longestBackoff, random: context.lane.world.random)
    answers = DeliveryAnswers { [alarm = context.alarm] in alarm.ring() }
    suppression = Suppression(of: transport.delivers, context)
    ids = EventIDs(pipeline: context.pipeline, sink: context.name)
    waitsInTurn = context.lane.waiting == .withinTurn
    retriesInTurn = waitsInTurn && transport.retriesInRealTime
  }

  deinit { for place in active.taken { active[place]?.attempt?.dispose() } }

  private var now: Instant { retriesInTurn ? MonotonicClock.now : context.lane.scheduler.now }

  /// Adds an item: it runs when the epoch has been committed or, without state, as soon as there is room.
  ///
  /// Throws `NotSent` where deliveries are suppressed.
  package func add(_ item: any DeliveryItem) throws { try add { _ in item } }

  /// Adds an item that is made with its id.
  package func add(_ item: (_ id: String) throws -> any DeliveryItem) throws {
    if isSuppressed {
      _ = try item("suppressed")
      return try suppress()
    }
    guard let outbox = context.outbox else {
      let id = ids.next(at: context.lane.now)
      return try submit(Delivery(try item(id).detached, id: id))
    }
    let id = try outbox.nextID()
    let stored = try item(id).stored
    context.trace(output: id)
    outbox.put(context.lane.world[Secrets.self]?.sealed(stored) ?? stored, id: id)
  }

  /// Throws `NotSent` where deliveries are suppressed.
  package func suppress() throws {
    if let suppressed = suppression?.next() { throw suppressed }
  }

  package var isSuppressed: Bool { suppression != nil }

  /// Runs the items that the run before has left in the outbox.
  package func recover(_ entries: [OutboxEntry]) throws {
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
      guard let item = transport.item(stored: bytes) else {
        context.refuse(entry, "\(StrangeItem())")
        continue
      }
      let isLate = last.map { entry.place <= $0 } ?? false
      if isLate { late += 1 }
      let wait = storedWait(of: entry)
      try submit(
        Delivery(
          item, id: entry.id, due: wait > .zero ? now + wait : Instant(), entry: entry, before: last))
      if !isLate { last = entry.place }
    }
    try endTurn()
  }

  private func submit(_ delivery: Delivery) throws {
    let isFull = waiting.count >= settings.queue
    if isFull { context.lane.noteWait("its queue of \(settings.queue) is full", of: context.name) }
    defer { if isFull { context.lane.noteWait(nil) } }
    while waiting.count >= settings.queue {
      if context.stop.isSet || transport.isOver { return cutShort(delivery) }
      // Virtual time stands still meanwhile, so that no retry would ever be due.
      pump(isForced: waitsInTurn && !retriesInTurn)
      try wait()
    }
    lastSerial += 1
    delivery.serial = lastSerial
    waiting.append(delivery)
    if waiting.count >= transport.batch { pump() }
  }

  package func wake() throws { try collect() }

  package func endTurn() throws {
    try dryRun.write(to: context.screen, in: context.lane.world)
    pump()
    while waitsInTurn, !context.stop.isSet, !transport.isOver, retriesInTurn ? active.count > 0 : underWay > 0
    { try wait() }
  }

  /// Waits until the deadline, by the scheduler's clock, for everything but retries that are due much later; then
  /// cancels what is left.
  package func finish(by deadline: Instant) throws {
    transport.beginEnd()
    defer { transport.end() }
    try dryRun.write(to: context.screen, in: context.lane.world)
    let end =
      MonotonicClock.now + context.lane.world.speed.machine(for: deadline - context.lane.scheduler.now)
    // An error of the transport itself ends the wait, and leaves the rest to be dealt with.
    var failure: (any Error)?
    func trying(_ action: () throws -> Void) {
      do { try action() } catch { failure = failure ?? error }
    }
    while failure == nil, !context.stop.isSet, !transport.isOver, MonotonicClock.now < end, !isDone {
      pump(isForced: waitsInTurn && !retriesInTurn)
      trying { try wait(until: end) }
    }
    for place in active.taken { active[place]?.attempt?.dispose() }
    let limit = MonotonicClock.now + DeliveryWait.longestCancellation
    while underWay > 0, MonotonicClock.now < limit {
      answers.wait(until: limit)
      trying { try takeAnswers() }
    }
    trying { try takeAnswers() }
    for place in active.taken { if let delivery = active[place] { cutShort(delivery) } }
    for delivery in waiting.elements { cutShort(delivery) }
    (active, waiting, resting, keys, order) = (DeliveryPlaces(), Queue(), [], [], Queue())
    if left > 0 { context.log.notice(transport.leftMessage(left)) }
    left = 0
    context.meter.note(nil)
    suppression?.report()
    context.alarm.clear()
    if let failure { throw failure }
  }

  /// Ends the transport of a pipeline that cannot begin.
  package func abandon() {
    transport.beginEnd()
    transport.end()
  }

  /// Whether the end of the pipeline need not wait.
  private var isDone: Bool {
    if active.count == 0 { return waiting.isEmpty }
    let limit = now + DeliveryWait.longestAtEnd
    return underWay == 0 && active.taken.allSatisfy { active[$0].map { $0.due > limit } ?? true }
      && (settings.holdsBack || active.count >= settings.concurrency
        || !waiting.contains(where: isFree))
  }

  /// Begins what may begin now.
  private func pump(isForced: Bool = false) {
    if transport.isOver { return }
    var begun: [Int] = []
    if isForced || nextRetry < .distantFuture && nextRetry <= now {
      begun = takeRetries(isForced || settings.holdsBack)
    }
    if nextProbe < .distantFuture, nextProbe <= now, probe == nil { beginProbe(&begun) }
    let isHeldBack = settings.holdsBack && (isOverdue || repeated > 0 || !begun.isEmpty)
    while active.count < settings.concurrency, !isHeldBack, !settings.holdsBack || resting.isEmpty,
      let delivery = waiting.popFirst(where: isFree)
    {
      if let key = delivery.key { keys.insert(key) }
      let place = active.add(delivery)
      // A retry of the run before may not be due yet.
      if !isForced, delivery.due > Instant(), delivery.due > now { rest(place) } else { begun.append(place) }
    }
    if !begun.isEmpty { begin(begun) }
    let next = min(nextRetry, nextProbe)
    if next < .distantFuture, !retriesInTurn { context.alarm.set(at: context.now + max(.zero, next - now)) }
  }

  /// Whether an attempt has had no answer for so long that it may have been lost.
  private var isOverdue: Bool {
    while let first = order.first {
      let delivery = active[Int(first.number & DeliveryPlaces.mask)]
      if delivery?.number == first.number, delivery?.isUnderWay == true {
        return first.at + DeliveryWait.doubt < MonotonicClock.now
      }
      _ = order.popFirst()
    }
    return false
  }

  private func isFree(_ delivery: Delivery) -> Bool { delivery.key.map { !keys.contains($0) } ?? true }

  /// The places whose retries are due, in the order in which they came.
  private func takeRetries(_ isForced: Bool) -> [Int] {
    let now = now
    var due: [Int] = []
    nextRetry = .distantFuture
    for place in resting {
      guard let time = active[place]?.due else { continue }
      if isForced || time <= now { due.append(place) } else { nextRetry = min(nextRetry, time) }
    }
    resting.subtract(due)
    return active.inOrder(due)
  }

  /// Tries the first item whose receiver was not available.
  private func beginProbe(_ begun: inout [Int]) {
    nextProbe = .distantFuture
    let held = resting.filter { active[$0]?.isHeld == true }
    guard let place = active.inOrder(Array(held)).first else { return }
    resting.remove(place)
    probe = place
    begun.append(place)
  }

  private func begin(_ places: [Int]) {
    let now = MonotonicClock.now
    let attempts = places.compactMap { place -> DeliveryAttempt? in
      guard let delivery = active[place] else { return nil }
      crashPoint("delivery.starting")
      lastNumber += 1
      delivery.number = lastNumber << DeliveryPlaces.bits | UInt64(place)
      delivery.isUnderWay = true
      if delivery.isRepeated { repeated += 1 }
      if settings.holdsBack { order.append((delivery.number, now)) }
      return DeliveryAttempt(
        number: delivery.number, order: active.serial(of: place), id: delivery.id, item: delivery.item,
        place: delivery.entry?.place)
    }
    underWay += attempts.count
    let subscription = transport.begin(attempts, answers)
    for place in places { active[place]?.attempt = subscription }
  }

  /// Waits a little for an attempt to end or, where none is under way, for the time of a retry.
  private func wait(until deadline: Instant = .distantFuture) throws {
    let pause = min(deadline, MonotonicClock.now + DeliveryWait.checkInterval)
    if underWay > 0 {
      answers.wait(until: pause)
    } else {
      context.stop.wait(seconds: (pause - MonotonicClock.now).inSeconds)
    }
    try collect()
  }

  private func collect() throws {
    try takeAnswers()
    pump()
  }

  /// Deals with the attempts that have ended.
  private func takeAnswers() throws {
    let ended = answers.take()
    var hasFailed = false
    for (number, failure) in ended {
      let place = Int(number & DeliveryPlaces.mask)
      guard let delivery = active[place], delivery.number == number, delivery.isUnderWay else { continue }
      underWay -= 1
      (delivery.isUnderWay, delivery.attempt) = (false, nil)
      if delivery.isRepeated { repeated -= 1 }
      if let failure {
        let isCounted = !failure.isCancellation && failure.isAttempt
        if isCounted, !hasFailed { (hasFailed, failuresInARow) = (true, failuresInARow + 1) }
        fail(place, failure)
      } else {
        (failuresInARow, reported, failing, hasFailed) = (0, 0, nil, false)
        if place == probe { resume() }
        finish(place)
      }
    }
    if !ended.isEmpty {
      markDone()
      noteWait()
    }
    try transport.takeOutput(of: ended.map(\.number))
  }

  private func fail(_ place: Int, _ failure: DeliveryFailure) {
    if place == probe {
      probe = nil
      if failure.isUnavailable {
        nextProbe = now + DeliveryWait.probeInterval
        return rest(place)
      }
    }
    if failure.isAttempt { active[place]?.attempts += 1 }
    if failure.isCancellation { return rest(place) }
    guard failure.mayPass, let delivery = active[place], delivery.attempts < settings.attempts else {
      return finish(place, failure)
    }
    postpone(delivery, failure)
    if failure.isUnavailable { nextProbe = min(nextProbe, now + DeliveryWait.probeInterval) }
    rest(place)
  }

  private func rest(_ place: Int) {
    guard let due = active[place]?.due else { return }
    active[place]?.isRepeated = true
    nextRetry = resting.isEmpty ? due : settings.holdsBack ? max(nextRetry, due) : min(nextRetry, due)
    resting.insert(place)
  }

  /// A receiver is available again: what waited for that need not wait any longer.
  private func resume() {
    (probe, nextProbe) = (nil, .distantFuture)
    for place in resting where active[place]?.isHeld == true {
      active[place]?.due = now
      nextRetry = now
    }
  }

  /// Notes what all items wait for.
  private func noteWait() {
    guard let failing, !resting.isEmpty else { return context.meter.note(nil) }
    context.meter.note(
      NodeStatus.Wait(
        events: active.count + waiting.count, request: "delivery", reason: failing.reason,
        since: failing.since,
        until: failing.nextTry ?? context.lane.world.wallClock() + (nextRetry - now).inSeconds,
        isFailing: failing.isFailure))
  }

  private func postpone(_ delivery: Delivery, _ failure: DeliveryFailure) {
    let own = failure.isAttempt ? backoff.delay(beforeRetry: delivery.attempts - 1, after: failure) : nil
    let delay = max(own ?? .zero, wait(until: failure.retryAt ?? 0))
    delivery.due = now + delay
    delivery.isHeld = failure.isUnavailable
    delivery.entry?.attempts = delivery.attempts
    let due = context.lane.world.wallClock() + delay.inSeconds
    delivery.entry?.due = due
    if failure.isAttempt { context.trace(attempt: delivery.id, failure: "\(failure)", next: due) }
    // Without a connection nothing changes that the next run would have to know.
    if let entry = delivery.entry, failure.isAttempt || failure.retryAt != nil {
      context.outbox?.retry(entry)
    }
    crashPoint("delivery.retry noted")
    let words = "\(failure); next try in \(DurationText.format(.milliseconds(Int(delay.inSeconds * 1000))))"
    // To wait as the server asks is no failure.
    failing = (
      "\(failure)", failing?.since ?? context.lane.world.wallClock(), failure.retryAt == nil, failure.nextTry
    )
    // At growing distances.
    let isReported = failuresInARow & (failuresInARow - 1) == 0 && reported != failuresInARow
    let isWait = !failure.isAttempt && failure.retryAt != nil
    if failure.nextTry == nil, isWait || failure.isAttempt && isReported {
      if !isWait { reported = failuresInARow }
      context.log.notice(isWait ? "\(failure)" : words)
    } else {
      context.log.detail(words)
    }
  }

  private func storedWait(of entry: OutboxEntry) -> Duration {
    backoff.wait(untilStored: entry.due, attempts: entry.attempts, now: context.lane.world.wallClock())
  }

  /// The time left until a time of day; zero when that has passed.
  private func wait(until time: Double) -> Duration {
    .seconds(min(max(0, time - context.lane.world.wallClock()), 1e9))
  }

  /// An item has succeeded, or failed for good.
  private func finish(_ place: Int, _ failure: DeliveryFailure? = nil) {
    guard let delivery = active.remove(place) else { return }
    if let key = delivery.key { keys.remove(key) }
    context.trace(attempt: delivery.id, failure: failure.map { "\($0)" })
    let isLate = delivery.entry.map { entry in delivery.before.map { entry.place <= $0 } ?? false } ?? false
    if isLate { late -= 1 }
    guard var failure else {
      if let entry = delivery.entry, isLate || !transport.recognisesRepeats {
        context.outbox?.remove(entry.place)
      }
      crashPoint("delivery.success noted")
      return
    }
    if delivery.attempts > 1 { failure.description += " after \(delivery.attempts) attempts" }
    if var entry = delivery.entry {
      entry.attempts = delivery.attempts
      context.outbox?.giveUp(entry, reason: "\(failure)")
    }
    context.meter.countGivenUp()
    context.errors.report(failure, delivery.item.event)
  }

  /// Marks everything as done up to the oldest item that is not, where the receiver recognises what it has had beyond.
  private func markDone() {
    guard transport.recognisesRepeats, late == 0, let outbox = context.outbox else { return }
    let before: OutputPlace?
    if let (serial, place) = active.first, serial < waiting.first?.serial ?? .max {
      before = active[place]?.before
    } else {
      before = waiting.first.map(\.before) ?? last
    }
    guard let place = before, place != marked else { return }
    marked = place
    outbox.markWritten(through: place)
    // Has the mark stored soon: a repeat is only detected for so long.
    outbox.remove(place)
  }

  /// Leaves an item to the next run; without state it has failed.
  private func cutShort(_ delivery: Delivery) {
    if delivery.entry != nil { return left += 1 }
    let message = transport.cutShortMessage(delivery.item, attempts: delivery.attempts)
    context.meter.countGivenUp()
    context.errors.report(DeliveryFailure(message, mayPass: false), delivery.item.event)
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
  /// How often it is tried whether a receiver is available again: a back-off may have grown longer by then.
  static let probeInterval = Duration.milliseconds(250)
  /// An answer that has not come by then may never come.
  static let doubt = Duration.milliseconds(250)
}

/// A sink whose work is done by a delivery queue.
package protocol DeliverySink: KeepingSink {
  var queue: DeliveryQueue { get }
}

extension DeliverySink {
  package func recover(_ entries: [OutboxEntry]) throws { try queue.recover(entries) }
  package func didCommit(_ entries: [OutboxEntry]) throws { try queue.run(entries) }
  package func wake() throws { try queue.wake() }
  package func abandon() { queue.abandon() }
  package func endTurn() throws { try queue.endTurn() }
  package func finish(by deadline: Instant) throws { try queue.finish(by: deadline) }
}
