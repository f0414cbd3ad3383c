/// A lock around a value, with a condition: threads can wait until the value is as they want it.
///
/// Made of a `Platform.Monitor` because a `Mutex` has nothing to wait on. Deadlines are those of the monotonic clock.
package final class ConditionLock<Value: Sendable>: Sendable {
  private let monitor = Platform.Monitor()
  /// The address never changes, and what lies there is used under the monitor's lock.
  private nonisolated(unsafe) let place: UnsafeMutablePointer<Value>

  package init(_ value: Value) {
    place = .allocate(capacity: 1)
    place.initialize(to: value)
  }

  deinit {
    monitor.close()
    place.deinitialize(count: 1)
    place.deallocate()
  }

  /// Changes the value and wakes every thread that waits, or one where any of them will do.
  ///
  /// `body` runs under the lock: it must not call out to code that may block or take it again.
  package func change<Result>(wakingOne: Bool = false, _ body: (inout Value) -> Result) -> Result {
    monitor.lock()
    defer { monitor.unlock() }
    let result = body(&place.pointee)
    if wakingOne {
      monitor.wakeOne()
    } else {
      monitor.wakeAll()
    }
    return result
  }

  /// Asks `body` until it has an answer, once after each change; nil when the deadline comes first.
  ///
  /// `body` may change the value with its answer; unless `quietly`, that wakes the other threads that wait.
  package func wait<Result>(
    until deadline: Instant = .distantFuture, quietly: Bool = false, for body: (inout Value) -> Result?
  ) -> Result? {
    monitor.lock()
    defer { monitor.unlock() }
    while true {
      if let result = body(&place.pointee) {
        if !quietly { monitor.wakeAll() }
        return result
      }
      if !monitor.wait(until: deadline) { return body(&place.pointee) }
    }
  }
}

/// A wake-up for a sleeping thread: a ring that comes before the sleep is not lost.
final class Bell: Sendable {
  private let rings = ConditionLock(0)

  /// Lets one wait return: one that is under way, or the next.
  func ring() {
    rings.change(wakingOne: true) { $0 += 1 }
  }

  /// Sleeps until rung, or until the monotonic clock shows `deadline`; false then.
  @discardableResult
  func wait(until deadline: Instant? = nil) -> Bool {
    nil
      != rings.wait(until: deadline ?? .distantFuture, quietly: true) { rings -> Void? in
        if rings == 0 { return nil }
        rings -= 1
        return ()
      }
  }
}
