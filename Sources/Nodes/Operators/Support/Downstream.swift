import Engine
import Language
import Reactive

extension Downstream {
  /// Sends a signal that has waited.
  func pass(_ signal: Signal) {
    switch signal {
    case .event(let event): send(event)
    case .endOfPoll(let poll): send(endOf: poll)
    }
  }

  /// Sets the alarm to a time; nil clears it.
  func setAlarm(atNext time: Instant?) {
    if let time { setAlarm(at: time) } else { clearAlarm() }
  }
}

extension Signal {
  var isEvent: Bool {
    if case .event = self { true } else { false }
  }
}

extension StepContext {
  /// Logs how many events a step still held when the pipeline was stopped; with state, the next run has them.
  func noteWaiting(_ count: Int) {
    if count == 0 || isKept { return }
    log.notice(count == 1 ? "one event was still waiting" : "\(count) events were still waiting")
  }
}
