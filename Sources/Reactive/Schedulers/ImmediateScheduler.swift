/// A scheduler that runs everything at once on the calling thread, which blocks until what is scheduled for later.
///
/// Work asked for from inside work runs after it, and so does work from a second thread: one piece at a time.
///
/// ```
/// let waiting = Observable.timer(after: .milliseconds(10), on: ImmediateScheduler()).subscribe(complete: { print("done") })
/// ```
public final class ImmediateScheduler: Scheduler {
  private let serializer = DrainLoop()

  /// Makes one; the caller’s thread is its own.
  public init() {}

  /// The present time.
  public var now: Instant { MonotonicClock.now }

  /// Whether the calling thread is its own.
  public var isCurrent: Bool { serializer.isMine }

  /// Runs work now, or after what it is running.
  public func perform(_ work: @escaping @Sendable () -> Void) {
    serializer.pass(work)
  }

  /// Sleeps until the time has come, and runs work.
  public func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> Subscription {
    if deadline > now { MonotonicClock.sleep(until: deadline) }
    serializer.pass(work)
    let over = Subscription()
    over.dispose()
    return over
  }
}
