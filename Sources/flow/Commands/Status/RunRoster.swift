import Engine
import Glibc
import Language
import Reactive
import Store

/// The roster of a process: its pipelines, those that wait for room too, and a snapshot of all of them.
final class RunRoster: RunMonitor {
  private struct State {
    var runs: [PipelineRun] = []
    /// Pipelines without a run: they wait for room, or could not start.
    var others: [PipelineStatus] = []
    /// The taps, which stay attached when a pipeline is reloaded.
    var taps: [(tap: EventTap, pipeline: String, nodes: Set<String>?)] = []
    var worker: WorkerStatus?
  }

  /// How long all lanes together may take to answer, and each one at least.
  private static let timeout = (all: Duration.seconds(2), each: Duration.milliseconds(100))

  private let state = Locked(State())
  private let simulation: String?
  private let budgets: @Sendable () -> [BudgetStatus]
  private let secrets: RunSecrets
  private let wallClock: @Sendable () -> Double

  init(
    simulation: String?, hiding secrets: RunSecrets, budgets: @escaping @Sendable () -> [BudgetStatus],
    wallClock: @escaping @Sendable () -> Double
  ) {
    self.simulation = simulation
    self.secrets = secrets
    self.budgets = budgets
    self.wallClock = wallClock
  }

  func add(_ run: PipelineRun) {
    state.withLock { state in
      state.others.removeAll { $0.name == run.plan.name }
      state.runs.append(run)
      for entry in state.taps where entry.pipeline == run.plan.name { run.attach(entry.tap, to: entry.nodes) }
    }
  }

  /// Notes the status of the worker that this process is.
  func note(_ worker: WorkerStatus) { state.withLock { $0.worker = worker } }

  /// Removes a run that another takes the place of.
  func remove(_ run: PipelineRun) {
    state.withLock { state in state.runs.removeAll { $0 === run } }
  }

  /// Attaches a tap to nodes of a pipeline, or to all of them.
  func attach(_ tap: EventTap, to pipeline: String, _ nodes: Set<String>?) {
    state.withLock { state in
      state.taps.append((tap, pipeline, nodes))
      for run in state.runs where run.plan.name == pipeline { run.attach(tap, to: nodes) }
    }
  }

  func detach(_ tap: EventTap) {
    state.withLock { state in
      state.taps.removeAll { $0.tap === tap }
      for run in state.runs { run.detach(tap) }
    }
  }

  /// Whether the pipelines have ended, and nothing takes their place at this moment.
  func haveEnded(_ pipelines: Set<String>) -> Bool {
    let (runs, others) = state.withLock { ($0.runs, $0.others) }
    return pipelines.allSatisfy { name in
      let phases = others.filter { $0.name == name }.map(\.phase.isOver)
      let ends = phases + runs.filter { $0.plan.name == name }.map(\.isOver)
      return !ends.isEmpty && ends.allSatisfy { $0 }
    }
  }

  /// The plan of a pipeline that runs, and what must be redacted in what is shown of it.
  func plan(of pipeline: String) -> (plan: Plan, secrets: Secrets)? {
    run(pipeline).map { ($0.plan, secrets.present) }
  }

  /// Polls a source now, besides its schedule; false where it is not polled, or does not run.
  func poll(_ source: String, of pipeline: String) -> Bool { run(pipeline)?.poll(source) ?? false }

  func heldKeys(of node: String, in pipeline: String) -> [HeldKey] { run(pipeline)?.heldKeys(of: node) ?? [] }

  func deadLetters(of sink: String, in pipeline: String) -> [DeadLetterStatus] {
    run(pipeline)?.deadLetters(of: sink) ?? []
  }

  /// Retries or drops dead letters, all of the node without numbers; false where the pipeline does not run.
  func resolve(_ letters: Set<Int64>?, of sink: String, in pipeline: String, by way: DeadLetterEnd) -> Bool {
    run(pipeline)?.resolve(letters, of: sink, by: way) ?? false
  }

  /// The outcome of the last rows with a key, as lines, the latest first; nil where the pipeline keeps no trace.
  func why(_ key: String, of pipeline: String) -> [String]? {
    // The trace outlives the run.
    let run = state.withLock { state in state.runs.last { $0.plan.name == pipeline } }
    guard let run, let path = run.statePath else { return nil }
    return WhyNotCommand.lines(of: KeyText(key), run.plan, state: path, hiding: secrets.present)
  }

  private func run(_ pipeline: String) -> PipelineRun? {
    state.withLock { state in state.runs.last { $0.plan.name == pipeline && !$0.isOver } }
  }

  /// The nodes of a pipeline; nil where none of that name runs.
  func nodes(of pipeline: String) -> [String]? { run(pipeline)?.meters.map(\.name) }

  /// Notes a pipeline that waits for room for its state, or could not start.
  func note(_ plan: Plan, _ phase: PipelineStatus.Phase, _ error: any Error) {
    var status = PipelineStatus(name: plan.name, path: plan.path, phase: phase, started: wallClock())
    status.error = "\(error)"
    state.withLock { [status] state in
      state.others.removeAll { $0.name == plan.name }
      state.others.append(status)
    }
  }

