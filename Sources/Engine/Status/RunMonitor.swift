import Language

/// The monitor of a run: what nodes and servers in the same process see of its pipelines, and may ask of them; a tool of
/// the world.
///
///     let problems = monitor.status().pipelines.flatMap(\.problems)
///
/// A snapshot waits for the lane of each pipeline, so it is never taken on one. What is asked of a pipeline that does not
/// run, or keeps no state, has no answer.
package protocol RunMonitor: Sendable {
  func status() -> RunStatus
  /// The plan of a pipeline that runs, and what must be redacted in what is shown of it.
  func plan(of pipeline: String) -> (plan: Plan, secrets: Secrets)?
  /// Polls a source now, besides its schedule; false where it is not polled, or does not run.
  func poll(_ source: String, of pipeline: String) -> Bool
  /// The first keys that a node holds.
  func heldKeys(of node: String, in pipeline: String) -> [HeldKey]
  /// The oldest dead letters of a node.
  func deadLetters(of sink: String, in pipeline: String) -> [DeadLetterStatus]
  /// Retries or drops dead letters of a node, all of them without numbers; false where its pipeline does not run.
  func resolve(_ letters: Set<Int64>?, of sink: String, in pipeline: String, by way: DeadLetterEnd) -> Bool
  /// The notifications that a sink repeats until they are acknowledged; nil where it does not answer.
  func repeated(by sink: String, in pipeline: String) -> [Unacknowledged]?
  /// The outcome of the last rows with a key, as lines, the latest first; nil where the pipeline keeps no trace.
  func why(_ key: String, of pipeline: String) -> [String]?
  /// Acknowledges a key in a pipeline; false where no sink repeats it, or that could not be committed in time.
  func acknowledge(_ key: String, in pipeline: String) -> Bool
  /// Attaches a tap to nodes of a pipeline, or to all of them, also after the pipeline is reloaded.
  func attach(_ tap: EventTap, to pipeline: String, _ nodes: Set<String>?)
  func detach(_ tap: EventTap)
}

extension RunMonitor {
  package func poll(_ source: String, of pipeline: String) -> Bool { false }
  package func heldKeys(of node: String, in pipeline: String) -> [HeldKey] { [] }
  package func deadLetters(of sink: String, in pipeline: String) -> [DeadLetterStatus] { [] }
  package func resolve(
    _ letters: Set<Int64>?, of sink: String, in pipeline: String, by way: DeadLetterEnd
  ) -> Bool { false }
  package func repeated(by sink: String, in pipeline: String) -> [Unacknowledged]? { [] }
  package func acknowledge(_ key: String, in pipeline: String) -> Bool { false }
  package func why(_ key: String, of pipeline: String) -> [String]? { nil }
  package func attach(_ tap: EventTap, to pipeline: String, _ nodes: Set<String>?) {}
  package func detach(_ tap: EventTap) {}
}
