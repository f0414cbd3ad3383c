import Language
import Reactive

/// What has passed a node: an event that it sent, or that a sink was given, or the end of a poll behind a source.
package struct EventNote: Sendable {
  /// Why it has.
  package enum Cause: String, Sendable {
    /// A source has read it.
    case read
    /// The node was taking an event.
    case event
    /// A poll ended.
    case poll
    /// Its time had come.
    case time
  }

  package let node: String
  /// In seconds since 1970.
  package let at: Double
  package let event: Event
  package let cause: Cause
  /// The number of the note of the event that the node was taking.
  let taken: Int?
}

/// An attempt to deliver an output.
package struct OutputAttempt: Sendable {
  package let at: Double
  /// Why it failed; nil where it did not.
  package let failure: String?
  /// When the next one is; nil where it was the last.
  package let next: Double?
}

/// The notes of a run, numbered as they are made; on its lane alone.
///
/// Everything below a node runs while it sends an event, so what a node sends is made while it takes the event that was
/// noted last and whose readers are not done.
final class EventNotes: Sendable {
  private struct State {
    /// The note of the event that is on its way, and whether the end of a poll is.
    var current: Int?
    var isEnd = false
    /// What was under way before.
    var outer: [(note: Int?, isEnd: Bool)] = []
    var next: Int
  }

  private let sources: Set<String>
  private let put: LaneLocal<(EventNote) -> Void>
  private let time: @Sendable () -> Double
  private let state: LaneLocal<State>

  init(
    of plan: Plan, from number: Int = 0, at time: @escaping @Sendable () -> Double,
    _ put: @escaping (EventNote) -> Void
  ) {
    sources = Set(plan.sources.map(\.name))
    self.put = LaneLocal(put)
    self.time = time
    state = LaneLocal(State(next: number))
  }

  /// The note of the event that is being taken.
  var current: Int? { state.value.current }

  /// Notes what a node sends, before its readers take it.
  func begin(_ node: String, _ event: Event) {
    let (current, isEnd) = (state.value.current, state.value.isEnd)
    state.value.outer.append((current, isEnd))
    let cause: EventNote.Cause =
      if current != nil { .event } else if isEnd { .poll } else { sources.contains(node) ? .read : .time }
    state.value.isEnd = event.isEndOfPoll
    if event.isEndOfPoll {
      state.value.current = nil
    } else {
      state.value.current = state.value.next
      state.value.next += 1
    }
    put.value(EventNote(node: node, at: time(), event: event, cause: cause, taken: current))
  }

  /// Its readers are done with it.
  func end() {
    if let outer = state.value.outer.popLast() { (state.value.current, state.value.isEnd) = outer }
  }
}

extension EventTrace {
  /// Follows a run as it happens.
  package func follow(_ options: inout RunOptions, of plan: Plan, at time: @escaping @Sendable () -> Double) {
    begin(at: 0)
    options.notes = EventNotes(of: plan, at: time) { [self] in note($0) }
  }
}

/// The way out of a source or step of a run that is noted; in a task of a partition in the order of its output.
final class NotingObserver: Observer {
  private let name: String
  private let notes: EventNotes
  private let task: PartitionTask?
  private let next: any Observer<Event>

  init(_ name: String, _ notes: EventNotes, _ task: PartitionTask? = nil, to next: any Observer<Event>) {
    (self.name, self.notes, self.task, self.next) = (name, notes, task, next)
  }

  func next(_ event: Event) {
    guard let task else {
      notes.begin(name, event)
      next.next(event)
      return notes.end()
    }
    task.perform { [name, notes] in notes.begin(name, event) }
    next.next(event)
    task.perform { [notes] in notes.end() }
  }

  func fail(_ error: any Error) { next.fail(error) }
  func complete() { next.complete() }
}

/// The way into a sink of a run that is noted: what it takes, and does not leave out.
final class GivenObserver: Observer {
  private let meter: Meter
  private let notes: EventNotes
  private let next: any Observer<Event>

  init(_ meter: Meter, _ notes: EventNotes, to next: any Observer<Event>) {
    (self.meter, self.notes, self.next) = (meter, notes, next)
  }

  func next(_ event: Event) {
    let count = meter.eventsOut
    next.next(event)
    guard meter.eventsOut > count else { return }
    notes.begin(meter.name, event)
    notes.end()
  }

  func fail(_ error: any Error) { next.fail(error) }
  func complete() { next.complete() }
}
