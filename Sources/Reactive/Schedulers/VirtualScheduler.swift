/// A scheduler in virtual time, which passes on request: years run in milliseconds, and each run is the same.
///
/// ```
/// let clock = VirtualScheduler()
/// let ticking = Observable.interval(.seconds(3600), on: clock).subscribe(next: { print($0) })
/// clock.advance(by: .seconds(7200))  // 0, 1
/// ```
/// With a seed, work that is due at the same instant runs in an order drawn from that seed: a way to try the
/// interleavings that threads would give, and to repeat the one that failed.
public final class VirtualScheduler: Scheduler {
  fileprivate struct State: Sendable {
    var now = Instant()
    var timers = TimerQueue<@Sendable () -> Void>()
    var random: SplitMix64?
  }

  private let state: Locked<State>

  /// Starts at time zero; with a `seed`, the order of simultaneous work is drawn from it.
  public init(seed: UInt64? = nil) {
    state = Locked(State(random: seed.map { SplitMix64(seed: $0) }))
  }

  public var now: Instant { state.withLock { $0.now } }

  /// True always: the caller makes virtual time pass, and must never wait for it.
  public var isCurrent: Bool { true }

  /// How many pieces of work wait, now or later.
  public var pending: Int { state.withLock { $0.timers.count } }

  public func perform(_ work: @escaping @Sendable () -> Void) {
    state.withLock { state in _ = state.timers.insert(at: state.now, work) }
  }

  public func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> Subscription {
    let timer = Subscription()
    if deadline == .distantFuture { return timer }
    let key = state.withLock { state in
      state.timers.insert(at: max(deadline, state.now)) {
        guard timer.close() else { return }
        work()
        timer.release()
      }
    }
    timer.onDispose { [weak self] in
      let dropped = self?.state.withLock { $0.timers.remove(key) }
      _ = dropped  // released outside the lock
    }
    return timer
  }

  /// Runs what falls due until `deadline`, and leaves the clock there.
  public func advance(to deadline: Instant) {
    while let work = takeNext(dueBy: deadline) { work() }
    state.withLock { $0.now = max($0.now, deadline) }
  }

  /// Runs what falls due within `duration`, and leaves the clock that much later.
  public func advance(by duration: Duration) {
    advance(to: now + duration)
  }

  /// Runs until nothing waits; returns false if something still did after `limit` pieces of work.
  @discardableResult
  public func run(limit: Int = .max) -> Bool {
    var done = 0
    while done < limit {
      guard let work = takeNext(dueBy: .distantFuture) else { return true }
      work()
      done += 1
    }
    return pending == 0
  }

  private func takeNext(dueBy limit: Instant) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard let earliest = state.timers.earliest, earliest <= limit else { return nil }
      state.now = earliest
      if state.random == nil { return state.timers.popFirst(dueBy: earliest)?.work }
      return state.popRandom(at: earliest)
    }
  }
}

extension VirtualScheduler.State {
  /// Draws one of the timers due at `instant`; the others keep their places.
  fileprivate mutating func popRandom(at instant: Instant) -> (@Sendable () -> Void)? {
    let keys = timers.keys(dueBy: instant)
    guard !keys.isEmpty, let index = random?.below(keys.count) else { return nil }
    return timers.remove(keys[index])
  }
}

/// Tasks sleep in virtual time: `try await Task.sleep(for: .seconds(60), clock: clock)`.
///
/// A task that is to be waited for runs on the scheduler too, as that of `Observable.task(on: clock)` does: then
/// `advance` runs it, piece by piece on the calling thread, as far as it gets without something from outside.
extension VirtualScheduler: Clock {
  public var minimumResolution: Duration { .nanoseconds(1) }
}
