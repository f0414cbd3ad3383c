import System
import Engine
import Language
import Reactive
import Store

/// The errands that a sink runs over the network for its events: so many at a time, each tried again when it fails.
///
/// Where the pipeline has state, an errand waits in the sink's outbox until it is done: through restarts, and its
/// retries too. With one at a time they are run, and tried again, strictly in order. All decisions are made on the
/// lane; the sink hands on to this whatever it is told as a sink.
final class SinkErrands<Work: Errand> {
  /// Begins an errand, given its id; tells its end once, nil for success, on any thread.
  typealias Begin =
    (Work, _ id: String, _ end: @escaping @Sendable (ErrandFailure?) -> Void) -> Subscription

  private struct Undertaking {
    let work: Work
    let id: String
    var entry: OutboxEntry?
    var attempts: Int
    /// When it may be begun, by the scheduler's clock.
    var due: Instant
    /// While it is under way.
    var transfer: Subscription?
  }

  private let context: SinkContext
  private let manner: ErrandManner
  private let patience: Backoff
  private let begin: Begin
  private let returns: ErrandReturns
  private var ids: EventIDs
  private var waiting: [Undertaking] = []
  private var active: [Int64: Undertaking] = [:]
  private var lastNumber: Int64 = 0
  /// What the end of the pipeline has left for the next run.
  private var left = 0
  /// In virtual time nothing may be under way between two turns.
  private let isVirtual: Bool

  init(_ manner: ErrandManner, _ context: SinkContext, _ begin: @escaping Begin) {
    self.context = context
    self.manner = manner
    self.begin = begin
    patience = Backoff(initial: manner.backoff, random: context.lane.world.random)
    returns = ErrandReturns(context.alarm)
    ids = EventIDs(pipeline: context.pipeline, sink: context.name)
    isVirtual = context.lane.scheduler is VirtualScheduler
  }

  private var now: Instant { context.lane.scheduler.now }

  /// Has an errand run: when the epoch has been kept, or, without state, as soon as there is room.
  func run(_ work: Work) throws {
    if let outbox = context.outbox { return outbox.put(work.stored, id: try outbox.nextID()) }
    submit(Undertaking(work: work, id: ids.next(at: context.lane.now), attempts: 0, due: now))
  }

  /// Has the errands run that wait in the outbox.
  func run(_ entries: [OutboxEntry]) {
    for entry in entries {
      guard let work = Work(stored: entry.bytes) else {
        context.outbox?.bury(entry, reason: "it is nothing that this sink has kept")
        continue
      }
      submit(
        Undertaking(
          work: work, id: entry.id, entry: entry, attempts: entry.attempts, due: now + wait(until: entry.due))
      )
    }
    endTurn()
  }

  private func submit(_ task: Undertaking) {
    while waiting.count >= manner.queue {
      if context.stop.isSet { return cutShort(task) }
      // While it is waited for room, virtual time stands still.
      if isVirtual { pump(isForced: true) }
      returns.wait(until: SystemClock.now + ErrandWait.patience)
      collect()
    }
    waiting.append(task)
    pump()
  }

  func wake() { collect() }

  func endTurn() {
    pump()
    guard isVirtual else { return }
    while !context.stop.isSet, active.values.contains(where: { $0.transfer != nil }) {
      returns.wait(until: SystemClock.now + ErrandWait.patience)
      collect()
    }
  }

  /// Waits for everything until the deadline, by the scheduler's clock, but for what is to be tried again much later.
  func finish(by deadline: Instant) {
    let end = context.machineTime(of: deadline)
    while !context.stop.isSet, SystemClock.now < end, !isDone {
      pump(isForced: isVirtual)
      let isIdle = !active.values.contains { $0.transfer != nil }
      // Nothing comes back while all wait for their time.
      let pause = min(end, SystemClock.now + ErrandWait.patience)
      if isIdle, !isDone { _ = context.stop.wait(seconds: (pause - SystemClock.now).inSeconds) }
      returns.wait(until: pause)
      collect()
    }
    for number in active.keys.sorted() {
      active[number]?.transfer?.dispose()
      returns.forget(number)
    }
    for task in active.keys.sorted().compactMap({ active[$0] }) + waiting { cutShort(task) }
    (active, waiting) = ([:], [])
    tellWhatIsLeft()
    context.alarm.clear()
  }

