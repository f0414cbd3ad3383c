import Glibc
import Reactive

/// A descriptor to wait for, and the event that makes it ready; one below zero never is.
public struct AwaitedDescriptor: Sendable {
  fileprivate let number: Int32
  fileprivate let events: Int32

  /// Ready once there is something to read, or the end.
  public static func input(_ number: Int32) -> Self { Self(number: number, events: POLLIN) }
  /// Ready once there is room to write, or the reader has gone.
  public static func output(_ number: Int32) -> Self { Self(number: number, events: POLLOUT) }
  /// Ready once its other end has gone.
  public static func end(_ number: Int32) -> Self { Self(number: number, events: 0) }
}

/// Waits until one of the descriptors is ready or the time is over, nil for never; returns for each whether it is ready.
///
///     let ready = awaitDescriptors([.input(pipe), .input(stop.descriptor)], for: .seconds(5))
///     if ready[0] { read(pipe) }
///
/// None is ready where a signal has ended the wait.
@discardableResult
public func awaitDescriptors(
  _ descriptors: [AwaitedDescriptor], for time: Duration? = nil
) -> [Bool] {
  awaitDescriptors(descriptors, until: time.map { MonotonicClock.now + $0 } ?? .distantFuture)
}

/// Waits until one of the descriptors is ready or the deadline has come; returns for each whether it is ready.
@discardableResult
public func awaitDescriptors(_ descriptors: [AwaitedDescriptor], until deadline: Instant) -> [Bool] {
  var entries = descriptors.map { pollfd(fd: $0.number, events: Int16($0.events), revents: 0) }
  let timeout = deadline == .distantFuture ? -1 : pollTimeout(from: MonotonicClock.now, until: deadline)
  if poll(&entries, nfds_t(entries.count), timeout) >= 0 { return entries.map { $0.revents != 0 } }
  // Too little memory in the kernel, which may pass: the caller would wait again at once.
  if errno != EINTR { usleep(10_000) }
  return entries.map { _ in false }
}

/// The timeout of `poll(2)`, rounded up so that a deadline is never missed by a sleep that ends early.
func pollTimeout(from now: Instant, until deadline: Instant) -> Int32 {
  if deadline <= now { return 0 }
  let (rest, overflow) = deadline.nanoseconds.subtractingReportingOverflow(now.nanoseconds)
  return overflow ? .max : Int32(clamping: (rest - 1) / 1_000_000 + 1)
}
