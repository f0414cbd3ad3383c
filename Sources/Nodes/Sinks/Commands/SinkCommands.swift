import System
import Engine
import Language
import Reactive
import Store

/// The commands that a sink has run for its events: a pool runs them, and what comes of them is dealt with on the lane.
///
/// Where the pipeline has state, a command waits in the sink's outbox until it has done what it was to do: through
/// restarts, and its retries too. The sink hands on to this whatever it is told as a sink.
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
    var timeout = Duration.seconds(10)
  }

  /// What is under way, or waits for its turn in the pool.
  private struct Work {
    let name: String
    let event: Engine.Event?
    var entry: OutboxEntry?
  }

  /// How long the lane waits at a time before it looks whether the pipeline must end.
  private static let patience = Duration.milliseconds(50)

  private let context: SinkContext
  private let manner: Manner
  private let pool: CommandPool
  private let returns: CommandReturns
  private var lastID: CommandPool.Job.ID = 0
  private var work: [CommandPool.Job.ID: Work] = [:]
  private var ids: EventIDs
  /// What the end of the pipeline has left for the next run.
  private var cutShort = 0
  /// In virtual time nothing may be under way between two turns.
  private let isVirtual: Bool

  init(_ manner: Manner, _ context: SinkContext) {
    self.context = context
    self.manner = manner
    ids = EventIDs(pipeline: context.pipeline, sink: context.name)
    let (log, returns) = (context.log, CommandReturns(context.alarm))
    self.returns = returns
    isVirtual = context.lane.scheduler is VirtualScheduler
    let isLogged = manner.output == .log
    pool = CommandPool(
      concurrency: manner.concurrency, capacity: manner.queue, attempts: manner.attempts,
      patience: Backoff(initial: manner.backoff, random: context.lane.world.random),
      onErrorLine: { _, line in log.notice(line) },
      onRetry: { id, attempts, delay in returns.retry(id, attempts, delay) },
      onOutput: { _, bytes, lost in
        if isLogged {
          Self.lines(bytes, lost) { log.notice($0) }
        } else {
          returns.output(bytes, lost: lost)
        }
      },
      report: { id, end, attempts in returns.end(id, end, attempts) })
  }

  /// Has a command run for an event: when the epoch has been kept, or, without state, as soon as there is room.
  func run(_ command: KeptCommand) throws {
    if let outbox = context.outbox { return outbox.put(command.stored, id: try outbox.nextID()) }
    try submit(command, id: ids.next(at: context.lane.now), nil)
  }

  /// Has the commands run that wait in the outbox.
  func run(_ entries: [OutboxEntry]) throws {
    for entry in entries {
      guard let command = KeptCommand(stored: entry.bytes) else {
        context.outbox?.bury(entry, reason: "it is no command of this sink")
        continue
      }
      try submit(command, id: entry.id, entry)
    }
    try endTurn()
  }

  private func submit(_ command: KeptCommand, id: String, _ entry: OutboxEntry?) throws {
    lastID += 1
    var job = CommandPool.Job(
      id: lastID,
      command: ChildCommand(
        arguments: command.arguments, output: manner.output.capture, timeout: manner.timeout))
    job.input = command.bytes
    job.environment = environment(command, id: id)
    job.attempts = entry?.attempts ?? 0
    if let due = entry?.due, due > 0 { job.delay = .seconds(max(0, due - context.lane.world.wallClock())) }
    work[job.id] = Work(name: command.arguments.first ?? "", event: command.event, entry: entry)
    crashPoint("command.handed in")
    returns.expect()
    while !pool.submit(job) {
      if context.stop.isSet {
        returns.expectNoMore()
        return fail(job.id, .stopped, 0)
      }
      _ = pool.waitForRoom(until: SystemClock.now + Self.patience)
      try collect()
    }
  }

  private func environment(_ command: KeptCommand, id: String) -> [String: String] {
    var environment = [
      "FLOW_PIPELINE": context.pipeline, "FLOW_SINK": context.name,
      "FLOW_SOURCE": command.event?.poll.source ?? "",
      "FLOW_POLL": command.event.flatMap { $0.poll.number > 0 ? "\($0.poll.number)" : nil } ?? "",
      "FLOW_EVENT_ID": id,
    ]
    environment.merge(command.environment) { _, own in own }
    return environment
  }

  func wake() throws { try collect() }

  func endTurn() throws {
    if isVirtual { try wait(until: .distantFuture) }
  }

  /// Waits for everything until the deadline, by the scheduler's clock; then kills what is left.
  func finish(by deadline: Instant) throws {
    try wait(until: context.machineTime(of: deadline))
    pool.drain(until: SystemClock.now)
    try collect()
    if cutShort > 0 {
      context.log.notice(
        "\(cutShort == 1 ? "a command was" : "\(cutShort) commands were") cut short; the next run begins "
          + "\(cutShort == 1 ? "it" : "them") again")
    }
    cutShort = 0
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
    for (id, attempts, delay) in returned.retries {
      work[id]?.entry?.attempts = attempts
      work[id]?.entry?.due = context.lane.world.wallClock() + delay.inSeconds
      if let entry = work[id]?.entry { context.outbox?.retry(entry) }
      crashPoint("command.retry noted")
    }
    for (id, end, attempts) in returned.ends {
      if end.isSuccess { succeed(id) } else { fail(id, end, attempts) }
    }
    for (bytes, lost) in returned.outputs {
      if lost > 0 { context.log.warning("of what a command printed \(roughSize(lost)) were let go") }
      let isTerminal = context.screen.isTerminal
      // It may have been made of data.
      let shown = isTerminal ? Array(printableLines(String(decoding: bytes, as: UTF8.self)).utf8) : bytes
      try context.screen.write(shown)
    }
  }

  private func succeed(_ id: CommandPool.Job.ID) {
    if let entry = work.removeValue(forKey: id)?.entry { context.outbox?.remove(entry.place) }
    crashPoint("command.success noted")
  }

  private func fail(_ id: CommandPool.Job.ID, _ end: ChildEnd, _ attempts: Int) {
    guard let work = work.removeValue(forKey: id) else { return }
    let failure = CommandFailed(name: work.name, end: end, attempts: attempts)
    if var entry = work.entry {
      // What was cut short is there for the next run, which tries it again.
      if end == .stopped {
        cutShort += 1
        return
      }
      entry.attempts = attempts
      context.outbox?.bury(entry, reason: "\(failure)")
    }
    context.errors.report(failure, work.event)
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
