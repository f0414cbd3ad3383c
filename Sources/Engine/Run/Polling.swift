import Language
import System
import JSON
import Reactive
import Synchronization

/// The polling of a source: by its schedule, on its own scheduler.
///
/// A machine of its own, not `timer → flatMapFirst → retry`: beats that a long poll has missed are skipped without
/// losing the rhythm, cron follows a wall clock that may be set meanwhile, and a failed poll is repeated only between
/// two beats, which stay when they are. `Reactive` has no operator for these, and three would be used by nothing else.
final class Polling: Sendable {
  private struct State {
    var source: (any PollSource)?
    var number = 0
    var timer: Subscription?
    /// The repetition of a failed poll, and how many have failed in a row.
    var retry: Subscription?
    var failures = 0
    /// The earliest useful time for one, in seconds since 1970; nil where the failure is for good.
    var retryAt: Double?
    /// Whether the last poll was put off, since its budget is spent.
    var isPutOff = false
    /// When the next poll of the schedule is.
    var due: Instant?
    /// When the last poll was due, had it not been put off; by the clock that only goes forward.
    var beat = Instant()
    /// How much later than the schedule says it is polled: not all entries of a list at once.
    var offset = Duration.zero
    /// With cron, the time of day of the last poll, in seconds since 1970.
    var lastTime: Int?
    /// Whether a poll is under way, and what waits for its end.
    var isPolling = false
    var waiting: [@Sendable () -> Void] = []
    /// Whether it is to end before a poll that still waits for its turn.
    var isLeaving = false
    var isOver = false
  }

  /// After so many seconds the time of day is looked at again.
  private static let trust = 60.0
  /// A clock that is further behind than this, in seconds, was set back.
  private static let tolerance = 1.0
  /// The longest wait before a failed poll is repeated.
  private static let longestRetry = Duration.seconds(3600)
  /// So many periods a poll may be put off until that is a failure.
  private static let periodsOfPatience = 3.0
  /// A clock that is set back by more seconds was wrong before; by less, no time counts twice.
  private static let setBack = 3 * 3600

  private let make: @Sendable () throws -> any PollSource
  private let schedule: Schedule
  private let scheduler: any Scheduler
  private let context: SourceContext
  private let downstream: any Observer<SourceBatch>
  private let health: SourceHealth
  private let failed: @Sendable (any Error) -> Void
  /// The gate that lets only some of a list's entries poll at once.
  private let gate: PollGate?
  /// Touched on the scheduler alone.
  private let state = LaneLocal(State())
  /// Whether a poll besides the schedule is requested and has not started.
  private let isRequested = Atomic<Bool>(false)

  init(
    _ make: @escaping @Sendable () throws -> any PollSource, _ schedule: Schedule,
    on scheduler: any Scheduler, through gate: PollGate? = nil,
    _ context: SourceContext, _ health: SourceHealth, to downstream: any Observer<SourceBatch>,
    failed: @escaping @Sendable (any Error) -> Void
  ) {
    self.health = health
    self.make = make
    self.schedule = schedule
    self.scheduler = scheduler
    self.context = context
    self.downstream = downstream
    self.failed = failed
    self.gate = gate
    state.value.number = Int(member: context.position?.member("poll")) ?? 0
  }

  /// Starts to poll; `delay` puts all polls off by as much.
  func start(after delay: Duration = .zero) {
    scheduler.perform { [self] in
      do { state.value.source = try make() } catch {
        context.meter.countError()
        failed(error)
        return end()
      }
      state.value.beat = scheduler.now + delay
      state.value.offset = delay
      if let time = context.nextPoll, !context.isOnce {
        resume(at: time)
      } else if schedule.atStart || context.isOnce {
        if delay == .zero { return poll() }
        state.value.due = state.value.beat
        noteNext(in: delay.inSeconds)
        state.value.timer = scheduler.schedule(at: state.value.beat) { [self] in poll() }
      } else {
        setTimer()
      }
    }
  }

  /// Continues where a run before has stopped: the next poll is when it was due.
  private func resume(at time: Double) {
    guard time.isFinite, case .every(let period) = schedule.rhythm else {
      return time.isFinite ? setTimer() : end()
    }
    let wait = min(max(0, time - context.world.wallClock()), period.inSeconds)
    state.value.beat = scheduler.now + .nanoseconds(Int64(wait * 1e9)) + state.value.offset
    state.value.due = state.value.beat
    noteNext(in: wait + state.value.offset.inSeconds)
    state.value.timer = scheduler.schedule(at: state.value.beat) { [self] in poll() }
  }

