import CGlibc
import Glibc

/// Ends a wait for a file, from any thread and for good.
final class StopSignal: Sendable {
  private let event: Descriptor

  init() throws(FileFailure) {
    event = Descriptor(owning: eventfd(0, flow_eventfd_flags))
    guard event.number >= 0 else { throw FileFailure("eventfd", trying: "open") }
  }

  func stop() { eventfd_write(event.number, 1) }

  /// Becomes readable with `stop()`, and stays so.
  var number: Int32 { event.number }

  var isStopped: Bool {
    var ready = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    return poll(&ready, 1, 0) > 0
  }
}
