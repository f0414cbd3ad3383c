import CGlibc
import Glibc
import Reactive
import Synchronization

/// A signal to stop for a thread that waits for input: a flag, and a descriptor to wait for.
public final class StopSign: Sendable {
  private let flag = Atomic<Bool>(false)
  /// Readable once the sign is set, for `poll(2)` together with other descriptors; -1 if there is none.
  public let descriptor: Int32
  /// Ends once the sign is set, for work that waits without a thread.
  public let ending = Subscription()

  public init() { descriptor = flow_eventfd() }

  deinit { if descriptor >= 0 { close(descriptor) } }

  public var isSet: Bool { flag.load(ordering: .acquiring) }

  public func set() {
    flag.store(true, ordering: .releasing)
    var one: UInt64 = 1
    if descriptor >= 0 { _ = write(descriptor, &one, 8) }
    ending.dispose()
  }

  /// Waits until the sign is set or the time is over; returns whether it is set.
  @discardableResult
  public func wait(seconds: Double) -> Bool {
    if isSet { return true }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, descriptor >= 0 ? 1 : 0, Int32(min(max(0, seconds * 1000), 1e9).rounded(.up)))
    return isSet
  }
}