  /// Whether there is nothing to wait for at the end of a pipeline.
  private var isDone: Bool {
    if active.isEmpty { return waiting.isEmpty }
    let limit = now + ErrandWait.longestAtEnd
    return active.values.allSatisfy { $0.transfer == nil && $0.due > limit }
      && (active.count >= manner.concurrency || !waiting.contains(where: isFree))
  }

  /// Begins what may be begun now.
  private func pump(isForced: Bool = false) {
    while active.count < manner.concurrency, let place = waiting.firstIndex(where: isFree) {
      lastNumber += 1
      active[lastNumber] = waiting.remove(at: place)
    }
    var next: Instant?
    for (number, task) in active.sorted(by: { $0.key < $1.key }) where task.transfer == nil {
      if isForced || task.due <= now {
        start(number, task)
      } else {
        next = min(next ?? task.due, task.due)
      }
    }
    if let next { context.alarm.set(at: context.now + max(.zero, next - now)) }
  }

  private func isFree(_ task: Undertaking) -> Bool {
    guard let key = task.work.key else { return true }
    return !active.values.contains { $0.work.key == key }
  }

  private func start(_ number: Int64, _ task: Undertaking) {
    crashPoint("errand.starting")
    returns.expect(number)
    let returns = returns
    active[number]?.transfer = begin(task.work, task.id) { returns.put(number, $0) }
  }

  private func collect() {
    for (number, failure) in returns.take() {
      guard var task = active[number] else { continue }
      task.transfer = nil
      if failure?.isAttempt ?? true { task.attempts += 1 }
      if let failure, failure.mayPass, task.attempts < manner.attempts {
        active[number] = postponed(task, failure)
      } else {
        active[number] = nil
        end(task, failure)
      }
    }
    pump()
  }

  private func postponed(_ task: Undertaking, _ failure: ErrandFailure) -> Undertaking {
    var task = task
    let wall = context.lane.world.wallClock()
    let own = failure.isAttempt ? patience.delay(beforeRetry: task.attempts - 1, after: failure) : nil
    let delay = max(own ?? .zero, wait(until: failure.retryAt ?? 0))
    task.due = now + delay
    task.entry?.attempts = task.attempts
    task.entry?.due = wall + delay.inSeconds
    if let entry = task.entry { context.outbox?.retry(entry) }
    crashPoint("errand.retry noted")
    let words = "\(failure); next try in \(DurationText.format(.milliseconds(Int(delay.inSeconds * 1000))))"
    if failure.isAttempt { context.log.detail(words) } else { context.log.notice("\(failure)") }
    return task
  }

  /// How long it is to a time of day; nothing where that has passed.
  private func wait(until time: Double) -> Duration {
    .seconds(min(max(0, time - context.lane.world.wallClock()), 1e9))
  }

  private func end(_ task: Undertaking, _ failure: ErrandFailure?) {
    guard let failure else {
      if let entry = task.entry { context.outbox?.remove(entry.place) }
      crashPoint("errand.success noted")
      return
    }
    let reason = ErrandGivenUp(failure: failure, attempts: task.attempts)
    if var entry = task.entry {
      entry.attempts = task.attempts
      context.outbox?.bury(entry, reason: "\(reason)")
    }
    context.errors.report(reason, task.work.event)
  }

  /// What the end of the pipeline leaves for the next run; what is not kept has failed.
  private func cutShort(_ task: Undertaking) {
    if task.entry != nil { return left += 1 }
    context.errors.report(
      ErrandFailure("it was cut short: the pipeline had to end", mayPass: false), task.work.event)
  }

  private func tellWhatIsLeft() {
    if left > 0 {
      context.log.notice(
        left == 1
          ? "one was cut short; the next run goes on with it"
          : "\(left) were cut short; the next run goes on with them")
    }
    left = 0
  }
}

/// How long sinks with errands wait.
enum ErrandWait {
  /// How long the lane waits at a time before it looks whether the pipeline must end.
  static let patience = Duration.milliseconds(50)
  /// What is due later than this when the pipeline ends is not waited for.
  static let longestAtEnd = Duration.seconds(60)
}
