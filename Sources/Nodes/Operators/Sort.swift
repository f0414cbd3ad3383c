import JSON
import Engine
import Language

/// `sort`: sorts the events of each poll.
package let sort = NodeSpec(
  "sort", "sort the events of each poll",
  reference: .init(PackageResources.sort_md),
  options: AnyOption.list(SortOptions.by, SortOptions.order, SortOptions.bound),
  shorthand: "by",
  state: "the events of the poll, at most `bound`; beyond that, those held so far are sorted and sent",
  emitsWholePolls: true,
  .step { options, context in try Sort(options, context) }
)
.passingOn()

private enum SortOptions {
  enum Order: String, CaseIterable, Sendable { case ascending, descending }

  static let by = Option("by", .expression, default: ".", "the value to sort by", example: ".net")
  static let order = Option(
    "order", OptionType<Order>.choice(), default: "ascending", "ascending is smallest first")
  static let bound = Option("bound", .integer(1...), default: "100000", "how many events may be held")
}

private final class Sort: Step {
  private let by: Evaluation
  private let isDescending: Bool
  private let bound: Int
  private let context: StepContext
  private var keys: [Value] = []
  private var held: [Event] = []
  /// The present turn, and where its events begin.
  private var turn = 0
  private var fresh = 0
  private var queue: NodeQueue<Event>

  init(_ options: Options, _ context: StepContext) throws {
    by = context.evaluation(options[SortOptions.by])
    isDescending = options[SortOptions.order] == .descending
    bound = options[SortOptions.bound]
    self.context = context
    queue = try context.queue()
  }

  func start(_ out: Downstream) throws {
    for event in queue.waiting { try hold(event) }
  }

  func take(_ event: Event, _ out: Downstream) throws {
    if held.count >= bound {
      context.bound.noteEarly(beyond: bound)
      sendAll(out)
    }
    if turn != context.lane.turnNumber { keepTurn() }
    let event = context.hasDurableState ? event.detached : event
    try hold(event)
    queue.append(event)
  }

  /// Copies the events of the last turn out of their documents, unless they are most of these: all go together.
  private func keepTurn() {
    turn = context.lane.turnNumber
    defer { fresh = held.count }
    if context.hasDurableState || Value.makeUpDocuments(held[fresh...].map(\.value)) { return }
    for place in fresh..<held.count {
      held[place] = held[place].detached
      keys[place] = keys[place].detach()
    }
  }

  private func hold(_ event: Event) throws {
    keys.append(try by.first(event) ?? .null)
    held.append(event)
  }

  func endPoll(_ poll: Poll, _ out: Downstream) {
    sendAll(out)
    out.send(endOf: poll)
  }

  func finish(_ ending: Ending, _ out: Downstream) {
    switch ending {
    case .flush: sendAll(out)
    case .keep: context.noteWaiting(held.count)
    }
  }

  private func sendAll(_ out: Downstream) {
    let (events, places) = (held, keys.sortedPlaces(descending: isDescending))
    if !held.isEmpty { queue.removeAll() }
    (keys, held, fresh) = ([], [], 0)
    for place in places { out.send(events[place]) }
  }
}
