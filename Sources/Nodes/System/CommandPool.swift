import System
import Engine
import Language
import Reactive

/// Runs commands for others, so many at a time, trying again those that fail.
///
/// ```
/// let pool = CommandPool(concurrency: 2, attempts: 3) { id, end, attempts in … }
/// while !pool.submit(job) { guard pool.waitForRoom() else { break } }
/// pool.drain(until: deadline)
/// ```
/// With one at a time they run, and are tried again, strictly in the order they came in. Every job that was taken is
/// reported once, on a thread of the pool; those that a stop came before are reported as stopped, after no attempt.
/// Letting go of the pool stops it.
final class CommandPool: Sendable {
  /// One command to be run.
  struct Job: Sendable {
    typealias ID = Int64

    var id: ID
    var command: ChildCommand
    var input: [UInt8] = []
    /// Set on top of the command's own variables.
    var environment: [String: String] = [:]
    /// How often it was tried before it came here, and how long it is to wait.
    var attempts = 0
    var delay = Duration.zero
  }

  /// How many times it was started, or tried to be, comes last.
  typealias Report = @Sendable (Job.ID, ChildEnd, Int) -> Void
  typealias ErrorLine = @Sendable (Job.ID, String) -> Void
  /// What one attempt printed, and how many bytes more than were to be captured.
  typealias Output = @Sendable (Job.ID, [UInt8], Int) -> Void
  /// A job was tried in vain so often, and will be tried again after a while.
  typealias Retry = @Sendable (Job.ID, Int, Duration) -> Void

  private let line: CommandLineUp

  /// Starts the threads.
  ///
  /// - Parameters:
  ///   - capacity: How many jobs may wait, beside those that run.
  ///   - attempts: How often a job is run at most, `patience` saying what lies between.
  ///   - onErrorLine: What a command prints on its standard error, on a thread of the pool.
  ///   - onRetry: That a job is to be tried again, on a thread of the pool.
  ///   - onOutput: What a command printed that was to be captured, on a thread of the pool, after each attempt.
  init(
    concurrency: Int = 1, capacity: Int = 64, attempts: Int = 1, patience: Backoff = Backoff(),
    onErrorLine: @escaping ErrorLine = { _, _ in }, onRetry: @escaping Retry = { _, _, _ in },
    onOutput: @escaping Output = { _, _, _ in },
    report: @escaping Report
  ) {
    let runner = CommandRunner(
      stop: StopSign(), attempts: max(1, attempts), patience: patience, onErrorLine: onErrorLine,
      onRetry: onRetry, onOutput: onOutput)
    line = CommandLineUp(runner, capacity: max(1, capacity), report)
    for _ in 0..<max(1, concurrency) {
      let thread = SerialScheduler(name: "flow-exec")
      thread.perform { [line] in
        line.work()
        thread.stop()  // and held until here: a scheduler nobody holds does nothing more
      }
    }
  }

  deinit {
    line.stop()
  }

  /// Takes a job in; false when as many wait as may, or the pool is being stopped.
  func submit(_ job: Job) -> Bool { line.submit(job) }

  /// Waits until a job would be taken in; false if there will be no more, or not by the time.
  ///
  /// Another thread may be faster to use the room.
  func waitForRoom(until deadline: Instant = .distantFuture) -> Bool { line.waitForRoom(until: deadline) }

  /// Takes no more in and waits for the end of what it has; at the time, kills what is left.
  ///
  /// - Returns: Whether everything ran. Either way all is reported, unless a report itself takes seconds.
  @discardableResult
  func drain(until deadline: Instant) -> Bool { line.drain(until: deadline) }

  /// Takes no more in, kills what runs and passes over what waits; does not wait for the reports of that.
  func stop() { line.stop() }
}
