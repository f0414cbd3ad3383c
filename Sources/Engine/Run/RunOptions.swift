import JSON
import Language
import System
import Store

/// The options of a run: its world, and what the command line asks for.
public struct RunOptions: Sendable {
  public var world: World
  public var log: Log
  public var screen: Screen
  /// When sources are polled first, in seconds since 1970, that a run before has polled; infinite for never.
  public var nextPolls: [String: Double] = [:]
  /// Whether each source is polled once, or read to its present end.
  public var isOnce = false
  /// Where sinks write files, and whether they act on anything else.
  public var outputs = OutputPolicy.real
  /// Whether sinks only print what they would do.
  public var isDryRun = false
  /// Opens the state of the pipeline; nil to run without state.
  public var state: (@Sendable (Plan) throws -> StateFile)?
  /// Whether the state is appended to a log: what another machine continues has no files to regenerate output from, so
  /// all output goes through the outbox.
  public var isReplicated = false
  /// On how many threads the tasks of a partition run.
  public var lanes = 1
  /// Shared by all pipelines that are started with these options, or with a copy of them.
  let threads = RunThreads()
  /// The time that a graceful shutdown may take.
  public var grace = Duration.seconds(10)
  /// Appends a line to a file of dead letters.
  public var letters: @Sendable (_ path: String, _ line: [UInt8]) throws -> Void = { _, _ in }
  /// Replacements for sources and sinks, for tests and dry runs; nil for the node itself.
  public var source: @Sendable (SourcePlan) -> Maker? = { _ in nil }
  public var sink: @Sendable (SinkPlan, SinkContext) -> (any Sink)? = { _, _ in nil }
  /// Receives the progress of polls and of sinks, from any thread; nil when it is over.
  public var progress: @Sendable (_ pipeline: String, _ node: String, PollProgress?) -> Void = { _, _, _ in
  }
  /// The feed that takes the errors of a pipeline for alerts; nil for none.
  public var alerts: @Sendable (Plan) -> AlertFeed? = { _ in nil }
  /// The feed that is the source `errors`, in place of the pipeline's own errors.
  public var errors: AlertFeed?
  /// Whether an entry of a source's list is polled.
  public var isPolled: @Sendable (_ source: String, _ entry: Value) -> Bool = { _, _ in true }
  /// Called after each poll, on the thread of its source.
  public var polled: (@Sendable (PollTrace) -> Void)?
  /// Called with everything that comes out of each source and step, ends of polls too.
  public var tap: (@Sendable (_ node: String, _ event: Event) -> Void)?
  /// Notes what passes the nodes.
  var notes: EventNotes?

  /// Has the first polls of many sources come within this time, as in a run that ends.
  public func spreadPolls(within time: Duration) { threads.spread.limit(to: time) }

  public init(world: World, log: Log, screen: Screen) {
    self.world = world
    self.log = log
    self.screen = screen
  }
}
