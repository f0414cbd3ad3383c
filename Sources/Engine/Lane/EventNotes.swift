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
final class EventNotes: Sendable {
  /// A node that is taking an event, or the end of a poll.
  private struct Frame {
    let node: String
    let note: Int?
    /// What was under way before.
    let outer: Int?
  }

  private struct State {
    var frames: [Frame] = []
    /// The note of the event that is on its way.
    var current: Int?
    var next: Int
  }

  private let sources: Set<String>
  private let put: LaneLocal<(EventNote) -> Void>
  private let state: LaneLocal<State>

  init(of plan: Plan, from number: Int = 0, _ put: @escaping (EventNote) -> Void) {
    sources = Set(plan.sources.map(\.name))
    self.put = LaneLocal(put)
    state = LaneLocal(State(next: number))
  }

  /// The number of the next note.
  var next: Int { state.value.next }

  /// The note of what the node is taking that is at work.
  var taken: Int? { state.value.frames.last?.note }

  func follow(_ options: inout RunOptions, at time: @escaping @Sendable () -> Double) {
    options.tap = { [self, tap = options.tap] node, event in
      tap?(node, event)
      note(node, event, at: time())
    }
    options.takes = { [self] node, event in
      guard let event else {
        if let frame = state.value.frames.popLast() { state.value.current = frame.outer }
        return
      }
      let current = state.value.current
      state.value.frames.append(
        Frame(node: node, note: event.isEndOfPoll ? nil : current, outer: current))
    }
  }

  private func note(_ node: String, _ event: Event, at time: Double) {
    let frame = state.value.frames.last.flatMap { $0.node == node ? $0 : nil }
    let cause: EventNote.Cause =
      if let frame { frame.note == nil ? .poll : .event } else { sources.contains(node) ? .read : .time }
    if !event.isEndOfPoll {
      state.value.current = state.value.next
      state.value.next += 1
    }
    put.value(EventNote(node: node, at: time, event: event, cause: cause, taken: frame?.note))
  }
}

extension EventTrace {
  /// Follows a run as it happens.
  package func follow(_ options: inout RunOptions, of plan: Plan, at time: @escaping @Sendable () -> Double) {
    begin(at: 0)
    EventNotes(of: plan) { [self] in note($0) }.follow(&options, at: time)
  }
}

extension RunOptions {
  /// The observer of a node, before which those who listen hear what it takes.
  func taking(
    _ observer: any Observer<Event>, by name: String, in task: PartitionTask? = nil
  ) -> any Observer<Event> {
    takes.map { TakeTap(name, $0, task, to: observer) } ?? observer
  }

  /// The observer of a sink, which they hear of too when it has taken an event, and not left it out.
  func giving(_ observer: any Observer<Event>, to meter: Meter) -> any Observer<Event> {
    guard let tap, takes != nil else { return observer }
    return taking(GivenTap(meter, tap, to: observer), by: meter.name)
  }
}

/// The way into a step or a sink, for those who listen.
private final class TakeTap: Observer {
  private let name: String
  private let takes: @Sendable (String, Event?) -> Void
  private let task: PartitionTask?
  private let next: any Observer<Event>

  init(
    _ name: String, _ takes: @escaping @Sendable (String, Event?) -> Void, _ task: PartitionTask?,
    to next: any Observer<Event>
  ) {
    self.name = name
    self.takes = takes
    self.task = task
    self.next = next
  }

  func next(_ event: Event) {
    report(event)
    next.next(event)
    report(nil)
  }

  private func report(_ event: Event?) {
    guard let task else { return takes(name, event) }
    task.perform { [takes, name] in takes(name, event) }
  }

  func fail(_ error: any Error) { next.fail(error) }
  func complete() { next.complete() }
}

/// What a sink has taken, for those who listen.
private final class GivenTap: Observer {
  private let meter: Meter
  private let tap: @Sendable (String, Event) -> Void
  private let next: any Observer<Event>

  init(_ meter: Meter, _ tap: @escaping @Sendable (String, Event) -> Void, to next: any Observer<Event>) {
    (self.meter, self.tap, self.next) = (meter, tap, next)
  }

  func next(_ event: Event) {
    let count = meter.eventsOut
    next.next(event)
    if meter.eventsOut > count { tap(meter.name, event) }
  }

  func fail(_ error: any Error) { next.fail(error) }
  func complete() { next.complete() }
}
