import JSON
import Engine
import Language

/// `take`: passes on the first events of a poll or stream.
package let take = NodeSpec(
  "take", "pass on the first events of each poll, or of the whole stream",
  reference: .init(PackageResources.take_md),
  options: AnyOption.list(TakeOptions.count, TakeOptions.per),
  shorthand: "count",
  .step { options, context in try Take(options, context) }
)
.passingOn()
.dropping("as many events as it takes had passed before")

/// The scope of a count.
enum CountedPer: String, CaseIterable, Sendable {
  case poll, stream
}

/// The number of events that `take` has passed on or `skip` has dropped, in the poll or the stream.
struct EventCount {
  let scope: CountedPer
  private(set) var value: Int
  private let stored: NodeCell<Value>

  init(per scope: CountedPer, _ context: StepContext) throws {
    self.scope = scope
    stored = try context.cell(forRun: true)
    value = Int(member: stored.value) ?? 0
  }

  mutating func add() { set(value + 1) }

  mutating func endPoll() {
    if scope == .poll, value > 0 { set(0) }
  }

  private mutating func set(_ number: Int) {
    value = number
    stored.set(.number(number))
  }
}

private enum TakeOptions {
  static let count = Option.required("count", .integer(0...), "how many events to pass on", example: "10")
  static let per = Option(
    "per", OptionType<CountedPer>.choice(), default: "poll",
    "whether to count per poll or over the whole stream")
}

private final class Take: Step {
  private let limit: Int
  private var count: EventCount

  init(_ options: Options, _ context: StepContext) throws {
    limit = options[TakeOptions.count]
    count = try EventCount(per: options[TakeOptions.per], context)
  }

  func take(_ event: Event, _ out: Downstream) {
    // A source without polls has no next poll to wait for.
    let isEndless = count.scope == .poll && event.poll.number > 0
    if count.value < limit {
      count.add()
      out.send(event)
    }
    if count.value >= limit, !isEndless { out.complete() }
  }

  func endPoll(_ poll: Poll, _ out: Downstream) {
    count.endPoll()
    out.send(endOf: poll)
  }
}
