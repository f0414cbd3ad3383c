import Synchronization

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
    var timers = TimerQueue<@Sendable () -> Void>()
    var random: SplitMix64?
  }

  /// Apart from the scheduler, so that timers can hold it without holding that.
  private final class Timers: TeardownTarget {
    let state: Locked<State>
    /// Moved under the lock, read without it.
    private let nanoseconds = Atomic<Int64>(0)

    init(_ state: State) {
      self.state = Locked(state)
    }

    var now: Instant { Instant(nanoseconds: nanoseconds.load(ordering: .acquiring)) }

    func move(to instant: Instant) {
      nanoseconds.store(instant.nanoseconds, ordering: .releasing)
    }

    /// The subscription of a timer has ended.
    func tearDown(_ key: Int) {
      let dropped = state.withLock { $0.timers.remove(key) }
      _ = dropped  // released outside the lock
    }
  }

  private let timers: Timers

  /// Starts at time zero; with a `seed`, the order of simultaneous work is drawn from it.
  public init(seed: UInt64? = nil) {
    timers = Timers(State(random: seed.map { SplitMix64(seed: $0) }))
  }

  /// Drops the work that waits.
  deinit {
    let dropped = timers.state.withLock { state in
      defer { state.timers = TimerQueue() }
      return state.timers
    }
    _ = dropped  // released outside the lock
  }

  /// The present time.
  public var now: Instant { timers.now }

  /// True always: the caller makes virtual time pass, and must never wait for it.
  public var isCurrent: Bool { true }

  /// How many pieces of work wait, now or later.
  public var pending: Int { timers.state.withLock { $0.timers.count } }

  /// Runs work when the time is moved next, even by nothing.
  public func perform(_ work: @escaping @Sendable () -> Void) {
    timers.state.withLock { state in _ = state.timers.insert(at: now, work) }
  }

  /// Runs work at a time; nothing, if the result is disposed before.
  public func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> Subscription {
    let timer = Subscription()
    if deadline == .distantFuture { return timer }
    let key = timers.state.withLock { state in
      state.timers.insert(at: max(deadline, now)) {
        guard timer.close() else { return }
        work()
        timer.release()
      }
    }
    timer.onDispose(timers, key)
    return timer
  }

  /// Runs what falls due until `deadline`, and leaves the clock there.
  public func advance(to deadline: Instant) {
    while let work = takeNext(dueBy: deadline, orMoveTo: deadline) { work() }
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
      guard let work = takeNext(dueBy: .distantFuture, orMoveTo: Instant(nanoseconds: .min)) else {
        return true
      }
      work()
      done += 1
    }
    return pending == 0
  }

  /// The next piece of work; without one, the clock is moved on.
  private func takeNext(dueBy limit: Instant, orMoveTo instant: Instant) -> (@Sendable () -> Void)? {
    timers.state.withLock { state in
      guard let earliest = state.timers.earliest, earliest <= limit else {
        timers.move(to: max(now, instant))
        return nil
      }
      timers.move(to: earliest)
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
  /// A nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }
}
