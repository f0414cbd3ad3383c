import Language
import System
import Reactive

/// A running source, on a scheduler of its own, behind a mailbox.
final class SourceRun: Sendable {
  let plan: SourcePlan
  let health: SourceHealth
  private let maker: Maker?
  private let context: SourceContext
  private let entry: SourceEntry
  private let errors: ErrorFeed?
  /// Takes the outcome of each poll and attempt to connect.
  private let note: @Sendable (PollOutcome) -> Void
  private let freshness: FreshnessWatch?
  private let subscription: Subscription
  private let schedulers: RunSchedulers
  private let scheduler: any Scheduler
  private let lane: Lane
  private let counters = MailboxCounters()
  /// Ends the source, where the stop sign is not enough.
  private let ender = Locked<(@Sendable () -> Void)?>(nil)
  /// Polls it now, besides its schedule.
  private let pollsNow = Locked<(@Sendable () -> Void)?>(nil)
  private let roster = Locked<EntryRoster?>(nil)

  init(
    _ plan: SourcePlan, _ maker: Maker?, _ context: SourceContext, to entry: SourceEntry,
    in subscription: Subscription, on schedulers: RunSchedulers, lane: Lane, errors: ErrorFeed?,
    noting pass: @escaping @Sendable (PollOutcome) -> Void
  ) {
    self.errors = errors
    self.plan = plan
    let freshness = FreshnessWatch(plan, context, on: lane.scheduler, pass: pass)
    self.freshness = freshness
    let note: @Sendable (PollOutcome) -> Void = { [lists = lane.lists] outcome in
      if let freshness { freshness.take(outcome) } else { pass(outcome) }
      lists.note(outcome)
    }
    self.note = note
    let health = SourceHealth(
      SourceStatus(
        name: plan.name, kind: plan.spec.kind, isPolled: maker?.isPolled(plan.options) ?? false), context.log,
      outcome: { time, result in
        note(PollOutcome(outage: Outages.ID(source: plan.name), at: time, result: result))
      })
    self.health = health
    self.maker = maker
    var context = context
    context.progress = { [show = context.progress, stop = context.stop] progress in
      // What a poll waited for that is cut short is reported at the end.
      if progress != nil || !stop.isSet { health.note(progress) }
      show(progress)
    }
    context.noteEvents = {
      health.noteEvents(at: $0)
      freshness?.noteEvent(at: $0)
    }
    context.noteRefusal = { health.noteRefusal() }
    context.noteConnection = { [now = context.world.wallClock] in
      lane.noteConnection(of: plan.name, isDown: false)
      health.noteConnection(at: now())
    }
    context.noteDisconnection = { [now = context.world.wallClock] error, wait in
      lane.noteConnection(of: plan.name, isDown: true)
      health.note(error, at: MonotonicClock.now, timeOfDay: now(), next: wait)
    }
    context.usesOldAnswers = plan.schedule.onFailure == .old
    self.context = context
    self.entry = entry
    self.subscription = subscription
    self.schedulers = schedulers
    scheduler =
      maker?.readsOn(plan.options) ?? false
      ? schedulers.makeReader(plan.name) : schedulers.makePoller()
    self.lane = lane
  }

  func start(failed: @escaping @Sendable (any Error) -> Void) {
    let failed: @Sendable (any Error) -> Void = { [health, lane, plan] error in
      lane.noteConnection(of: plan.name, isDown: true)
      health.noteEnd(error)
      failed(error)
    }
    let batches = Observable<SourceBatch> { [self] downstream, _ in start(maker, downstream, failed) }
    let overflow: Overflow =
      // Errors come from the lane, which cannot wait for itself.
      switch plan.readsErrors ? .dropNewest : plan.whenFull {
      case .wait: .block
      case .dropOldest: .dropOldest
      case .dropNewest: .dropNewest
      }
    let events = batches.observe(
      on: lane.scheduler, capacity: plan.buffer, overflow: overflow, counters: counters)
    guard plan.readsErrors, let errors else { return events.attach(entry, in: subscription) }
    events.attach(OutageReporter(errors, from: context.position, to: entry, on: lane), in: subscription)
  }

  private func start(
    _ maker: Maker?, over lists: EntryLists? = nil, _ downstream: any Observer<SourceBatch>,
    _ failed: @escaping @Sendable (any Error) -> Void
  ) {
    switch maker {
    case .stream(let make): startStream(make, downstream, failed)
    case .poll(let make): startPolling(make, over: lists, downstream, failed)
    case .pollOrStream(let isStream, let poll, let stream):
      if isStream(plan.options) {
        startStream(stream, downstream, failed)
      } else {
        startPolling(poll, over: lists, downstream, failed)
      }
    case .each(let lists, let one): start(one, over: lists, downstream, failed)
    case .script(let endsWithScript, let make): startScript(make, endsWithScript, downstream, failed)
    case .errors: startErrors(downstream)
    case .step, .stateless, .sink, nil: downstream.complete()
    }
  }

