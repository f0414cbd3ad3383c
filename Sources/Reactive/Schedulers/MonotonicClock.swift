/// The machine's clock that only moves forward.
package enum MonotonicClock {
  package static var now: Instant { Platform.now }

  /// Blocks the calling thread until the clock shows `deadline`.
  package static func sleep(until deadline: Instant) { Platform.sleep(until: deadline) }

  /// How long poll(2) may wait, in milliseconds, rounded up so that it does not wake just before the time.
  package static func pollTimeout(from now: Instant, until deadline: Instant) -> Int32 {
    if deadline == .distantFuture { return -1 }
    if deadline <= now { return 0 }
    let (rest, overflow) = deadline.nanoseconds.subtractingReportingOverflow(now.nanoseconds)
    return overflow ? .max : Int32(clamping: (rest - 1) / 1_000_000 + 1)
  }
}
