import Glibc

/// The platform: what systems have in different ways, apart from the start of threads in `Schedulers`.
///
/// For another system this is the file to have twice. musl and macOS have a pointer for a thread, macOS no clock to set in
/// a condition and none to sleep until, and only Linux has `/proc`.
enum Platform {
  /// The calling thread, by a number that no other living thread has; never zero.
  @inline(__always)
  static var thread: UInt { pthread_self() }

  /// Whether the caller is the thread that `main` runs on, by the link of the kernel to the calling thread.
  static var isMainThread: Bool {
    var link = [CChar](repeating: 0, count: 64)
    let length = readlink("/proc/thread-self", &link, link.count)  // such as 1234/task/1236
    let parts = link.prefix(max(0, length)).split(separator: CChar(UInt8(ascii: "/")))
    return parts.first == parts.last
  }

  /// The clock that only moves forward.
  static var now: Instant {
    var time = Glibc.timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Blocks the calling thread until `now` is `deadline`.
  static func sleep(until deadline: Instant) {
    var time = timespec(of: deadline)
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
  }

  /// Blocks the calling thread for less than a second, or for less still when a signal comes.
  static func nap(nanoseconds: Int) {
    var time = Glibc.timespec(tv_sec: 0, tv_nsec: nanoseconds)
    nanosleep(&time, nil)
  }

  /// Writes a line to standard error.
  static func report(_ text: String) {
    var line = text + "\n"
    _ = line.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// A lock with a condition to wait on, in a place of its own, since neither may move; `close` gives the place back.
  struct Monitor: Sendable {
    private struct Parts {
      var mutex = pthread_mutex_t()
      var changed = pthread_cond_t()
    }

    /// What lies there is made for several threads at once.
    private nonisolated(unsafe) let parts: UnsafeMutablePointer<Parts>

    init() {
      parts = .allocate(capacity: 1)
      parts.initialize(to: Parts())
      pthread_mutex_init(&parts.pointee.mutex, nil)
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(&parts.pointee.changed, &attributes)
      pthread_condattr_destroy(&attributes)
    }

    func close() {
      pthread_cond_destroy(&parts.pointee.changed)
      pthread_mutex_destroy(&parts.pointee.mutex)
      parts.deinitialize(count: 1)
      parts.deallocate()
    }

    func lock() { pthread_mutex_lock(&parts.pointee.mutex) }
    func unlock() { pthread_mutex_unlock(&parts.pointee.mutex) }
    func wakeOne() { pthread_cond_signal(&parts.pointee.changed) }
    func wakeAll() { pthread_cond_broadcast(&parts.pointee.changed) }

    /// Lets the lock go until woken, or until the deadline; false then.
    func wait(until deadline: Instant) -> Bool {
      if deadline == .distantFuture {
        pthread_cond_wait(&parts.pointee.changed, &parts.pointee.mutex)
        return true
      }
      var time = Platform.timespec(of: deadline)
      return pthread_cond_timedwait(&parts.pointee.changed, &parts.pointee.mutex, &time) != ETIMEDOUT
    }
  }

  private static func timespec(of instant: Instant) -> timespec {
    let parts = max(0, instant.nanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
    return Glibc.timespec(tv_sec: Int(parts.quotient), tv_nsec: Int(parts.remainder))
  }
}