  private func startStream(
    _ make: @escaping @Sendable (Options, SourceContext) throws -> any StreamSource,
    _ downstream: any Observer<SourceBatch>, _ failed: @escaping @Sendable (any Error) -> Void
  ) {
    scheduler.perform { [plan, context, health, freshness] in
      do {
        let feed = Feed(downstream, context, isRepeatable: plan.isRepeatable)
        try make(plan.options, context).run(feed)
        // A stopped source may not have read everything.
        if !feed.isStopped { feed.sayCaughtUp() }
      } catch {
        context.meter.countError()
        failed(error)
      }
      health.noteEnd()
      freshness?.end()
      downstream.complete()
    }
  }

  private func startPolling(
    _ make: @escaping @Sendable (Options, SourceContext) throws -> any PollSource, over lists: EntryLists?,
    _ downstream: any Observer<SourceBatch>, _ failed: @escaping @Sendable (any Error) -> Void
  ) {
    if let lists, lists.isGiven(plan.options) {
      let roster = EntryRoster(context, noting: note)
      let polling = EntryPolling(
        { [plan, context] in try lists.make(plan.options, context) },
        { [plan] context in try make(plan.options, context) }, plan.schedule, on: scheduler, for: schedulers,
        context,
        health, roster, to: downstream, failed: failed)
      ender.withLock { $0 = { polling.stop() } }
      pollsNow.withLock { $0 = { polling.pollNow() } }
      self.roster.withLock { $0 = roster }
      return polling.start()
    }
    var context = context
    context.pollNow = { [weak self] in _ = self?.pollNow() }
    // The last run may have had a list.
    let outage = Outages.ID(source: plan.name)
    note(PollOutcome(outage: outage, at: context.world.wallClock(), result: .listed([])))
    let polling = Polling(
      { [plan, context] in try make(plan.options, context) }, plan.schedule, on: scheduler, context, health,
      to: downstream, failed: failed)
    ender.withLock { $0 = { polling.stop() } }
    pollsNow.withLock { $0 = { polling.pollNow() } }
    // One whose next poll is still to come has its place.
    let isDue = context.nextPoll.map { $0 <= context.world.wallClock() } ?? true
    polling.start(after: isDue && !context.isOnce ? schedulers.delay(of: plan.schedule) : .zero)
  }

  var status: SourceStatus {
    var status = health.status
    status = roster.withLock { $0 }?.status(status) ?? status
    if let freshness {
      status.tooOld = freshness.tooOld
      status.entries?.tooOld = freshness.entriesTooOld
    }
    return status
  }

  private func startErrors(_ downstream: any Observer<SourceBatch>) {
    guard let errors else { return downstream.complete() }
    ender.withLock { $0 = { errors.stop() } }
    errors.open(to: downstream)
    subscription.onDispose { [weak errors] in errors?.release() }
  }

  private func startScript(
    _ make: @escaping @Sendable (Options) throws -> any ScriptSource, _ endsWithScript: Bool,
    _ downstream: any Observer<SourceBatch>, _ failed: @escaping @Sendable (any Error) -> Void
  ) {
    let driver = ScriptDriver(
      context, on: scheduler, to: downstream, endsWithScript: endsWithScript,
      isDown: { [lane, plan] in lane.noteConnection(of: plan.name, isDown: $0) },
      // What comes behind the script is not known.
      exhausted: { [freshness] in freshness?.end() }, failed: failed
    ) { [name = plan.name, note] entry, time, result in
      note(PollOutcome(outage: Outages.ID(source: name, entry: entry), at: time, result: result))
    }
    ender.withLock { $0 = { driver.stop() } }
    driver.start { [plan] in try make(plan.options) }
  }

  func stop() {
    context.stop.set()
    freshness?.end()
    // Called once and released, since both hold the whole pipeline.
    pollsNow.withLock { $0 = nil }
    let end = ender.withLock { ender in
      defer { ender = nil }
      return ender
    }
    end?()
  }

  /// Polls now, besides the schedule; false where it is not polled, or has ended.
  func pollNow() -> Bool {
    guard let pollNow = pollsNow.withLock({ $0 }), !health.status.hasEnded else { return false }
    pollNow()
    return true
  }

  /// Batches that were dropped because the mailbox was full.
  var dropped: Int { counters.droppedCount }
}
