import Reactive
import Synchronization

/// The threads that run the tasks of a partition, beside the caller's, which waits until all are done.
final class TaskThreads: Sendable {
  /// One round: the pieces are numbered, and each thread takes the next.
  private final class Work: Sendable {
    let body: @Sendable (Int) -> Void
    private let count: Int
    private let next = Atomic<Int>(0)
    private let left: Atomic<Int>

    init(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
      self.count = count
      self.body = body
      left = Atomic(count)
    }

    /// Returns whether this thread has done the last piece.
    func join() -> Bool {
      var isLast = false
      while case let piece = next.add(1, ordering: .relaxed).oldValue, piece < count {
        body(piece)
        isLast = left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
      }
      return isLast
    }

    var isDone: Bool { left.load(ordering: .acquiring) == 0 }
  }

  private let threads: [any Scheduler]
  private let done = ConditionLock(0)

  /// Up to so many threads beside the caller's, as many as are free.
  init(_ count: Int, of schedulers: RunSchedulers) {
    threads = (0..<count).map { _ in schedulers.makeLane() }
  }

  /// Calls `body` with each number below `count`, on all threads; returns when all of it is done.
  func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let work = Work(count, body)
    for thread in threads.prefix(count - 1) {
      thread.perform { [done] in
        if work.join() { done.change { $0 += 1 } }
      }
    }
    if work.join() { return }
    _ = done.wait(quietly: true) { _ in work.isDone ? () : nil }
  }
}
