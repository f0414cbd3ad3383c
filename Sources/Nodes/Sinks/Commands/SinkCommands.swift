import Pipeline
import Reactive

/// The commands that a sink has run for its events: a pool runs them, and what comes of them is dealt with on the lane.
///
/// The sink hands `wake` and `endTurn` on to this.
final class SinkCommands {
  /// What becomes of what a command prints.
  enum Output: String, CaseIterable, Sendable { case log, discard, stdout }

  /// How commands are run.
  struct Manner {
    var concurrency = 1
    var queue = 64
    var attempts = 1
    var backoff = Duration.seconds(1)
    var output = Output.log
  }

  /// How long the lane waits at a time before it looks whether the pipeline must end.
  private static let patience = Duration.milliseconds(50)

  private let context: SinkContext
  private let pool: CommandPool
  private let returns: CommandReturns
  private var lastID: CommandPool.Job.ID = 0
  /// What is under way, or waits.
  private var jobs: [CommandPool.Job.ID: (name: String, event: Pipeline.Event?)] = [:]
  /// In virtual time nothing may be under way between two turns.
  private let isVirtual: Bool

  init(_ manner: Manner, _ context: SinkContext) {
    self.context = context
    let (log, returns) = (context.log, CommandReturns(context.alarm))
    self.returns = returns
    isVirtual = context.lane.scheduler is VirtualScheduler
    let isLogged = manner.output == .log
    pool = CommandPool(
      concurrency: manner.concurrency, capacity: manner.queue, attempts: manner.attempts,
      patience: Backoff(initial: manner.backoff, random: context.lane.world.random),
      onErrorLine: { _, line in log.notice(line) },
      onOutput: { _, bytes, lost in
        if isLogged {
          Self.lines(bytes, lost) { log.notice($0) }
        } else {
          returns.output(bytes, lost: lost)
        }
      },
      report: { id, end, attempts in returns.end(id, end, attempts) })
  }

  /// Has a command run for an event, waiting as long as there is no room for one more.
  func run(
    _ command: ChildCommand, input: [UInt8] = [], environment: [String: String] = [:],
    for event: Pipeline.Event?
  ) throws {
    lastID += 1
    let job = CommandPool.Job(id: lastID, command: command, input: input, environment: environment)
    jobs[job.id] = (command.arguments.first ?? "", event)
    returns.expect()
    while !pool.submit(job) {
      if context.stop.isSet {
        returns.expectNoMore()
        fail(job.id, .stopped, 0)
        return
      }
      _ = pool.waitForRoom(until: SystemClock.now + Self.patience)
      try collect()
    }
  }

  func wake() throws { try collect() }

  func endTurn() throws {
    if isVirtual { try wait(until: .distantFuture) }
  }

  /// Waits for everything until the deadline, by the lane's clock; then kills what is left.
  func finish(by deadline: Instant) throws {
    try wait(until: SystemClock.now + (deadline - context.lane.scheduler.now))
    pool.drain(until: SystemClock.now)
    try collect()
  }

  private func wait(until deadline: Instant) throws {
    while !context.stop.isSet, SystemClock.now < deadline {
      let isDone = returns.waitForAll(until: min(deadline, SystemClock.now + Self.patience))
      try collect()
      if isDone { return }
    }
  }

  private func collect() throws {
    let returned = returns.take()
    for (id, end, attempts) in returned.ends {
      if end.isSuccess { jobs[id] = nil } else { fail(id, end, attempts) }
    }
    for (bytes, lost) in returned.outputs {
      if lost > 0 { context.log.warning("of what a command printed \(roughSize(lost)) were let go") }
      let isTerminal = context.screen.isTerminal
      // It may have been made of data.
      let shown = isTerminal ? Array(printableLines(String(decoding: bytes, as: UTF8.self)).utf8) : bytes
      try context.screen.write(shown)
    }
  }

  private func fail(_ id: CommandPool.Job.ID, _ end: ChildEnd, _ attempts: Int) {
    guard let job = jobs.removeValue(forKey: id) else { return }
    context.errors.report(CommandFailed(name: job.name, end: end, attempts: attempts), job.event)
  }

  private static func lines(_ bytes: [UInt8], _ lost: Int, _ tell: (String) -> Void) {
    var lines = ErrorLines()
    bytes.withUnsafeBytes { lines.take($0, tell) }
    lines.end(tell)
    if lost > 0 { tell("… \(roughSize(lost)) more not shown") }
  }
}

extension SinkCommands.Output {
  /// How much of it is kept for whoever is shown it.
  var capture: ChildCommand.Output {
    switch self {
    case .log: .captured(limit: ErrorLines.mostBytes)
    case .stdout: .captured(limit: 1 << 20)
    case .discard: .discarded
    }
  }
}
