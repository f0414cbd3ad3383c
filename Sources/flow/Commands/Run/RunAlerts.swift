import Engine
import Language
import Reactive
import Store

/// The alerts of a run: for each config with `alerts` a pipeline beside the others, which reads their errors.
///
/// Each process has an outbox of its own: where another one has the state `alerts`, it takes `alerts-2`, and so on.
final class RunAlerts: Sendable {
  private struct Part: Sendable {
    let plan: Plan
    let feed: AlertFeed
  }

  private static let mostProcesses = 64

  private let parts: [Part]
  private let isMuted: @Sendable (_ pipeline: String) -> Bool
  /// The paths of the pipelines that each is about, by the path of the config.
  private let paths = Locked<[String: Set<String>]>([:])

  /// Nil where there are none.
  init?(_ files: PipelineFiles, _ world: World, isMuted: @escaping @Sendable (_ pipeline: String) -> Bool) {
    if files.alerts.isEmpty { return nil }
    parts = files.alerts.map { plan, _ in Part(plan: plan, feed: AlertFeed(world, isMuted: isMuted)) }
    self.isMuted = isMuted
    watch(files)
  }

  func feed(of plan: Plan) -> AlertFeed? { parts.first { paths(of: $0).contains(plan.path) }?.feed }

  /// Notes which pipelines there are.
  func watch(_ files: PipelineFiles) {
    let found = Dictionary(files.alerts.map { ($0.plan.path, $0.paths) }) { $0.union($1) }
    paths.withLock { $0 = found }
    for part in parts {
      let paths = paths(of: part)
      part.feed.watch(files.plans.filter { paths.contains($0.path) })
    }
  }

  private func paths(of part: Part) -> Set<String> { paths.withLock { $0[part.plan.path] ?? [] } }

  /// Starts the pipelines that send them.
  func start(
    _ options: RunOptions, _ roster: RunRoster, make: (Plan, RunOptions) throws -> Runner.Member
  ) throws -> [Runner.Member] {
    try parts.map { part in
      var options = options
      options.alerts = { _ in nil }
      options.errors = part.feed
      options.source = { [self] source in
        guard source.name == Plan.ping, let maker = source.spec.maker as? Maker else { return nil }
        return maker.mapPolls { source, _ in
          PollWhileWell(source) { [weak roster] in
            roster?.isWell(part.plan, self.paths(of: part), besides: self.isMuted) ?? false
          }
        }
      }
      let member = try Self.unused(part.plan) { try make($0, options) }
      member.run.start()
      return member
    }
  }

  /// The first of the names whose state no other process has.
  private static func unused(_ plan: Plan, _ make: (Plan) throws -> Runner.Member) throws -> Runner.Member {
    for number in 2...mostProcesses {
      var plan = plan
      if number > 2 { plan.name += "-\(number - 1)" }
      do { return try make(plan) } catch let error as StoreError where error.isHeld || error.kind == .foreign
      {
        continue
      }
    }
    return try make(plan)
  }
}

extension RunRoster {
  /// Whether none of the pipelines at these paths has a problem, nor the one that sends their alerts; muted ones are left
  /// out, and so is the call itself.
  fileprivate func isWell(_ alerts: Plan, _ paths: Set<String>, besides isMuted: (String) -> Bool) -> Bool {
    status().pipelines.allSatisfy { pipeline in
      var pipeline = pipeline
      if pipeline.path == alerts.path {
        pipeline.sources.removeAll { $0.name == Plan.ping }
      } else if !paths.contains(pipeline.path) || isMuted(pipeline.name) {
        return true
      }
      return pipeline.problems.isEmpty
    }
  }
}

/// A source that is polled only while all is well.
private final class PollWhileWell: PollSource {
  private let source: any PollSource
  private let isWell: @Sendable () -> Bool

  init(_ source: any PollSource, _ isWell: @escaping @Sendable () -> Bool) {
    (self.source, self.isWell) = (source, isWell)
  }

  func ask(
    _ poll: PollRequest, on scheduler: any Scheduler,
    _ answered: @escaping @Sendable (Result<PollAnswer, any Error>) -> Void
  ) {
    if isWell() { source.ask(poll, on: scheduler, answered) } else { answered(.success(PollAnswer([]))) }
  }
}
