import Synchronization

/// A task executor over a scheduler: what a task does between two suspensions is a piece of the scheduler's work.
///
/// It goes for the closure, the actors without an executor of their own that it calls, and its child tasks.
package final class SchedulerExecutor: TaskExecutor {
  private let scheduler: any Scheduler

  package init(_ scheduler: any Scheduler) {
    self.scheduler = scheduler
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let piece = Piece(UnownedJob(job))
    scheduler.perform { [self] in piece.run(on: self) }
  }

  /// A job, run once: one that a stopped scheduler discards runs on the threads of all tasks, so that its task ends.
  private final class Piece: Sendable {
    private let job: UnownedJob
    private let wasRun = Atomic<Bool>(false)

    init(_ job: UnownedJob) {
      self.job = job
    }

    deinit {
      if !wasRun.load(ordering: .acquiring) { globalConcurrentExecutor.enqueue(job) }
    }

    func run(on executor: SchedulerExecutor) {
      wasRun.store(true, ordering: .releasing)
      job.runSynchronously(on: executor.asUnownedTaskExecutor())
    }
  }
}

extension Subscription {
  /// Runs `work` as a task, on a scheduler or on the threads of all tasks.
  ///
  /// The end of this subscription cancels it, and so does that of the scheduler; `work` receives the subscription that
  /// ends then, after which it must emit nothing, and the task as a sender, which it must `settle` after each element.
  func run(on scheduler: (any Scheduler)?, _ work: @escaping @Sendable (Subscription, Sender) async -> Void) {
    let child = child()
    if child.isDisposed { return }
    let task = Task(executorPreference: scheduler.map { SchedulerExecutor($0) }) {
      if !child.isDisposed { await Sender.run { await work(child, $0) } }
      child.dispose()
    }
    child.onDispose { task.cancel() }
    scheduler?.lifetime?.adopt(child)
  }
}

extension Scheduler {
  /// Suspends the calling task until the scheduler's clock shows `deadline`; throws when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let sleep = Subscription()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        sleep.onDispose { continuation.resume() }
        let timer = schedule(at: deadline) { sleep.dispose() }
        sleep.onDispose { timer.dispose() }
      }
    } onCancel: {
      sleep.dispose()
    }
    try Task.checkCancellation()
  }
}
