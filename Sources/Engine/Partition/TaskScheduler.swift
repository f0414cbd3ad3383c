import Reactive

/// The timers of a task: they are set by whichever thread runs it, and run on the lane when the partition says so.
///
/// So it is the partition that decides the order of timers of several tasks, and not the threads.
final class TaskScheduler: Scheduler {
  private let base: any Scheduler
  private let timers = Locked(TimerQueue<@Sendable () -> Void>())

  init(beside base: any Scheduler) { self.base = base }

  var now: Instant { base.now }
  var isCurrent: Bool { base.isCurrent }

  func perform(_ work: @escaping @Sendable () -> Void) { base.perform(work) }

  func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> Subscription {
    let timer = Subscription()
    if deadline == .distantFuture { return timer }
    let key = timers.withLock { timers in
      timers.insert(at: deadline) {
        if timer.isDisposed { return }
        work()
        timer.dispose()
      }
    }
    timer.onDispose { [weak self] in
      let dropped = self?.timers.withLock { $0.remove(key) }
      _ = dropped  // released outside the lock
    }
    return timer
  }

  /// When the next timer is due.
  var earliest: Instant? { timers.withLock { $0.earliest } }

  /// Takes out the timers that are due, the earliest first.
  func takeAll(dueBy now: Instant) -> [(deadline: Instant, work: @Sendable () -> Void)] {
    timers.withLock { timers in
      var due: [(deadline: Instant, work: @Sendable () -> Void)] = []
      while let first = timers.popFirst(dueBy: now) { due.append(first) }
      return due
    }
  }
}
