import Glibc

/// A lock around a value, with a condition: threads can wait until the value is as they want it.
///
/// Made of POSIX parts because a `Mutex` has nothing to wait on. Deadlines are those of the monotonic clock.
package final class ConditionLock<Value: Sendable>: Sendable {
  private struct Parts {
    var mutex = pthread_mutex_t()
    var changed = pthread_cond_t()
    var value: Value
  }

  /// The address never changes, and what lies there is used under its own mutex.
  private nonisolated(unsafe) let parts: UnsafeMutablePointer<Parts>

  package init(_ value: Value) {
    parts = .allocate(capacity: 1)
    parts.initialize(to: Parts(value: value))
    pthread_mutex_init(&parts.pointee.mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(&parts.pointee.changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(&parts.pointee.changed)
    pthread_mutex_destroy(&parts.pointee.mutex)
    parts.deinitialize(count: 1)
    parts.deallocate()
  }

  /// Changes the value and wakes every thread that waits, or one where any of them will do.
  ///
  /// `body` runs under the lock: it must not call out to code that may block or take it again.
  package func change<Result>(wakingOne: Bool = false, _ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(&parts.pointee.mutex)
    defer { pthread_mutex_unlock(&parts.pointee.mutex) }
    let result = body(&parts.pointee.value)
    if wakingOne {
      pthread_cond_signal(&parts.pointee.changed)
    } else {
      pthread_cond_broadcast(&parts.pointee.changed)
    }
    return result
  }

  /// Asks `body` until it has an answer, once after each change; nil when the deadline comes first.
  ///
  /// `body` may change the value with its answer; unless `quietly`, that wakes the other threads that wait.
  package func wait<Result>(
    until deadline: Instant = .distantFuture, quietly: Bool = false, for body: (inout Value) -> Result?
  ) -> Result? {
    pthread_mutex_lock(&parts.pointee.mutex)
    defer { pthread_mutex_unlock(&parts.pointee.mutex) }
    var time = MonotonicClock.timespec(of: deadline)
    while true {
      if let result = body(&parts.pointee.value) {
        if !quietly { pthread_cond_broadcast(&parts.pointee.changed) }
        return result
      }
      if deadline == .distantFuture {
        pthread_cond_wait(&parts.pointee.changed, &parts.pointee.mutex)
      } else if pthread_cond_timedwait(&parts.pointee.changed, &parts.pointee.mutex, &time) == ETIMEDOUT {
        return body(&parts.pointee.value)
      }
    }
  }
}

/// A wake-up for a sleeping thread: a ring that comes before the sleep is not lost.
final class Bell: Sendable {
  private let rings = ConditionLock(0)

  /// Lets one wait return: one that is under way, or the next.
  func ring() {
    rings.change(wakingOne: true) { $0 += 1 }
  }

  /// Sleeps until rung, or until the monotonic clock shows `deadline`; false then.
  @discardableResult
  func wait(until deadline: Instant? = nil) -> Bool {
    nil
      != rings.wait(until: deadline ?? .distantFuture, quietly: true) { rings -> Void? in
        if rings == 0 { return nil }
        rings -= 1
        return ()
      }
  }
}
