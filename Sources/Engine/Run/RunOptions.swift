import Language
import System
import Store

/// How a pipeline is run: what it is given of the world, and what the command line asks for.
public struct RunOptions: Sendable {
  public var world: World
  public var log: Log
  public var screen: Screen
  /// One poll of each source, or what a file holds now.
  public var isOnce = false
  /// Sinks say what they would do.
  public var isDryRun = false
  /// Opens what the pipeline remembers between its runs; nil for one that is to remember nothing.
  public var state: (@Sendable (Plan) throws -> StateFile)?
  /// How long the end of a pipeline may take.
  public var grace = Duration.seconds(10)
  /// Appends a line to a file of dead letters.
  public var letters: @Sendable (_ path: String, _ line: [UInt8]) throws -> Void = { _, _ in }
  /// What stands in for sources and sinks, for tests and dry runs; nil for the node itself.
  public var source: @Sendable (SourcePlan) -> Maker? = { _ in nil }
  public var sink: @Sendable (SinkPlan, SinkContext) -> (any Sink)? = { _, _ in nil }
  /// Is told how far a poll is, from any thread; nil when it is over.
  public var progress: @Sendable (_ pipeline: String, _ source: String, PollProgress?) -> Void = { _, _, _ in
  }
  /// Called with everything that comes out of each source and step, ends of polls too.
  public var tap: (@Sendable (_ node: String, _ event: Event) -> Void)?

  public init(world: World, log: Log, screen: Screen) {
    self.world = world
    self.log = log
    self.screen = screen
  }
}
