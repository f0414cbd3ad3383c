import Language
import System
import Reactive

/// What takes the events of a stream on the lane, without the signals and the hand-over around them.
///
/// Wrapped into a signal, the value and the poll of an event are retained once more at each step; behind `LaneLocal`,
/// so is the step. Between two steps of one lane neither is needed, and it is what a short pipeline spends its time on.
class EventTaker {
  func take(_ event: Event) {}
}

/// An observer of signals that has such a part.
protocol EventObserver: Observer where Element == Signal {
  var taker: LaneLocal<EventTaker> { get }
}

/// The way to an observer of signals, the short one for events where there is one.
struct SignalWay {
  let observer: any Observer<Signal>
  private let taker: EventTaker?

  init(to observer: any Observer<Signal>) {
    self.observer = observer
    taker = (observer as? any EventObserver)?.taker.value
  }

  @inline(__always)
  func send(_ event: Event) {
    if let taker { taker.take(event) } else { observer.next(.event(event)) }
  }
}
