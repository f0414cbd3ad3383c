import JSON
import Language
import Reactive

/// The watch over the age of what a source, or each entry of its list, has seen: beyond `fresh`, that is an outage.
///
/// The age of a polled source counts from its last good answer, as its server gave it, that of another from its last
/// event. It is measured by the clock that stands still while the machine sleeps, and by the time of day only when a poll
/// has failed: the first one after a start or a sleep may bring the news.
///
/// Outcomes come through it, from any thread, so that what is too old has one outage, of whatever else it fails for.
final class FreshnessWatch: Sendable {
  private struct Seen {
    /// The time of day of what was seen, in seconds since 1970.
    var at: Double
    /// The same by the clock of the scheduler, as far as that did not stand still.
    var instant: Instant
    /// The longest age, in seconds.
    var limit: Double
    var isTooOld = false
    /// Whether the log has said so, and nothing else of this outage.
    var isLogged = false

    var due: Instant { instant + .nanoseconds(Int64(min(limit, 9e9) * 1e9)) }
  }

  private struct State {
    /// The last observations, by the entry of the list; nil for the source itself.
    var seen: [Value?: Seen] = [:]
    /// The times of last answers in the run before.
    var before: [Value?: Double]
    var timer: (due: Instant, subscription: Subscription)?
    var isOver = false
  }

  /// Its part of a period that an answer may be late, where `fresh` is a number of them.
  private static let tolerance = 0.1

  private let source: String
  private let schedule: Schedule
  private let fresh: PollsOrTime
  private let isPolled: Bool
  /// Whether entries are polled, so that the source itself has no age.
  private let hasList: Bool
  private let log: NodeLog
  private let scheduler: any Scheduler
  private let wallClock: @Sendable () -> Double
  private let pass: @Sendable (PollOutcome) -> Void
  private let state: Locked<State>

  /// Nil for a source whose age does not matter.
  init?(
    _ plan: SourcePlan, _ context: SourceContext, on scheduler: any Scheduler,
    pass: @escaping @Sendable (PollOutcome) -> Void
  ) {
    guard let fresh = plan.schedule.fresh, !context.isOnce else { return nil }
    (source, schedule, self.fresh, self.pass) = (plan.name, plan.schedule, fresh, pass)
    (log, self.scheduler, wallClock) = (context.log.ofPolls, scheduler, context.world.wallClock)
    isPolled = plan.spec.maker.isPolled(plan.options)
    if case .each(let lists, _) = plan.spec.maker as? Maker {
      hasList = lists.isGiven(plan.options)
    } else {
      hasList = false
    }
    var before: [Value?: Double] = [:]
    before[.none] = Self.time(in: context.position)
    for (entry, position) in context.entryPositions { before[entry] = Self.time(in: position) }
    state = Locked(State(before: before))
    if !isPolled { state.withLock { see(nil, at: wallClock(), &$0) } }
  }

  /// The member of a position with the time of the last good answer.
  static let member = "at"

  private static func time(in position: Value?) -> Double? {
    position?.member(Key(member)).flatMap { Double(member: $0) }
  }

  /// The time of what is shown, where that is too old.
  var tooOld: Double? { state.withLock { state in state.seen[nil].flatMap { $0.isTooOld ? $0.at : nil } } }

  /// The number of entries of which it is too old.
  var entriesTooOld: Int { state.withLock { $0.seen.count { $0.key != nil && $0.value.isTooOld } } }

  /// Takes an outcome, and passes it on as far as it is one.
  func take(_ outcome: PollOutcome) {
    let entry = outcome.outage.entry
    let isOfList = hasList && entry == nil
    state.withLock { state in
      switch outcome.result {
      case .good where isOfList: break
      case .failed where isOfList: break
      case .good:
        if isPolled {
          see(entry, at: outcome.at, &state)
          if state.seen[entry]?.isTooOld == true { return report(entry, nil, &state) }
        } else if state.seen[entry]?.isTooOld == true {
          // It is connected, and nothing has come.
          return
        }
      case .failed(_, let reason):
        if state.seen[entry] == nil { see(entry, at: state.before[entry] ?? outcome.at, &state) }
        guard var seen = state.seen[entry] else { break }
        if wallClock() - seen.at > seen.limit { seen.isTooOld = true }
        seen.isLogged = false
        state.seen[entry] = seen
        if seen.isTooOld { return report(entry, reason, &state) }
      case .gone: state.seen[entry] = nil
      case .listed(let entries): state.before = state.before.filter { $0.key.map(entries.contains) ?? true }
      }
      pass(outcome)
    }
  }