  /// Repeats a poll that has failed, unless the schedule's next one is earlier; returns the wait for either.
  private func setRetry() -> Duration? {
    guard !state.value.isOver, let due = state.value.due else { return nil }
    let initial = schedule.retry
    guard let earliest = state.value.retryAt, initial > .zero else { return due - scheduler.now }
    let backoff = Backoff(initial: initial, cap: max(initial, Self.longestRetry))
    let asked = Duration.seconds(min(max(0, earliest - context.world.wallClock()), 1e9))
    let longest = backoff.longestDelay(beforeRetry: max(0, state.value.failures - 1))
    // Not all clients of a server that has come back at once.
    let time = scheduler.now + max(asked, longest * (1 - context.world.random() / 2))
    guard time < due else { return due - scheduler.now }
    noteNext(in: (time - scheduler.now).inSeconds)
    // One that was put off is made then for the first time.
    let isRepetition = !state.value.isPutOff
    state.value.retry = scheduler.schedule(at: time) { [self] in
      betweenPolls { [self] in pollBetween(isRepetition: isRepetition) }
    }
    return time - scheduler.now
  }

  /// Polls besides the schedule, whose next poll stays when it is.
  private func pollBetween(isRepetition: Bool = false) {
    if state.value.isOver || context.stop.isSet { return }
    startPoll(isRepetition: isRepetition) { [self] failure in
      if let due = state.value.due { noteNext(in: (due - scheduler.now).inSeconds) }
      let wait = setRetry()
      if let failure = failure ?? putOff { report(failure, next: wait) }
    }
  }

  /// Ends the polls; one that is under way is let come to its end.
  func stop() {
    scheduler.perform { [self] in
      state.value.isLeaving = true
      betweenPolls { [self] in end() }
    }
  }

  /// Runs `work` when no poll is under way, in the order of the calls.
  private func betweenPolls(_ work: @escaping @Sendable () -> Void) {
    if state.value.isPolling { state.value.waiting.append(work) } else { work() }
  }

  /// Polls now, besides the schedule, whose next poll stays when it is; requests that wait for each other are one.
  func pollNow() {
    if isRequested.exchange(true, ordering: .relaxed) { return }
    scheduler.perform { [self] in
      betweenPolls { [self] in
        isRequested.store(false, ordering: .relaxed)
        pollBetween()
      }
    }
  }

  private func poll() {
    betweenPolls { [self] in
      if state.value.isOver { return }
      if context.stop.isSet { return end() }
      startPoll { [self] failure in setNext(after: failure) }
    }
  }

  /// Sets the time of the next poll, after one of the schedule.
  private func setNext(after failure: (any Error)?) {
    if let failure, failsAlone { report(failure, next: nil) }
    if state.value.isPutOff, failsAlone, let time = state.value.retryAt {
      let wait = max(0.1, min(time - context.world.wallClock(), 1e9))
      noteNext(in: wait)
      state.value.timer = scheduler.schedule(after: .seconds(wait)) { [self] in poll() }
      return
    }
    setTimer()
    let wait = setRetry()
    if let failure = failure ?? putOff, !failsAlone { report(failure, next: wait) }
  }

  /// Reports a poll that has failed, and when the next one is.
  private func report(_ failure: any Error, next wait: Duration?) {
    if FailureKind(of: failure) == .waiting, !failsAlone, isWaiting(failure, next: wait) { return }
    health.note(
      failure, at: scheduler.now, timeOfDay: context.world.wallClock(), next: wait, isReported: failsAlone)
    // A poll that fails is reported; the next one may do better.
    if failsAlone { failed(failure) }
  }

  /// Notes that a poll is put off; returns whether that is no failure, since it has not lasted for three periods.
  private func isWaiting(_ failure: any Error, next wait: Duration?) -> Bool {
    let now = context.world.wallClock()
    let next = state.value.retryAt ?? now + (wait ?? .zero).inSeconds
    return health.notePutOff(
      "\(failure)", until: next, at: now, patience: Self.periodsOfPatience * schedule.period(at: now),
      isReported: context.entry != nil)
  }

  /// The reason why the last poll was put off, as an error; nil where it was not.
  private var putOff: (any Error)? {
    guard state.value.isPutOff, let wait = health.status.wait else { return nil }
    return PutOff(description: wait.reason)
  }

