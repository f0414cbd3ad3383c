import Engine
import JSON
import Language
import Reactive

/// A step that waits until a key has been quiet: the timer and the end of the stream, which such steps have in common.
protocol QuietStep: Step {
  var machine: DebounceMachine<NodeState<Pending<Event>>, Event> { get set }
  var context: StepContext { get }

  /// Sends an event whose wait is over.
  func emit(_ event: Event, _ out: Downstream)
}

extension QuietStep {
  func start(_ out: Downstream) { setAlarm(out) }

  /// Lets an event wait, instead of the one before of its key.
  func wait(_ event: Event, for key: Value, _ out: Downstream) {
    if let early = machine.accept(event.detached, for: key, at: out.now) {
      context.bound.noteEarly("waiting keys", beyond: machine.bound)
      emit(early, out)
    }
    setAlarm(out)
  }

  func wake(_ out: Downstream) {
    while let due = machine.due(at: out.now) { emit(due, out) }
    setAlarm(out)
  }

  func finish(_ ending: Ending, _ out: Downstream) {
    switch ending {
    case .flush: for waiting in machine.flush() { emit(waiting, out) }
    case .keep: context.noteWaiting(machine.state.count)
    }
  }

  private func setAlarm(_ out: Downstream) {
    if let deadline = machine.nextDeadline { out.setAlarm(at: deadline) }
  }
}
