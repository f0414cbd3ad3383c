import Glibc

/// The platform: what systems have in different ways.
///
/// For another system this is the file to have twice. musl and macOS have a pointer for a thread, macOS no clock to set in
/// a condition and none to sleep until, and only Linux has `/proc`.
enum Platform {
  /// The calling thread, by a number that no other living thread has; never zero.
  @inline(__always)
  static var thread: UInt { pthread_self() }

  /// Whether the caller is the thread that `main` runs on.
  static var isMainThread: Bool {
    let parts = threadPath?.split(separator: "/") ?? []
    return parts.first == parts.last
  }

  /// The link of the kernel to the calling thread, in `/proc`: `1234/task/1236`.
  static var threadPath: String? {
    let text = String(unsafeUninitializedCapacity: 64) { text in
      text.withMemoryRebound(to: CChar.self) { text in
        text.baseAddress.map { max(0, readlink("/proc/thread-self", $0, text.count)) } ?? 0
      }
    }
    return text.isEmpty ? nil : text
  }

  /// Whether a thread of this process runs, or would if a core were free: not while it waits for anything else.
  static func isRunnable(_ threadPath: String) -> Bool {
    guard let file = fopen("/proc/\(threadPath)/stat", "r") else { return false }
    defer { fclose(file) }
    // The number, the name in brackets, the state.
    var text = [UInt8](repeating: 0, count: 64)
    let count = fread(&text, 1, text.count, file)
    guard let end = text[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else { return false }
    return text[end + 2] == UInt8(ascii: "R")
  }

  /// Whether less than a quarter of the calling thread's stack is left.
  static var isStackScarce: Bool {
    var attributes = pthread_attr_t()
    guard let readAttributes, readAttributes(pthread_self(), &attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    var (end, size) = (UnsafeMutableRawPointer?.none, 0)
    pthread_attr_getstack(&attributes, &end, &size)
    guard let end else { return false }
    return withUnsafeMutablePointer(to: &size) { UnsafeMutableRawPointer($0) - end } < size / 4
  }

  /// The function `pthread_getattr_np`, which the headers declare only to those who ask for more than POSIX.
  private static let readAttributes = dlsym(nil, "pthread_getattr_np").map {
    unsafeBitCast(
      $0, to: (@convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32).self)
  }

  /// How many threads can run at once.
  static var cores: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

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

    /// The parts, which are made for several threads at once.
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

/// The machine's clock that only moves forward.
package enum MonotonicClock {
  package static var now: Instant { Platform.now }

  /// Blocks the calling thread until the clock shows `deadline`.
  package static func sleep(until deadline: Instant) { Platform.sleep(until: deadline) }
}

/// Starts a thread for `body`; false where the system has none to give.
///
/// `name` is what `ps -L` and debuggers show of it, 15 characters at most.
package func startThread(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
  final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(_ name: String, _ body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
  }
  var thread = pthread_t()
  let context = Unmanaged.passRetained(Start(String(name.prefix(15)), body)).toOpaque()
  let code = pthread_create(
    &thread, nil,
    { context in
      guard let context else { return nil }
      let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
      nameThread(start.name)
      start.body()
      return nil
    }, context)
  if code == 0 { pthread_detach(thread) } else { Unmanaged<Start>.fromOpaque(context).release() }
  return code == 0
}

/// Names the calling thread, through the one interface for that which needs no variadic call.
private func nameThread(_ name: String) {
  guard let file = fopen("/proc/thread-self/comm", "w") else { return }
  fputs(name, file)
  fclose(file)
}
