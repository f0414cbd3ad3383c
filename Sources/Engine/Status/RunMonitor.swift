import Language

/// The monitor of a run: what nodes and servers in the same process see of its pipelines, and may ask of them; a tool of
/// the world.
///
///     let problems = monitor.status().pipelines.flatMap(\.problems)
///
/// A snapshot waits for the lane of each pipeline, so it is never taken on one.
public struct RunMonitor: Sendable {
  private let pipelines: any MonitoredPipelines

  package init(_ pipelines: any MonitoredPipelines) { self.pipelines = pipelines }

  public func status() -> RunStatus { pipelines.status() }

  /// The plan of a pipeline that runs, and what must be redacted in what is shown of it.
  package func plan(of pipeline: String) -> (plan: Plan, secrets: Secrets)? { pipelines.plan(of: pipeline) }

  /// Polls a source now, besides its schedule; false where it is not polled, or does not run.
  package func poll(_ source: String, of pipeline: String) -> Bool { pipelines.poll(source, of: pipeline) }

  /// The first keys that a node holds; none where its pipeline does not run, or keeps no state.
  package func heldKeys(of node: String, in pipeline: String) -> [HeldKey] {
    pipelines.heldKeys(of: node, in: pipeline)
  }

  /// The oldest dead letters of a node; none where its pipeline does not run, or keeps no state.
  package func deadLetters(of sink: String, in pipeline: String) -> [DeadLetterStatus] {
    pipelines.deadLetters(of: sink, in: pipeline)
  }

  /// Retries or drops dead letters of a node, all of them without numbers; false where its pipeline does not run.
  package func resolve(_ letters: Set<Int64>?, of sink: String, in pipeline: String, by way: DeadLetterEnd)
    -> Bool
  {
    pipelines.resolve(letters, of: sink, in: pipeline, by: way)
  }

  /// The notifications that a sink repeats until they are acknowledged, none where its pipeline does not run; nil where
  /// it does not answer.
  package func repeated(by sink: String, in pipeline: String) -> [Unacknowledged]? {
    pipelines.repeated(by: sink, in: pipeline)
  }

  /// Acknowledges a key in a pipeline; false where no sink repeats it, or that could not be committed in time.
  package func acknowledge(_ key: String, in pipeline: String) -> Bool {
    pipelines.acknowledge(key, in: pipeline)
  }

  /// The outcome of the last rows with a key, as lines, the latest first; nil where the pipeline keeps no trace.
  package func why(_ key: String, of pipeline: String) -> [String]? { pipelines.why(key, of: pipeline) }

  /// Attaches a tap to nodes of a pipeline, or to all of them, also after the pipeline is reloaded.
  package func attach(_ tap: EventTap, to pipeline: String, nodes: Set<String>? = nil) {
    pipelines.attach(tap, to: pipeline, nodes)
  }

  package func detach(_ tap: EventTap) { pipelines.detach(tap) }
}

/// The pipelines behind a monitor: a status of each, a plan of some, and more of those that run.
package protocol MonitoredPipelines: Sendable {
  func status() -> RunStatus
  func plan(of pipeline: String) -> (plan: Plan, secrets: Secrets)?
  func poll(_ source: String, of pipeline: String) -> Bool
  func heldKeys(of node: String, in pipeline: String) -> [HeldKey]
  func deadLetters(of sink: String, in pipeline: String) -> [DeadLetterStatus]
  func resolve(_ letters: Set<Int64>?, of sink: String, in pipeline: String, by way: DeadLetterEnd) -> Bool
  func repeated(by sink: String, in pipeline: String) -> [Unacknowledged]?
  func why(_ key: String, of pipeline: String) -> [String]?
  func acknowledge(_ key: String, in pipeline: String) -> Bool
  func attach(_ tap: EventTap, to pipeline: String, _ nodes: Set<String>?)
  func detach(_ tap: EventTap)
}

extension MonitoredPipelines {
  package func poll(_ source: String, of pipeline: String) -> Bool { false }
  package func heldKeys(of node: String, in pipeline: String) -> [HeldKey] { [] }
  package func deadLetters(of sink: String, in pipeline: String) -> [DeadLetterStatus] { [] }
  package func resolve(_ letters: Set<Int64>?, of sink: String, in pipeline: String, by way: DeadLetterEnd)
    -> Bool
  {
    false
  }
  package func repeated(by sink: String, in pipeline: String) -> [Unacknowledged]? { [] }
  package func acknowledge(_ key: String, in pipeline: String) -> Bool { false }
  package func why(_ key: String, of pipeline: String) -> [String]? { nil }
  package func attach(_ tap: EventTap, to pipeline: String, _ nodes: Set<String>?) {}
  package func detach(_ tap: EventTap) {}
}
