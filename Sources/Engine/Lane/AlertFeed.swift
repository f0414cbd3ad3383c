import Language
import Reactive

/// The errors of several pipelines for the one that sends alerts: what `errors` has in each of them, under the names
/// `PIPELINE/NODE`.
///
/// Of a pipeline that is muted nothing is taken: what fails still when it is no longer muted is reported then.
public final class AlertFeed: Sendable {
  let feed: ErrorFeed
  private let isMuted: @Sendable (_ pipeline: String) -> Bool

  public init(_ world: World, isMuted: @escaping @Sendable (_ pipeline: String) -> Bool) {
    feed = ErrorFeed(Plan.errors, besides: [], and: [], in: world, isEndless: true)
    self.isMuted = isMuted
  }

  /// Notes which pipelines there are: outages of others are over.
  public func watch(_ plans: [Plan]) {
    feed.watch(
      Set(
        plans.flatMap { plan in
          (plan.sources.map(\.name) + plan.processors).map { Self.name($0, of: plan.name) }
        } + [Plan.ping]))
  }

  /// Reports that a pipeline has ended with an error, or cannot start.
  public func noteEnd(of pipeline: String, _ reason: String) {
    if isMuted(pipeline) { return }
    feed.send(
      Log.Entry(level: .error, pipeline: pipeline, node: pipeline, message: "it has ended: \(reason)"))
  }

  private static func name(_ node: String, of pipeline: String) -> String {
    node.isEmpty ? pipeline : "\(pipeline)/\(node)"
  }

  /// The log of a pipeline, whose errors are taken too.
  func log(_ log: Log) -> Log {
    Log(level: .detail) { [weak self] entry in
      log.write(entry, entry.level)
      guard let self, entry.level <= .warning, !entry.isAboutPolls, !isMuted(entry.pipeline) else { return }
      var entry = entry
      entry.node = Self.name(entry.node, of: entry.pipeline)
      feed.send(entry)
    }
  }

  /// Notes the outcome of a poll or of an attempt to connect.
  func note(_ outcome: PollOutcome, of pipeline: String) {
    if isMuted(pipeline) { return }
    var outcome = outcome
    outcome.outage.source = Self.name(outcome.outage.source, of: pipeline)
    feed.note(outcome)
  }
}