  /// Notes an event of a source that is not polled.
  func noteEvent(at time: Double) {
    if isPolled { return }
    state.withLock { state in
      let wasTooOld = state.seen[nil]?.isTooOld == true
      see(nil, at: time, &state)
      if wasTooOld { pass(PollOutcome(outage: Outages.ID(source: source), at: time, result: .good)) }
    }
  }

  /// Ends it with its source.
  func end() {
    state.withLock { state in
      state.isOver = true
      state.timer?.subscription.dispose()
      state.timer = nil
    }
  }

  // MARK: - The age

  private func see(_ entry: Value?, at time: Double, _ state: inout State) {
    let age = max(0, wallClock() - time)
    let seen = Seen(
      at: time, instant: scheduler.now - .nanoseconds(Int64(min(age, 9e9) * 1e9)), limit: limit(after: time))
    if state.seen[entry]?.isLogged == true, age <= seen.limit { log.notice("\(name(entry))up to date again") }
    state.seen[entry] = seen
    state.seen[entry]?.isTooOld = age > seen.limit
    if age <= seen.limit { setTimer(&state, at: seen.due) }
  }

  /// The longest age of what was seen at a time, in seconds.
  private func limit(after time: Double) -> Double {
    switch fresh {
    case .time(let time): return time.inSeconds
    case .polls(let count):
      guard let last = schedule.beat(count, after: time), let next = schedule.beat(count + 1, after: time)
      else { return .infinity }
      return last - time + Self.tolerance * (next - last) + schedule.jitter.inSeconds
    }
  }

  private func setTimer(_ state: inout State, at due: Instant) {
    if state.isOver { return }
    if let timer = state.timer {
      if timer.due <= due { return }
      timer.subscription.dispose()
    }
    state.timer = (due, scheduler.schedule(at: due) { [weak self] in self?.look() })
  }

  /// Looks for what has become too old without a poll that has failed: it hangs, or is put off.
  private func look() {
    state.withLock { state in
      state.timer = nil
      if state.isOver { return }
      let now = scheduler.now
      let old = state.seen.filter { !$0.value.isTooOld && $0.value.due <= now }.sorted {
        ($0.value.instant, name($0.key)) < ($1.value.instant, name($1.key))
      }
      for (entry, _) in old {
        state.seen[entry]?.isTooOld = true
        report(entry, nil, &state)
      }
      if let (entry, seen) = old.first {
        state.seen[entry]?.isLogged = true
        let others = old.count > 1 ? "\(entryCount(old.count)), as " : ""
        log.error("\(others)\(name(entry))\(message(seen, nil))")
      }
      if let next = state.seen.values.filter({ !$0.isTooOld }).map(\.due).min() {
        setTimer(&state, at: next)
      }
    }
  }

  private func report(_ entry: Value?, _ reason: String?, _ state: inout State) {
    guard let seen = state.seen[entry] else { return }
    pass(
      PollOutcome(
        outage: Outages.ID(source: source, entry: entry), at: wallClock(),
        result: .failed(.tooOld, reason: message(seen, reason))))
  }

  private func message(_ seen: Seen, _ reason: String?) -> String {
    let what = isPolled ? "no good answer" : "no event"
    return "too old: \(what) since \(timestamp(seen.at.rounded()))" + (reason.map { " (\($0))" } ?? "")
  }

  private func name(_ entry: Value?) -> String { entry.map { "\($0.string ?? $0.description): " } ?? "" }
}
