import Engine
import Language
import Reactive

/// `rate_limit`: passes on events at a limited rate.
package let rateLimit = NodeSpec(
  "rate_limit", "pass on events at a limited rate; excess events wait",
  reference: .init(PackageResources.rate_limit_md),
  options: AnyOption.list(
    RateLimitOptions.count, RateLimitOptions.per, RateLimitOptions.burst, RateLimitOptions.bound,
    RateLimitOptions.whenFull),
  state: "the waiting events, at most `bound`; beyond that, `when_full` selects the one to drop",
  hasDurableState: true,
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
