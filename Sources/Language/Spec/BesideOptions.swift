/// Options that stand beside a source.
enum SourceOptions {
  static let every = Option.optional("every", .duration, "poll the source this often", example: "6h")
  static let cron = Option.optional(
    "cron", .text.like(Cron.pattern), "poll on a schedule: minute, hour, day, month, weekday",
    example: "'0 */6 * * *'")
  static let atStart = Option.optional(
    "at_start", .boolean, "whether to poll at start-up (default: yes with every, no with cron)")
  static let jitter = Option(
    "jitter", .duration(allowingZero: true), default: "0s",
    "delay each poll by a random time up to this, to spread the load", example: "30s")
  static let zone = Option.optional(
    "time_zone", .text, "the time zone of cron, as in Europe/Warsaw", example: "Europe/Warsaw")
  static let retry = Option(
    "retry", .duration(allowingZero: true), default: "10s",
    "the wait before a failed poll is repeated, doubled up to 1h, if the schedule's next is not earlier; 0s: none",
    example: "1m")
  static let onFailure = Option(
    "on_failure", OptionType<FailedPoll>.choice(), default: "fail",
    "what a failed poll is: one that sends nothing, or (old) the last good answer, with $meta.stale and $meta.age"
  )
  static let fresh = Option.optional(
    "fresh", .pollsOrTime(),
    "the age beyond which what it has seen is too old: a problem, and an event of from: errors; in periods of its schedule or as a time",
    example: "3")
  static let key = Option.optional(
    "key", .expression, "what names a row, in messages about rows on which a step fails", example: ".id")
  static let buffer = Option(
    "buffer", .integer(1...1_000_000), default: "8",
    "how many polls, or chunks of a file, may be queued for the pipeline")
  static let whenFull = Option(
    "when_full", OptionType<OverflowPolicy>.choice(), default: "wait",
    "what to do when the queue is full: wait, or drop the oldest or newest")

  static let all = AnyOption.list(
    every, cron, atStart, jitter, zone, retry, onFailure, fresh, key, buffer, whenFull)
}

/// Options that stand beside a step.
enum StepOptions {
  static let name = Option.optional(
    "name", .text, "its name in statistics, messages and state")
  static let onError = Option.optional(
    "on_error", ErrorPolicy.type, "how to handle events on which the step fails", example: "log")

  /// Within a step that goes by a key.
  static let keyWithin = Option(
    "key_within", .boolean, default: "false",
    "only below `partition`: set it if each key occurs under a single partition key")

  static let all = AnyOption.list(name, onError)
}

/// Options that all sinks have: those beside them, and those among their own.
public enum SinkOptions {
  static let from = Option(
    "from", .list(of: .text), default: "[]", "the source or stream to read, or a list of them",
    example: "slips")
  static let onError = Option.optional(
    "on_error", ErrorPolicy.type, "how to handle events on which the sink fails", example: "log")
  static let beside = AnyOption.list(from, onError)

  static let when = Option.optional(
    "when", .condition, "write only events for which this is neither false nor null",
    example: ".type != \"removed\"")
  public static let within = AnyOption.list(when)
}

/// The meaning of a failed poll of a source that keeps its last good answer.
public enum FailedPoll: String, CaseIterable, Sendable {
  /// It sends nothing.
  case fail
  /// The last good answer counts as one.
  case old
}

/// The policy of a source whose buffer is full.
public enum OverflowPolicy: String, CaseIterable, Sendable {
  /// It waits.
  case wait
  case dropOldest = "drop_oldest"
  case dropNewest = "drop_newest"
}
