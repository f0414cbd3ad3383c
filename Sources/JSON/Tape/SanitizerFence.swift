import Synchronization

/// A fence that shows the thread sanitizer that a lock ordered two accesses.
///
/// A `Mutex` that has to wait does so inside a library that is not instrumented, and the sanitizer then reports a
/// race on the state that it guards. `receive()` first under the lock and `release()` last cost two plain
/// instructions.
///
///     lock.withLock { state in
///       fence.receive()
///       defer { fence.release() }
///       return state.count
///     }
struct SanitizerFence: ~Copyable {
  private let flag = Atomic<Bool>(false)

  func receive() { _ = flag.load(ordering: .acquiring) }
  func release() { flag.store(true, ordering: .releasing) }
}
