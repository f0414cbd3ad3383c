import System
import Reactive

/// The jobs of a pool that wait, and the threads that wait for jobs.
final class CommandLineUp: Sendable {
  private struct State: Sendable {
    var waiting: [CommandPool.Job] = []
    var running = 0
    var isClosed = false

    var isIdle: Bool { waiting.isEmpty && running == 0 }
  }

  /// How long a drain that has run out of time waits for what it has killed.
  private static let lastWait: Duration = .seconds(10)

  private let runner: CommandRunner
  private let capacity: Int
  private let report: CommandPool.Report
  private let state = Monitor(State())

  init(_ runner: CommandRunner, capacity: Int, _ report: @escaping CommandPool.Report) {
    self.runner = runner
    self.capacity = capacity
    self.report = report
  }

  func submit(_ job: CommandPool.Job) -> Bool {
    state.change { state in
      if state.isClosed || state.waiting.count >= capacity { return false }
      state.waiting.append(job)
      return true
    }
  }

  func waitForRoom(until deadline: Instant) -> Bool {
    state.wait(until: deadline) { state in
      if state.isClosed { return false }
      return state.waiting.count < capacity ? true : nil
    } ?? false
  }

  func drain(until deadline: Instant) -> Bool {
    state.change { $0.isClosed = true }
    if state.wait(until: deadline, for: { $0.isIdle ? true : nil }) == true { return !runner.stop.isSet }
    stop()
    _ = state.wait(until: SystemClock.now + Self.lastWait) { $0.isIdle ? true : nil }
    return false
  }

  func stop() {
    // In this order: the room that is made by passing jobs over is nobody's.
    state.change { $0.isClosed = true }
    runner.stop.set()
  }

  /// What a thread of the pool does: job after job, until there will be no more.
  func work() {
    while let job = next() {
      let (end, attempts) = runner.run(job)
      report(job.id, end, attempts)
      state.change { $0.running -= 1 }
    }
  }

  private func next() -> CommandPool.Job? {
    let answer: CommandPool.Job?? = state.wait { state in
      if state.waiting.isEmpty { return state.isClosed ? .some(nil) : nil }
      state.running += 1
      return state.waiting.removeFirst()
    }
    return answer ?? nil
  }
}
