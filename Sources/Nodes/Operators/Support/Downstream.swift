import Engine
import Language
import Reactive

extension Downstream {
  /// Sends an event or the end of a poll that was held back.
  func pass(_ event: Event) {
    if event.isEndOfPoll { send(endOf: event.poll) } else { send(event) }
  }

  /// The time of day at an instant, to the millisecond.
  func timeOfDay(at instant: Instant) -> Double {
    ((timeOfDay - (now - instant) / .seconds(1)) * 1000).rounded() / 1000
  }

  /// Sets the alarm to a time; nil clears it.
  func setAlarm(atNext time: Instant?) {
    if let time { setAlarm(at: time) } else { clearAlarm() }
  }
}

extension StepContext {
  /// Logs how many events a step still held when a pipeline without state was stopped.
  func noteWaiting(_ count: Int) {
    if count == 0 || hasDurableState { return }
    log.notice(count == 1 ? "one event was still waiting" : "\(count) events were still waiting")
  }
}
