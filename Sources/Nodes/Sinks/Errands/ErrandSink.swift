import Engine
import Language
import Reactive
import Store

/// A sink whose work is errands: what it takes they do, and what it is told as a sink it hands on to them.
protocol ErrandSink: KeepingSink {
  associatedtype Work: Errand
  var context: SinkContext { get }
  var errands: SinkErrands<Work> { get }
  /// Where there is no network.
  var unsent: Unsent? { get set }
  var dryRun: DryRun { get set }
}

extension ErrandSink {
  func recover(_ entries: [OutboxEntry]) throws {
    // They wait for a run that can do them.
    if unsent == nil { errands.run(entries) }
  }

  func didCommit(_ entries: [OutboxEntry]) throws { errands.run(entries) }

  func wake() throws { errands.wake() }

  func endTurn() throws {
    try dryRun.write(to: context.screen)
    errands.endTurn()
  }

  func finish(by deadline: Instant) throws {
    try dryRun.write(to: context.screen)
    errands.finish(by: deadline)
    unsent?.tell()
  }
}
