import Language
import System
import Reactive

/// A run in virtual time, on the calling thread: a year takes as long as its events.
public struct VirtualRun {
  /// More pieces of work than this are taken for an endless loop.
  static let limit = 100_000_000

  private let plan: Plan
  private let options: RunOptions
  private let clock = VirtualScheduler()
  private let start: Double

  /// `start` is the time of day at which the run begins, in seconds since 1970.
  public init(_ plan: Plan, _ options: RunOptions, start: Double) {
    self.plan = plan
    self.start = start
    var options = options
    options.world.wallClock = { [clock] in start + Double(clock.now.nanoseconds) / 1e9 }
    options.world.isSteady = true
    self.options = options
  }

  /// Returns the time since the start.
  public var elapsed: @Sendable () -> Duration {
    { [clock] in .nanoseconds(clock.now.nanoseconds) }
  }

  /// Runs until nothing more is due; returns whether there was no failure.
  public func run(
    options: (inout RunOptions) -> Void = { _ in }, finished: (PipelineRun) -> Void = { _ in }
  ) throws -> Bool {
    var own = self.options
    options(&own)
    let outcome = Locked<Bool?>(nil)
    let run = try PipelineRun(plan, own, clock: clock) { hasFailed in outcome.withLock { $0 = !hasFailed } }
    run.start()
    clock.run(limit: Self.limit)
    if outcome.withLock({ $0 }) == nil {
      run.stop()
      clock.run(limit: Self.limit)
    }
    if outcome.withLock({ $0 }) == nil {
      run.abort()
      clock.run(limit: Self.limit)
    }
    finished(run)
    return outcome.withLock { $0 } ?? false
  }
}
