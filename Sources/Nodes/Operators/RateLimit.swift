import Engine
import Language
import Reactive

/// `rate_limit`: passes on events at a limited rate.
let rateLimit = NodeSpec(
  "rate_limit", "pass on events at a limited rate; excess events wait",
  details: """
    `count` events per `per` are passed on, evenly spaced, except that up to `burst` may pass at once after a pause. \
    The others wait and follow in order, with the ends of polls in their places. When the stream ends, all waiting \
    events are sent; when the pipeline is stopped, they wait for the next run.
    """,
  options: AnyOption.list(
    RateLimitOptions.count, RateLimitOptions.per, RateLimitOptions.burst, RateLimitOptions.bound,
    RateLimitOptions.whenFull),
  state: "the waiting events, at most `bound`; beyond that, `when_full` selects the one to drop",
  isKept: true,
  examples: [
    .init(
      "two in ten seconds", "rate_limit: { count: 2, per: 10s, burst: 2 }",
      input: "0s 1\n0s 2\n0s 3\n0s 4", output: "0s 1\n0s 2\n5s 3\n10s 4"),
    .init(
      "polls stay whole", "rate_limit: { count: 6, per: 1m }", input: "0s 1\n0s 2\n0s poll",
      output: "0s 1\n10s 2\n10s poll"),
    .init(
      "at its limit", "rate_limit: { count: 1, per: 10s, bound: 2 }", input: "0s 1\n0s 2\n0s 3\n0s 4",
      output: "0s 1\n10s 3\n20s 4"),
    .init(
      "at its limit, dropping the newest",
      "rate_limit: { count: 1, per: 10s, bound: 2, when_full: drop_newest }",
      input: "0s 1\n0s 2\n0s 3\n0s 4", output: "0s 1\n10s 2\n20s 3"),
  ],
  .step { options, context in
    let horizon: NodeCell<Instant> = try context.cell(part: "horizon")
    let bucket = TokenBucket(
      options[RateLimitOptions.count], per: options[RateLimitOptions.per],
      burst: options[RateLimitOptions.burst], horizon: horizon.value)
    let line = RateLimitLine(
      bucket, bound: options[RateLimitOptions.bound],
      dropsOldest: options[RateLimitOptions.whenFull] == .dropOldest)
    return try RateLimit(line, horizon, context)
  }
)
.passingOn()

private enum RateLimitOptions {
  static let count = Option.required(
    "count", .integer(1...1_000_000_000), "how many events may pass per `per`", example: "10")
  static let per = Option.required("per", .duration, "the period that `count` refers to", example: "1m")
  static let burst = Option(
    "burst", .integer(1...1_000_000_000), default: "1", "how many events may pass at once after a pause")
  static let bound = Option(
    "bound", .integer(1...10_000_000), default: "65536", "how many events and ends of polls may wait")
  static let whenFull = Option(
    "when_full", .choice(of: WhenFull.self), default: "drop_oldest",
    "which event to drop, and count, when the queue is full")
}

private enum WhenFull: String, CaseIterable, Sendable {
  case dropOldest = "drop_oldest"
  case dropNewest = "drop_newest"
}

/// The queue of a rate limit: events and ends of polls that wait for a token, in order.
///
/// Ends of polls need no token. The first in the queue is always an event, so there is one to drop when it is full.
struct RateLimitLine: Sendable {
  private(set) var bucket: TokenBucket
  let bound: Int
  let dropsOldest: Bool
  private(set) var waiting: ArraySlice<Event> = []

  init(_ bucket: TokenBucket, bound: Int, dropsOldest: Bool) {
    self.bucket = bucket
    self.bound = bound
    self.dropsOldest = dropsOldest
  }

  /// Adds an event or the end of a poll; returns whether an event was dropped, which may be this one.
  mutating func accept(_ event: Event) -> Bool {
    if waiting.count < bound {
      waiting.append(event)
      return false
    }
    if dropsOldest {
      _ = waiting.popFirst()
      waiting.append(event)
    } else if event.isEndOfPoll, let newest = waiting.lastIndex(where: { !$0.isEndOfPoll }) {
      waiting.remove(at: newest)
      waiting.append(event)
    }
    return true
  }

  /// Removes and returns the next one that may pass now, if any.
  mutating func next(at now: Instant) -> Event? {
    guard let first = waiting.first, first.isEndOfPoll || bucket.take(at: now) else { return nil }
    return flushFirst()
  }

  /// Removes and returns the first one, whether or not it may pass.
  mutating func flushFirst() -> Event? {
    let first = waiting.popFirst()
    if waiting.isEmpty { waiting = [] }
    return first
  }

  /// When to call `next` again.
  func nextDeadline(at now: Instant) -> Instant? { waiting.isEmpty ? nil : bucket.available(at: now) }
}

private final class RateLimit: Step {
  private var line: RateLimitLine
  private let context: StepContext
  private var queue: NodeQueue<Event>
  private let horizon: NodeCell<Instant>

  init(_ line: RateLimitLine, _ horizon: NodeCell<Instant>, _ context: StepContext) throws {
    self.line = line
    self.horizon = horizon
    self.context = context
    queue = try context.queue()
  }

  func start(_ out: Downstream) {
    for event in queue.waiting { _ = line.accept(event) }
    if !line.waiting.isEmpty { wake(out) }
  }

  func take(_ event: Event, _ out: Downstream) { wait(event.detached, out) }

  func endPoll(_ poll: Poll, _ out: Downstream) { wait(.end(of: poll), out) }

  private func wait(_ event: Event, _ out: Downstream) {
    sendNext(out)  // makes room
    queue.append(event)
    if line.accept(event) {
      context.bound.noteDropped(line.dropsOldest ? "oldest" : "newest", beyond: line.bound)
      keepLine()
    }
    wake(out)
  }

  func wake(_ out: Downstream) {
    sendNext(out)
    out.setAlarm(atNext: line.nextDeadline(at: out.now))
  }

  private func sendNext(_ out: Downstream) {
    while let event = line.next(at: out.now) { pass(event, out) }
  }

  private func pass(_ event: Event, _ out: Downstream) {
    queue.removeFirst()
    if !event.isEndOfPoll { horizon.set(line.bucket.horizon) }
    out.pass(event)
  }

  /// Stores the queue again, because any of its events may have been dropped.
  private func keepLine() {
    guard context.isKept else { return }
    queue.removeAll()
    for event in line.waiting { queue.append(event) }
  }

  func finish(_ ending: Ending, _ out: Downstream) {
    switch ending {
    case .flush: while let event = line.flushFirst() { pass(event, out) }
    case .keep: context.noteWaiting(line.waiting.count { !$0.isEndOfPoll })
    }
  }
}
