/// A scheduler: where and when work runs, and the only source of time in this module.
///
/// Clocks are monotonic, so a change of the wall clock neither hastens nor delays anything.
public protocol Scheduler: AnyObject, Sendable {
  /// The time on this scheduler's clock.
  var now: Instant { get }

  /// Whether the caller is running on it.
  var isCurrent: Bool { get }

  /// Runs `work` soon, after what is already due.
  ///
  /// What waits here is not counted: operators and mailboxes keep at most one piece of work each in this line.
  func perform(_ work: @escaping @Sendable () -> Void)

  /// The subscription that ends when it stops for good; nil for one that never does.
  var lifetime: Subscription? { get }

  /// Runs `work` at a time, now if that has passed; disposing the result cancels it.
  func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> Subscription
}

extension Scheduler {
  /// None: it is not stopped.
  public var lifetime: Subscription? { nil }

  /// Runs `work` after a delay; disposing the result cancels it.
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Subscription {
    schedule(at: now + delay, work)
  }
}
