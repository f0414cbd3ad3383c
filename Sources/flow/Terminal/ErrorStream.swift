import Glibc
import Reactive
import Synchronization
import System

/// Standard error, which may be a full pipe or a terminal that was stopped.
///
/// A message waits for room, so that none is lost while the process works. Once the process has to end, a message that
/// finds no room in time is discarded and counted. The descriptor stays blocking, because other processes share it.
enum ErrorStream {
  /// A pipe that poll(2) reports as writable takes this many bytes without blocking.
  private static let piece = Int(PIPE_BUF)
  private static let tick = Duration.milliseconds(20)

  /// When waiting for room ends, in nanoseconds of the monotonic clock.
  private static let end = Atomic<Int64>(.max)
  /// How many messages were discarded since the last that was written.
  private static let discarded = Locked(0)

  /// Sets the time at which all waiting ends; the earliest counts.
  static func giveUp(at time: Instant) {
    end.min(time.nanoseconds, ordering: .relaxed)
  }

  static func write(_ bytes: UnsafeRawBufferPointer) {
    discarded.withLock { count in
      if count > 0 {
        guard put(Array("flow: \(count) messages were discarded\n".utf8)) else { return count += 1 }
        count = 0
      }
      if !put(bytes) { count += 1 }
    }
  }

  private static func put(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { put($0) } }

  /// Writes everything; false if there was no room in time.
  private static func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while position < bytes.count {
      guard awaitRoom() else { return false }
      let count = Glibc.write(
        2, bytes.baseAddress.map { $0 + position }, min(piece, bytes.count - position))
      if count < 0, errno != EINTR, errno != EAGAIN { return true }
      position += max(0, count)
    }
    return true
  }

  private static func awaitRoom() -> Bool {
    while true {
      if awaitDescriptors([.output(2)], for: tick)[0] { return true }
      if MonotonicClock.now.nanoseconds >= end.load(ordering: .relaxed) { return false }
    }
  }
}
