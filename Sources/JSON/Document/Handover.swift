import Synchronization

/// Says, where the thread sanitizer can see it, that what a lock guards has passed from one thread to another.
///
/// A `Mutex` that has to wait does so inside a library the sanitizer does not look into, and what it guards is then
/// reported as a race. `receive()` first thing under the lock and `release()` last cost two plain instructions.
struct Handover: ~Copyable {
  private let flag = Atomic<Bool>(false)

  func receive() { _ = flag.load(ordering: .acquiring) }
  func release() { flag.store(true, ordering: .releasing) }
}
