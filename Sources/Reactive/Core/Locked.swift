import Synchronization

/// A value behind a lock; `Mutex`, with what the thread sanitizer needs to see that it is one.
///
/// A `Mutex` that has to wait does so inside a library the sanitizer does not look into, so each value handed from
/// thread to thread that way is reported as a race. An acquiring load and a releasing store of our own around the
/// access repeat that where it can see them, at the price of two plain instructions.
package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
  private let mutex: Mutex<Value>
  private let handOver = Atomic<Bool>(false)

  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Calls `body` with the value, one caller at a time.
  ///
  /// Never call out to others' code from there.
  @inline(__always)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { value throws(Failure) in
      _ = handOver.load(ordering: .acquiring)
      defer { handOver.store(true, ordering: .releasing) }
      return try body(&value)
    }
  }
}
