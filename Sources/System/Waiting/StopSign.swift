import CGlibc
import Glibc
import Reactive
import Synchronization

/// A signal to stop for a thread that waits for input: a flag, and a descriptor to wait for.
public final class StopSign: Sendable {
  private let flag = Atomic<Bool>(false)
  /// Made for the first that asks: with a source each, a thousand of them would be all that a process may have.
  private let made = Locked<Int32?>(nil)
  /// Ends once the sign is set, for work that waits without a thread.
  public let ending = Subscription()

  public init() {}

  deinit { if let descriptor = made.withLock({ $0 }), descriptor >= 0 { close(descriptor) } }

  /// Readable once the sign is set, for `poll(2)` together with other descriptors; -1 if there is none.
  public var descriptor: Int32 {
    made.withLock { made in
      if let made { return made }
      let new = flow_eventfd()
      made = new
      if isSet { Self.ring(new) }
      return new
    }
  }

  private static func ring(_ descriptor: Int32) {
    var one: UInt64 = 1
    if descriptor >= 0 { _ = write(descriptor, &one, 8) }
  }

  public var isSet: Bool { flag.load(ordering: .acquiring) }

  public func set() {
    flag.store(true, ordering: .releasing)
    made.withLock { if let descriptor = $0 { Self.ring(descriptor) } }
    ending.dispose()
  }

  /// Waits until the sign is set or the time is over; returns whether it is set.
  @discardableResult
  public func wait(seconds: Double) -> Bool {
    if isSet { return true }
    let descriptor = descriptor
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, descriptor >= 0 ? 1 : 0, Int32(min(max(0, seconds * 1000), 1e9).rounded(.up)))
    return isSet
  }
}
