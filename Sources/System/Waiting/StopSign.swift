import Reactive
import Synchronization

/// A signal to stop for a thread that waits for input: a flag, and a descriptor to wait for.
public final class StopSign: Sendable {
  private let flag = Atomic<Bool>(false)
  /// Made for the first that asks: with a source each, a thousand of them would be all that a process may have.
  private let wakeUp = Locked<WakeUp?>(nil)
  /// Ends once the sign is set, for work that waits without a thread.
  public let ending = Subscription()

  public init() {}

  /// Readable once the sign is set, to be waited for together with others; -1 if there is none.
  public var descriptor: Int32 {
    wakeUp.withLock { wakeUp in
      if let wakeUp { return wakeUp.descriptor }
      let new = WakeUp()
      wakeUp = new
      if isSet { new.ring() }
      return new.descriptor
    }
  }

  public var isSet: Bool { flag.load(ordering: .acquiring) }

  public func set() {
    flag.store(true, ordering: .releasing)
    wakeUp.withLock { $0?.ring() }
    ending.dispose()
  }

  /// Waits until the sign is set or the time is over; returns whether it is set.
  @discardableResult
  public func wait(seconds: Double) -> Bool {
    if isSet { return true }
    awaitDescriptors([.input(descriptor)], for: .seconds(min(max(0, seconds), 1e9)))
    return isSet
  }
}
