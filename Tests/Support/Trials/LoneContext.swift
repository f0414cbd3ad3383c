import System
import Reactive

@testable import Engine
@testable import Language

extension SinkContext {
  /// The context of a sink that is tested by itself, without state, on a lane that no scheduler drives.
  package static func lone(
    _ world: World, waiting: Lane.Waiting = .withinTurn, stop: StopSign = StopSign(), syncs: Bool = false,
    isDryRun: Bool = false, write: @escaping @Sendable ([UInt8]) -> Void = { _ in },
    log: @escaping @Sendable (Log.Entry) -> Void
  ) -> SinkContext {
    let lane = Lane(on: VirtualScheduler(), world: world, waiting: waiting)
    let meter = Meter(name: "it", kind: "")
    let nodeLog = NodeLog(log: Log(log), pipeline: "p", node: "it")
    return SinkContext(
      name: "it", pipeline: "p", lane: lane, log: nodeLog, meter: meter,
      errors: ErrorReporter(.log, lane, meter, nodeLog, letters: { _, _ in }),
      alarm: SinkAlarm(lane, in: Subscription()), stop: stop, isDryRun: isDryRun,
      screen: Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: write),
      isGivenSnapshots: true, outbox: nil, syncs: syncs)
  }
}
