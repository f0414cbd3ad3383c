import Glibc

/// Wakes a sleeping thread; a ring that comes before the sleep is not lost.
///
/// Waits by the monotonic clock. Made of POSIX parts because a `Mutex` has nothing to wait on.
final class Bell: Sendable {
  private struct Parts {
    var mutex = pthread_mutex_t()
    var condition = pthread_cond_t()
    var rings = 0
  }

  /// The address never changes, and what lies there is used under its own mutex.
  private nonisolated(unsafe) let parts: UnsafeMutablePointer<Parts>

  init() {
    parts = .allocate(capacity: 1)
    parts.initialize(to: Parts())
    pthread_mutex_init(&parts.pointee.mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(&parts.pointee.condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(&parts.pointee.condition)
    pthread_mutex_destroy(&parts.pointee.mutex)
    parts.deallocate()
  }

  /// Lets one wait return: one that is under way, or the next.
  func ring() {
    pthread_mutex_lock(&parts.pointee.mutex)
    parts.pointee.rings += 1
    pthread_cond_signal(&parts.pointee.condition)
    pthread_mutex_unlock(&parts.pointee.mutex)
  }

  /// Sleeps until rung, or until the monotonic clock shows `deadline`.
  func wait(until deadline: Instant? = nil) {
    pthread_mutex_lock(&parts.pointee.mutex)
    defer { pthread_mutex_unlock(&parts.pointee.mutex) }
    while parts.pointee.rings == 0 {
      guard let deadline else {
        pthread_cond_wait(&parts.pointee.condition, &parts.pointee.mutex)
        continue
      }
      var time = MonotonicClock.timespec(of: deadline)
      let result = pthread_cond_timedwait(&parts.pointee.condition, &parts.pointee.mutex, &time)
      if result == ETIMEDOUT { return }
    }
    parts.pointee.rings -= 1
  }
}
