import Language
import System
import Reactive

/// A sink's alarm clock, and the way by which other threads call it back to the lane.
///
/// What rings calls `wake` on the lane, in a turn.
public final class SinkAlarm: Sendable {
  private struct Owner {
    weak var observer: SinkObserver?
  }

  private let lane: Lane
  private let alarm: Alarm
  private let owner = LaneLocal(Owner())

  init(_ lane: Lane, in subscription: Subscription) {
    self.lane = lane
    alarm = Alarm(on: lane.scheduler, in: subscription)
  }

  func rings(for observer: SinkObserver) { owner.value.observer = observer }

  /// Has `wake` called at that time of the lane, instead of any asked for before; on the lane.
  public func set(at time: Instant) {
    if let observer = owner.value.observer { alarm.set(at: lane.scheduled(time), for: observer) }
  }

  public func clear() { alarm.clear() }

  /// Has `wake` called soon; from any thread.
  public func ring() {
    lane.scheduler.perform { [self] in owner.value.observer?.ring() }
  }
}
