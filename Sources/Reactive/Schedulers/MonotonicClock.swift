import Glibc

/// The machine's clock that only moves forward.
package enum MonotonicClock {
  package static var now: Instant {
    var time = Glibc.timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Blocks the calling thread until the clock shows `deadline`.
  package static func sleep(until deadline: Instant) {
    var time = timespec(of: deadline)
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
  }

  package static func timespec(of instant: Instant) -> timespec {
    let parts = max(0, instant.nanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
    return Glibc.timespec(tv_sec: Int(parts.quotient), tv_nsec: Int(parts.remainder))
  }

  /// How long poll(2) may wait, in milliseconds, rounded up so that it does not wake just before the time.
  package static func pollTimeout(from now: Instant, until deadline: Instant) -> Int32 {
    if deadline == .distantFuture { return -1 }
    if deadline <= now { return 0 }
    let (rest, overflow) = deadline.nanoseconds.subtractingReportingOverflow(now.nanoseconds)
    return overflow ? .max : Int32(clamping: (rest - 1) / 1_000_000 + 1)
  }
}
