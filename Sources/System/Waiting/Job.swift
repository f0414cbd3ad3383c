import Glibc
import Reactive

/// A piece of work on its own thread.
package final class Job {
  private let result: Result
  private let thread: pthread_t
  private var isJoined = false

  /// Outlives whichever of the two threads ends first.
  private final class Result: Sendable {
    let work: @Sendable () throws(FileFailure) -> Void
    let failure = Locked<FileFailure?>(nil)
    let isDone = Locked(false)
    init(_ work: @escaping @Sendable () throws(FileFailure) -> Void) { self.work = work }
  }

  /// Starts the work; if no thread can be created, does it at once.
  package init(_ work: @escaping @Sendable () throws(FileFailure) -> Void) {
    result = Result(work)
    var thread = pthread_t()
    let context = Unmanaged.passRetained(result).toOpaque()
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Job.run(Unmanaged<Result>.fromOpaque(context).takeRetainedValue())
        return nil
      }, context)
    self.thread = thread
    if code != 0 {
      Unmanaged<Result>.fromOpaque(context).release()
      isJoined = true
      Job.run(result)
    }
  }

  deinit { wait() }

  private static func run(_ result: Result) {
    do throws(FileFailure) {
      try result.work()
    } catch {
      result.failure.withLock { $0 = error }
    }
    result.isDone.withLock { $0 = true }
  }

  package var isDone: Bool { result.isDone.withLock { $0 } }

  /// Why the work failed, once it has ended.
  package var failure: FileFailure? { result.failure.withLock { $0 } }

  /// Waits for the end of the work.
  package func wait() {
    guard !isJoined else { return }
    isJoined = true
    pthread_join(thread, nil)
  }
}