  /// Polls once; `then` receives the error of a poll that has failed.
  private func startPoll(isRepetition: Bool = false, _ then: @escaping @Sendable ((any Error)?) -> Void) {
    state.value.retry?.dispose()
    state.value.isPutOff = false
    state.value.isPolling = true
    guard let gate else { return ask(isRepetition, then) }
    gate.enter { [self] in
      if scheduler.isCurrent {
        ask(isRepetition, then)
      } else {
        scheduler.perform { [self] in ask(isRepetition, then) }
      }
    }
  }

  private func ask(_ isRepetition: Bool, _ then: @escaping @Sendable ((any Error)?) -> Void) {
    // It may have waited for its turn.
    guard let source = state.value.source, !context.stop.isSet, !state.value.isLeaving else {
      return endPoll { [self] in end() }
    }
    state.value.number += 1
    let request = PollRequest(
      source: context.name, number: state.value.number, at: context.world.wallClock(),
      isRepetition: isRepetition)
    health.noteAsking(since: request.at)
    let patience = attendWait(of: request)
    source.ask(request, on: scheduler) { [self] result in
      patience?.dispose()
      health.noteAsking(since: nil)
      context.progress(nil)
      let failure = take(result, of: request)
      endPoll { then(failure) }
    }
  }

  /// Notes a poll as failed that waits for its budget for three periods; it goes on.
  private func attendWait(of request: PollRequest) -> Subscription? {
    let longest = Self.periodsOfPatience * schedule.period(at: request.at)
    if longest == 0 || failsAlone { return nil }
    return scheduler.schedule(after: .seconds(min(longest, 1e9))) { [self] in
      guard !context.stop.isSet, let wait = health.status.wait, !wait.isRetry else { return }
      _ = health.notePutOff(
        wait.reason, until: wait.until, at: request.at, patience: .infinity, isReported: true)
      health.note(
        PutOff(description: wait.reason), at: scheduler.now, timeOfDay: context.world.wallClock(),
        next: .seconds(max(0, wait.until - context.world.wallClock())))
    }
  }

  private func endPoll(_ then: () -> Void) {
    state.value.isPolling = false
    gate?.leave()
    then()
    while !state.value.isPolling, !state.value.waiting.isEmpty { state.value.waiting.removeFirst()() }
  }

  /// Sends an answer on; returns the error of a poll that has failed.
  private func take(_ result: Result<PollAnswer, any Error>, of request: PollRequest) -> (any Error)? {
    var trace = PollTrace(
      pipeline: "", source: context.name, number: request.number, start: request.at, end: request.at)
    trace.entry = context.entry?.id
    defer {
      trace.end = context.world.wallClock()
      context.polled?(trace)
    }
    do {
      let answer = try result.get()
      (state.value.failures, state.value.retryAt) = (0, nil)
      (trace.rows, trace.coverage) = (answer.rows.count, answer.coverage.name)
      // A poll may have waited for its budget, or for a slow server.
      let seen = answer.at ?? context.world.wallClock()
      health.note(answer, at: seen)
      context.meter.countOut(answer.rows.count)
      if context.entry == nil { context.polledRows.note(answer, of: context.name) }
      var notes = answer.notes
      if let entry = context.entry { notes.merge(entry.notes) }
      let poll = Poll(
        source: context.name, number: request.number, at: answer.at ?? request.at, notes: notes,
        coverage: answer.coverage, rows: answer.rows)
      let position = context.storesPositions ? position(of: request, answer, seen) : nil
      downstream.next(SourceBatch(answer.rows, poll, endsPoll: true, position: position))
      return nil
    } catch  where context.stop.isSet {
      // The caller that stops a poll knows that it has no answer.
      return nil
    } catch let wait as any PollFailure where wait.isWait && request.isRepetition {
      // What it fails for is known; there is no budget to look again.
      state.value.retryAt = wait.retryAt ?? .infinity
      return nil
    } catch let wait as any PollFailure where wait.isWait && context.entry != nil {
      // One of many entries that share a budget lets others have its turn while it waits.
      state.value.retryAt = wait.retryAt ?? 0
      state.value.isPutOff = true
      let progress = PollProgress("", wait: "\(wait)", until: wait.retryAt ?? request.at)
      health.note(progress)
      context.notePutOff(progress)
      return nil
    } catch {
      trace.error = "\(error)"
      let failure = error as? any PollFailure
      state.value.failures += 1
      state.value.retryAt = failure?.mayPassLater == false ? nil : failure?.retryAt ?? 0
      context.meter.countError()
      return error
    }
  }

