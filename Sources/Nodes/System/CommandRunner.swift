import System
import Engine
import Language
import Reactive
import Store

/// Runs one job after the other on whatever thread asks, trying again those that fail.
struct CommandRunner: Sendable {
  let stop: StopSign
  let attempts: Int
  let patience: Backoff
  let onErrorLine: CommandPool.ErrorLine
  let onRetry: CommandPool.Retry
  let onOutput: CommandPool.Output

  /// Runs a job until it succeeds, or is not to be tried again; how its last run ended, and how many there were.
  func run(_ job: CommandPool.Job) -> (end: ChildEnd, attempts: Int) {
    var attempt = job.attempts
    if job.delay > .zero { stop.wait(seconds: job.delay.inSeconds) }
    while true {
      if stop.isSet { return (.stopped, attempt) }
      attempt += 1
      crashPoint("command.starting")
      let result = job.command.run(input: job.input, environment: job.environment, stop: stop) { line in
        onErrorLine(job.id, line)
      }
      crashPoint("command.ended")
      if !result.output.isEmpty { onOutput(job.id, result.output, result.outputLost) }
      let end = result.end
      guard end.isWorthRetrying, attempt < attempts,
        let delay = patience.delay(beforeRetry: attempt - 1, after: end)
      else { return (end, attempt) }
      onRetry(job.id, attempt, delay)
      crashPoint("command.waits to be tried again")
      stop.wait(seconds: delay.inSeconds)
    }
  }
}
