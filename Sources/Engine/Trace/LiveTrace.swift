import Language

// A trace of a run as it happens, beside one that is read from a state.

extension EventTrace {
  /// Follows a run as it happens.
  package func follow(_ options: inout RunOptions, of plan: Plan, at time: @escaping @Sendable () -> Double) {
    begin(at: 0)
    options.notes = EventNotes(of: plan, LiveTrace(trace: self, time: time))
  }
}

private final class LiveTrace: NoteKeeper {
  private let trace: EventTrace
  private let time: @Sendable () -> Double

  init(trace: EventTrace, time: @escaping @Sendable () -> Double) { (self.trace, self.time) = (trace, time) }

  func note(
    _ event: Event, behind node: EventNotes.Node, in notes: EventNotes, _ cause: NoteCause, taken: Int?
  ) {
    trace.note(event, behind: notes.name(of: node.number).name, at: time(), cause, taken: taken)
  }
}
