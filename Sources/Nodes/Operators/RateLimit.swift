import Engine
import Language
import Reactive

/// `rate_limit`: lets events through at a limited rate.
let rateLimit = NodeSpec(
  "rate_limit", "let events through at a limited rate; those too many wait",
  details: """
    `count` events go through in each `per`, evenly spread, but for `burst` that may go at once after a pause. The \
    others wait and follow in order; the ends of polls stay where they are among the events. When the stream ends, all \
    that waits is sent; when the pipeline is stopped, it waits for the next run.
    """,
  options: AnyOption.list(
    RateLimitOptions.count, RateLimitOptions.per, RateLimitOptions.burst, RateLimitOptions.bound,
    RateLimitOptions.whenFull),
  state: "the events that wait: at most `bound`; `when_full` says which one goes for one more",
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
      "at its limit, the newest let go",
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
  })

private enum RateLimitOptions {
  static let count = Option.required(
    "count", .integer(1...1_000_000_000), "how many events go through in each `per`", example: "10")
  static let per = Option.required("per", .duration, "the length of time that `count` is for", example: "1m")
  static let burst = Option(
    "burst", .integer(1...1_000_000_000), default: "1", "how many events may go at once after a pause")
  static let bound = Option(
    "bound", .integer(1...10_000_000), default: "65536", "how many events and ends of polls may wait")
  static let whenFull = Option(
    "when_full", .choice(of: WhenFull.self), default: "drop_oldest",
    "which event is dropped, and counted, when too many wait")
}

private enum WhenFull: String, CaseIterable, Sendable {
  case dropOldest = "drop_oldest"
  case dropNewest = "drop_newest"
}

/// The queue of a rate limit: events and ends of polls that wait for a token, in order.
///
/// Ends of polls need none. The first that waits is always an event, so there is one to drop when there is no room.
struct RateLimitLine: Sendable {
  private(set) var bucket: TokenBucket
  private let bound: Int
  private let dropsOldest: Bool
  private(set) var waiting: ArraySlice<Event> = []

  init(_ bucket: TokenBucket, bound: Int, dropsOldest: Bool) {
    self.bucket = bucket
    self.bound = bound
    self.dropsOldest = dropsOldest
  }

  /// Takes an event or an end in; whether an event was dropped for it, or was itself.
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

  /// Removes the next one that may go now, if one may.
  mutating func next(at now: Instant) -> Event? {
    guard let first = waiting.first, first.isEndOfPoll || bucket.take(at: now) else { return nil }
    return flushFirst()
  }

  /// Removes the first one, whether or not it may go.
  mutating func flushFirst() -> Event? {
    let first = waiting.popFirst()
    if waiting.isEmpty { waiting = [] }
    return first
  }

  /// When `next` should be asked again.
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
    sendNext(out)  // what may go now makes room
    queue.append(event)
    if line.accept(event) {
      context.meter.countDropped()
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

  /// Which one was dropped the line knows.
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
