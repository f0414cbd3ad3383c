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
}
