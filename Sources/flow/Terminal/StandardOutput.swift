import Engine
import Glibc
import JSON
import Reactive
import System

/// The standard output of commands: a failed write is remembered, and becomes a line and the exit status at the end.
///
/// So `flow docs > page` on a full disk does not end as if the page were whole. A reader that has gone is no failure.
enum StandardOutput {
  /// The error of the first write that failed.
  private static let failure = Locked<Int32?>(nil)

  /// Writes everything; false if that fails, now or before.
  static func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if failure.withLock({ $0 }) != nil { return false }
    if Terminal.writeAll(1, bytes) { return true }
    let reason = errno
    failure.withLock { $0 = reason }
    return false
  }

  static func write(_ text: String) -> Bool {
    var copy = text
    return copy.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  /// A buffer for it.
  static var buffer: Output { Output { write($0) } }

  /// The exit status of a command: its own, unless it was done and its output could not be written.
  static func end(_ status: Int32, failed: Int32 = ExitStatus.failed) -> Int32 {
    let reason = failure.withLock { reason in
      defer { reason = nil }
      return reason
    }
    guard let reason, reason != EPIPE else { return status }
    Terminal.complain("flow: standard output cannot be written: \(systemReason(reason))\n")
    return status == ExitStatus.done ? failed : status
  }
}
