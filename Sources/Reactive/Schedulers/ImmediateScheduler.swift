/// A scheduler that runs everything at once on the calling thread, which blocks until what is scheduled for later.
///
/// Work asked for from inside work runs after it, and so does work from a second thread: one piece at a time.
///
/// ```
/// let waiting = Observable.timer(after: .milliseconds(10), on: ImmediateScheduler()).subscribe(complete: { print("done") })
/// ```
public final class ImmediateScheduler: Scheduler {
  private let turn = Turn()

  public init() {}

  public var now: Instant { MonotonicClock.now }

  public var isCurrent: Bool { turn.isMine }

  public func perform(_ work: @escaping @Sendable () -> Void) {
    turn.pass(work)
  }

  public func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> Subscription {
    if deadline > now { MonotonicClock.sleep(until: deadline) }
    turn.pass(work)
    let over = Subscription()
    over.dispose()
    return over
  }
}
