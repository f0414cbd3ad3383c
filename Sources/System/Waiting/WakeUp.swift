import CGlibc
import Glibc
import Reactive

/// A descriptor by which other threads wake the one that waits for it.
///
///     let wakeUp = WakeUp()
///     wakeUp.ring()           // from any thread
///     wakeUp.wait(or: stop)   // returns at once
public final class WakeUp: Sendable {
  /// How often a thread looks where the process has no descriptor left to wait for.
  private static let tick = Duration.milliseconds(50)

  /// Readable once rung, until cleared; -1 where the process has none left.
  public let descriptor = flow_eventfd()

  public init() {}

  deinit { if descriptor >= 0 { close(descriptor) } }

  public func ring() {
    var one: UInt64 = 1
    if descriptor >= 0 { _ = write(descriptor, &one, 8) }
  }

  public func clear() {
    var rings: UInt64 = 0
    if descriptor >= 0 { _ = read(descriptor, &rings, 8) }
  }

  /// Waits until rung, the stop sign is set or the time has come, and clears what was rung.
  ///
  /// Where it or the sign has no descriptor it returns after a moment: the caller looks for itself what has come.
  public func wait(or stop: StopSign?, until deadline: Instant = .distantFuture) {
    let stopDescriptor = stop?.descriptor
    let isBlind = descriptor < 0 || stopDescriptor == -1
    let ready = awaitDescriptors(
      [.input(descriptor), .input(stopDescriptor ?? -1)],
      until: isBlind ? min(deadline, MonotonicClock.now + Self.tick) : deadline)
    if ready[0] { clear() }
  }
}
