import JSON
import Engine
import Language

/// `sort`: puts the events of a poll in order.
let sort = NodeSpec(
  "sort", "put the events of each poll in order",
  details: """
    A source without polls (a file, standard input) is sorted as a whole, when it ends. Events whose values are equal \
    keep their order.
    """,
  options: AnyOption.list(SortOptions.by, SortOptions.order, SortOptions.bound),
  shorthand: "by",
  state: "the events of the poll, at most `bound` of them; those are sent, sorted, when one more comes",
  keepsSnapshots: true,
  examples: [
    .init(
      "by time", "sort: .net",
      input: """
        0s {"net": "2026-02-01"}
        0s {"net": "2026-01-01"}
        0s poll
        """,
      output: """
        0s {"net":"2026-01-01"}
        0s {"net":"2026-02-01"}
        0s poll
        """),
    .init(
      "the largest first", "sort: { by: ., order: descending }",
      input: """
        0s 1
        1s 3
        2s 2
        3s end
        """,
      output: """
        3s 3
        3s 2
        3s 1
        """),
    .init(
      "at its limit", "sort: { bound: 2 }",
      input: """
        0s 3
        1s 2
        2s 1
        3s end
        """,
      output: """
        2s 2
        2s 3
        3s 1
        """),
  ],
  .step { options, context in try Sort(options, context) })

private enum SortOptions {
  enum Order: String, CaseIterable, Sendable { case ascending, descending }

  static let by = Option("by", .expression, default: ".", "what they are ordered by", example: ".net")
  static let order = Option(
    "order", OptionType<Order>.choice(), default: "ascending", "the smallest first, or the largest")
  static let bound = Option("bound", .integer(1...), default: "100000", "how many events are held at most")
}

private final class Sort: Step {
  private let by: Evaluation
  private let isDescending: Bool
  private let bound: Int
  private let context: StepContext
  private var held: [(key: Value, event: Event)] = []
  private var queue: NodeQueue<Event>

  init(_ options: Options, _ context: StepContext) throws {
    by = context.evaluation(options[SortOptions.by])
    isDescending = options[SortOptions.order] == .descending
    bound = options[SortOptions.bound]
    self.context = context
    queue = try context.queue()
  }

  func start(_ out: Downstream) throws {
    for event in queue.waiting { held.append((try by.first(event) ?? .null, event)) }
  }

  func take(_ event: Event, _ out: Downstream) throws {
    if held.count >= bound { sendAll(out) }
    let event = event.detached
    held.append((try by.first(event) ?? .null, event))
    queue.append(event)
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
    // The sort of the standard library is stable, though it does not promise that: the number decides.
    let sorted = held.enumerated().sorted { left, right in
      let order = Value.order(left.element.key, right.element.key)
      if order == 0 { return left.offset < right.offset }
      return isDescending ? order > 0 : order < 0
    }
    if !held.isEmpty { queue.removeAll() }
    held = []
    for entry in sorted { out.send(entry.element.event) }
  }
}
