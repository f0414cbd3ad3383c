import Engine
import Language
import Reactive

/// `rate_limit`: passes on events at a limited rate.
package let rateLimit = NodeSpec(
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
  hasDurableState: true,
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
    let horizon = try context.cell(of: Instant.self, part: "horizon")
    let bucket = TokenBucket(
      options[RateLimitOptions.count], per: options[RateLimitOptions.per],
      burst: options[RateLimitOptions.burst], horizon: horizon.value)
    let machine = LineMachine(
      Rate(bucket, horizon: horizon), bound: options[RateLimitOptions.bound],
      whenFull: options[RateLimitOptions.whenFull] == .dropOldest ? .dropOldest : .dropNewest,
      copy: try context.queue(of: Waiting<Event>.self), isMark: \.isEndOfPoll)
    return MachineStep(machine, context, keeps: true, pollEnds: .inLine)
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
    "when_full", .choice(of: Dropped.self), default: "drop_oldest",
    "which event to drop, and count, when the queue is full")
}

private enum Dropped: String, CaseIterable, Sendable {
  case dropOldest = "drop_oldest"
  case dropNewest = "drop_newest"
}