  /// The status of pipelines as far as it is known without waiting for their lanes.
  func outlines() -> [PipelineStatus] {
    let (runs, others) = state.withLock { ($0.runs, $0.others) }
    return (runs.map { $0.outline() } + others).map(shown)
  }

  /// A snapshot of the process; not to be called on a lane.
  func status() -> RunStatus {
    let (runs, others) = state.withLock { ($0.runs, $0.others) }
    let end = MonotonicClock.now + Self.timeout.all
    let pipelines = runs.map { $0.status(within: max(Self.timeout.each, end - MonotonicClock.now)) } + others
    var status = RunStatus(
      process: Int(getpid()), version: VersionCommand.version, at: wallClock(),
      pipelines: pipelines.map(shown))
    status.budgets = budgets()
    status.worker = state.withLock { $0.worker }
    return status
  }

  /// Calls `receive` with the status of all pipelines, on the last lane that answers: never where one hangs.
  func collect(_ receive: @escaping @Sendable ([PipelineStatus]) -> Void) {
    let (runs, others) = state.withLock { ($0.runs, $0.others) }
    let live = runs.filter { !$0.isOver }
    let answers = Locked(runs.filter(\.isOver).map { $0.status() } + others)
    let expected = runs.count + others.count
    if live.isEmpty { return receive(answers.withLock { $0 }) }
    for run in live {
      run.report { status in
        let pipelines = answers.withLock { answers in
          answers.append(status)
          return answers
        }
        if pipelines.count == expected { receive(pipelines) }
      }
    }
  }

  /// The answers of pipelines.
  enum Gathered: Sendable {
    case all([Unacknowledged])
    /// These did not answer in time, and may do what was asked later.
    case late(pipelines: [String])
    /// One could not commit what was asked.
    case uncommitted
  }

  /// The notifications that are repeated until they are acknowledged, of all pipelines.
  func unacknowledged() -> Gathered {
    gather { run, receive in run.reportUnacknowledged { receive($0) } }
  }

  /// Acknowledges keys in all pipelines: what was repeated with them.
  func acknowledge(_ keys: Set<String>) -> Gathered {
    gather { run, receive in run.acknowledge(keys, to: receive) }
  }

  /// The notifications that a sink repeats until they are acknowledged, none where its pipeline does not run; nil where
  /// it does not answer.
  func repeated(by sink: String, in pipeline: String) -> [Unacknowledged]? {
    let found = gather(in: pipeline) { run, receive in run.reportUnacknowledged { receive($0) } }
    guard case .all(let entries) = found else { return nil }
    return entries.filter { $0.sink == sink }
  }

  /// Acknowledges a key in a pipeline; false where no sink repeats it, or that could not be committed in time.
  func acknowledge(_ key: String, in pipeline: String) -> Bool {
    guard
      case .all(let found) = gather(
        in: pipeline, { run, receive in run.acknowledge([key], to: receive) })
    else { return false }
    return !found.isEmpty
  }

  /// Collects what pipelines, or one of them, answer in time.
  private func gather(
    in pipeline: String? = nil,
    _ ask: (PipelineRun, @escaping @Sendable ([Unacknowledged]?) -> Void) -> Void
  ) -> Gathered {
    let runs = state.withLock { state in
      state.runs.filter { !$0.isOver && (pipeline == nil || $0.plan.name == pipeline) }
    }
    let end = MonotonicClock.now + Self.timeout.all
    let answers = runs.map { run in
      let answer = ConditionLock<[Unacknowledged]??>(nil)
      ask(run) { found in answer.change { $0 = .some(found) } }
      return answer
    }
    var (all, late, isCommitted): ([Unacknowledged], [String], Bool) = ([], [], true)
    for (run, answer) in zip(runs, answers) {
      let found = answer.wait(until: max(end, MonotonicClock.now + Self.timeout.each)) { $0 }
      switch found {
      case .some(let found?): all += found
      case .some(nil): isCommitted = false
      case nil: late.append(run.plan.name)
      }
    }
    if !isCommitted { return .uncommitted }
    return late.isEmpty ? .all(all) : .late(pipelines: late)
  }

  /// The last status of a pipeline that has ended.
  func status(of run: PipelineRun) -> PipelineStatus { shown(run.status()) }

  /// Without secrets, which errors may contain.
  private func shown(_ pipeline: PipelineStatus) -> PipelineStatus {
    var pipeline = pipeline
    pipeline.simulation = simulation
    pipeline.error = pipeline.error.map(secrets.masked)
    for index in pipeline.sources.indices {
      let source = pipeline.sources[index]
      pipeline.sources[index].error = source.error.map(secrets.masked)
      if let reason = source.failure?.reason {
        pipeline.sources[index].failure?.reason = secrets.masked(reason)
      }
      if let reason = source.wait?.reason { pipeline.sources[index].wait?.reason = secrets.masked(reason) }
    }
    if let reason = pipeline.standstill?.reason { pipeline.standstill?.reason = secrets.masked(reason) }
    for index in pipeline.nodes.indices {
      guard let wait = pipeline.nodes[index].wait else { continue }
      pipeline.nodes[index].wait?.request = secrets.masked(wait.request)
      pipeline.nodes[index].wait?.reason = secrets.masked(wait.reason)
    }
    return pipeline
  }
}
