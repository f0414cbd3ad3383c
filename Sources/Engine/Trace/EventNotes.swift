import JSON
import Language
import Reactive

/// Why an event has passed a node.
package enum NoteCause: String, Sendable {
  /// A source has read it.
  case read
  /// The node was taking an event.
  case event
  /// A poll ended.
  case poll
  /// Its time had come.
  case time
}

/// An attempt to deliver an output.
package struct OutputAttempt: Sendable {
  package let at: Double
  /// Why it failed; nil where it did not.
  package let failure: String?
  /// When the next one is; nil where it was the last.
  package let next: Double?
}

/// A keeper of the notes of a run; on its lane alone.
protocol NoteKeeper: AnyObject, Sendable {
  /// Keeps a note of what has passed a node: an event that it sent, or that a sink was given, or the end of a poll behind
  /// a source. The number of the note of the event that the node was taking is `taken`.
  func note(
    _ event: Event, behind node: EventNotes.Node, in notes: EventNotes, _ cause: NoteCause, taken: Int?)
}

/// The notes of a run, numbered as they are made; on its lane alone.
///
/// Everything below a node runs while it sends an event, so what a node sends is made while it takes the event that was
/// noted last and whose readers are not done.
final class EventNotes: Sendable {
  /// A node by its number; a name in each note would be counted with each.
  struct Node: Sendable {
    let number: UInt16
    let isSource: Bool
  }

  /// An event that is under way, by its note, or the end of a poll.
  struct Way {
    var note: Int?
    var isEnd = false
  }

  private struct State {
    var way = Way()
    /// The events that were under way before, in a partition.
    var outer: [Way] = []
    var next: Int
    var names: [(name: String, json: [UInt8])] = []
  }

  private let sources: Set<String>
  private let keeper: any NoteKeeper
  private let state: LaneLocal<State>

  init(of plan: Plan, from number: Int = 0, _ keeper: any NoteKeeper) {
    sources = Set(plan.sources.map(\.name))
    self.keeper = keeper
    state = LaneLocal(State(next: number))
  }

  func node(_ name: String) -> Node {
    let known = state.value.names.firstIndex { $0.name == name }
    if known == nil { state.value.names.append((name, Value.string(name).json)) }
    return Node(
      number: UInt16(clamping: known ?? state.value.names.count - 1), isSource: sources.contains(name))
  }

  /// The name of a node, also as JSON.
  func name(of node: UInt16) -> (name: String, json: [UInt8]) { state.value.names[Int(node)] }

  /// The note of the event that is being taken.
  var current: Int? { state.value.way.note }

  /// Notes what a node sends, before its readers take it; returns what was under way, for `end`.
  func begin(_ node: Node, _ event: Event) -> Way {
    let way = state.value.way
    let cause: NoteCause =
      if way.note != nil { .event } else if way.isEnd { .poll } else { node.isSource ? .read : .time }
    if event.isEndOfPoll {
      state.value.way = Way(isEnd: true)
    } else {
      state.value.way = Way(note: state.value.next)
      state.value.next += 1
    }
    keeper.note(event, behind: node, in: self, cause, taken: way.note)
    return way
  }

  /// Its readers are done with it.
  func end(_ outer: Way) { state.value.way = outer }

  /// The same for a task of a partition, whose calls come later.
  func push(_ node: Node, _ event: Event) { state.value.outer.append(begin(node, event)) }

  func pop() { if let outer = state.value.outer.popLast() { end(outer) } }
}

/// The way out of a source or step of a run that is noted; in a task of a partition in the order of its output.
final class NotingObserver: Observer {
  private let node: EventNotes.Node
  private let notes: EventNotes
  private let task: PartitionTask?
  private let next: any Observer<Event>

  init(_ name: String, _ notes: EventNotes, _ task: PartitionTask? = nil, to next: any Observer<Event>) {
    (node, self.notes, self.task, self.next) = (notes.node(name), notes, task, next)
  }

  func next(_ event: Event) {
    guard let task else {
      let outer = notes.begin(node, event)
      next.next(event)
      return notes.end(outer)
    }
    task.perform { [node, notes] in notes.push(node, event) }
    next.next(event)
    task.perform { [notes] in notes.pop() }
  }

  func fail(_ error: any Error) { next.fail(error) }
  func complete() { next.complete() }
}

/// The way into a sink of a run that is noted: what it takes, and does not leave out.
final class GivenObserver: Observer {
  private let meter: Meter
  private let node: EventNotes.Node
  private let notes: EventNotes
  private let next: any Observer<Event>

  init(_ meter: Meter, _ notes: EventNotes, to next: any Observer<Event>) {
    (self.meter, node, self.notes, self.next) = (meter, notes.node(meter.name), notes, next)
  }

  func next(_ event: Event) {
    let count = meter.sentHere
    next.next(event)
    guard meter.sentHere > count else { return }
    notes.end(notes.begin(node, event))
  }

  func fail(_ error: any Error) { next.fail(error) }
  func complete() { next.complete() }
}
