import CGlibc
import Glibc
import Reactive
import Synchronization

/// Raised once, from any thread, to end what waits for something else meanwhile.
///
/// An eventfd, since that can be waited for together with pipes and children.
final class StopSignal: Sendable {
  private let raised = Atomic<Bool>(false)
  private let event: Descriptor

  init() throws(SystemError) {
    let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard number >= 0 else { throw SystemError("eventfd") }
    event = Descriptor(owning: number)
  }

  /// Readable from the moment it is raised, and for ever after.
  var descriptor: Int32 { event.number }

  var isRaised: Bool { raised.load(ordering: .acquiring) }

  func raise() {
    if raised.exchange(true, ordering: .acquiringAndReleasing) { return }
    var one: UInt64 = 1
    _ = write(event.number, &one, 8)
  }

  /// Sleeps until raised, or until the time; whether it was raised.
  func wait(until deadline: Instant) -> Bool {
    while !isRaised {
      let now = SystemClock.now
      if now >= deadline { return false }
      var entry = pollfd(fd: event.number, events: Int16(POLLIN), revents: 0)
      _ = poll(&entry, 1, SystemClock.pollTimeout(from: now, until: deadline))
    }
    return true
  }
}