  private func position(of request: PollRequest, _ answer: PollAnswer, _ seen: Double) -> Value {
    var members: [(String, Value)] = [("poll", .number(request.number))]
    if let memory = answer.memory { members.append(("memory", memory)) }
    if let last = answer.last { members.append(("last", last)) }
    if schedule.fresh != nil { members.append((FreshnessWatch.member, .number(seen))) }
    // For the rows of an entry that the next run does not find in the list.
    if let entry = context.entry, entry.value != entry.id { members.append((Poll.each, entry.value)) }
    return .record(members)
  }

  /// Whether a poll that fails fails the source, since no other follows.
  private var failsAlone: Bool {
    if case .once = schedule.rhythm { true } else { context.isOnce }
  }

  private func setTimer() {
    if context.isOnce || context.stop.isSet { return end() }
    let spread = schedule.spread(context.world.random)
    switch schedule.rhythm {
    case .once: end()
    case .every(let period):
      // Beats that were missed while a poll took long are not made up for.
      let missed = (scheduler.now - state.value.beat).nanoseconds / period.nanoseconds
      state.value.beat = state.value.beat + .nanoseconds(period.nanoseconds * (missed + 1))
      let time = state.value.beat + spread
      state.value.due = time
      noteNext(in: (time - scheduler.now).inSeconds)
      state.value.timer = scheduler.schedule(at: time) { [self] in poll() }
    case .cron(let cron, let zone):
      let now = context.world.wallClock()
      guard let next = cron.next(after: lastTime(Int(now.rounded(.down)), cron, zone), in: zone) else {
        return end()
      }
      let spread = spread + state.value.offset
      let left = Double(next) + spread.inSeconds - now
      state.value.due = scheduler.now + .nanoseconds(Int64(min(left, 1e9) * 1e9))
      noteNext(in: left)
      wait(forTimeOfDay: next, spread.inSeconds, since: now)
    }
  }

  private func noteNext(in wait: Double) {
    let now = context.world.wallClock()
    health.noteNext(at: now + wait, now: now)
  }

  /// The time after which the next one is chosen: the present, or the last poll's where the clock was set back a little
  /// behind that.
  ///
  /// By more than lies between that poll and the next one, or by hours, the times count again: a schedule of each minute
  /// would otherwise wait for an hour that was set back.
  private func lastTime(_ now: Int, _ cron: Cron, _ zone: some ZoneRules) -> Int {
    guard let last = state.value.lastTime, last > now else { return now }
    let period = cron.next(after: last, in: zone).map { $0 - last } ?? Self.setBack
    return last - now < min(period, Self.setBack) ? last : now
  }

  /// Polls at a time of day and a little later, by a clock that may be set, and that goes on while the machine sleeps.
  private func wait(forTimeOfDay time: Int, _ spread: Double, since before: Double) {
    let now = context.world.wallClock()
    if now < before - Self.tolerance { return setTimer() }
    let left = Double(time) + spread - now
    if left < 0.001 {
      state.value.lastTime = time
      return poll()
    }
    state.value.timer = scheduler.schedule(after: .nanoseconds(Int64(min(left, Self.trust) * 1e9))) {
      [self] in wait(forTimeOfDay: time, spread, since: now)
    }
  }

  private func end() {
    if state.value.isOver { return }
    state.value.isOver = true
    state.value.timer?.dispose()
    state.value.retry?.dispose()
    state.value.source = nil
    health.noteEnd()
    if context.entry == nil { context.polledRows.noteEnd(of: context.name) }
    downstream.complete()
  }
}

extension Schedule {
  /// The time between two polls, in seconds; zero where there is only one.
  func period(at now: Double) -> Double {
    switch rhythm {
    case .once: return 0
    case .every(let period): return period.inSeconds
    case .cron(let cron, let zone):
      guard let next = cron.next(after: Int(now), in: zone), let after = cron.next(after: next, in: zone)
      else { return 0 }
      return Double(after - next)
    }
  }
}

/// The error of a poll that is put off too long.
private struct PutOff: ClassifiedFailure, CustomStringConvertible {
  let description: String
  let failureKind = FailureKind.waiting
}

extension Duration {
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
