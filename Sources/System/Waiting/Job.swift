import Reactive

/// A piece of work on its own thread.
package final class Job {
  private let result = ConditionLock<Result<Void, FileFailure>?>(nil)

  /// Starts the work; if no thread can be created, does it at once.
  package init(_ work: @escaping @Sendable () throws(FileFailure) -> Void) {
    let run = { @Sendable [result] in
      let outcome = Result(catching: work)
      result.change { $0 = outcome }
    }
    if !startThread(named: "flow-job", run) { run() }
  }

  deinit { wait() }

  package var isDone: Bool { result.change { $0 != nil } }

  /// Why the work failed, once it has ended.
  package var failure: FileFailure? {
    if case .failure(let failure)? = result.change(\.self) { failure } else { nil }
  }

  /// Waits for the end of the work.
  package func wait() { _ = result.wait { $0 } }
}
