import Reactive
import System
import Engine
import Language

extension StepContext {
  /// Says how much a step still held when the pipeline was stopped.
  ///
  /// With state it is there for the next run, and no word is needed.
  func noteWaiting(_ count: Int) {
    if count == 0 || isKept { return }
    log.notice(count == 1 ? "one event was still waiting" : "\(count) events were still waiting")
  }
}

extension Event {
  /// The event for keeping past its turn, without the text it was read from.
  var detached: Event { Event(value.detach(), poll) }
}

extension SinkContext {
  /// When the machine's clock shows that the lane's shows `deadline`, if time passes there as it does now.
  package func machineTime(of deadline: Instant) -> Instant {
    SystemClock.now + lane.world.speed.machine(for: deadline - lane.scheduler.now)
  }
}
