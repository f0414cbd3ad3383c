import JSON
import Engine
import Language
import Reactive

/// `debounce`: sends the last event of each key once the key has been quiet for a while.
package let debounce = NodeSpec(
  "debounce", "send the last event of each key once no more have arrived for a while",
  details: """
    A launch whose time is corrected three times within a minute is reported once. `max_wait` limits how long a key \
    that never falls quiet is held back. Events that are waiting when the pipeline is stopped keep waiting in the next \
    run, which sends overdue ones immediately; with on_stop: flush they are sent before the pipeline ends.

    After changes, use settle: it combines the changes of a row and drops those that cancel out.
    """,
  options: AnyOption.list(
    DebounceOptions.quiet, DebounceOptions.key, DebounceOptions.maxWait, DebounceOptions.bound),
  shorthand: "for",
  state:
    "the waiting event of each key, at most `bound`; beyond that, the key quiet for longest is sent early",
  hasDurableState: true,
  partitioning: .byKey(DebounceOptions.key),
  examples: [
    .init(
      "the last of a burst", "debounce: 2m",
      input: """
        0s "a"
        1m "b"
        """,
      output: #"3m "b""#),
    .init(
      "per key", "debounce: { key: .id, for: 30s }",
      input: """
        0s {"id": 1, "n": 1}
        10s {"id": 2, "n": 2}
        20s {"id": 1, "n": 3}
        """,
      output: """
        40s {"id":2,"n":2}
        50s {"id":1,"n":3}
        """),
    .init(
      "with a longest wait", "debounce: { for: 2m, max_wait: 3m }",
      input: """
        0s 1
        1m 2
        2m 3
        2m30s 4
        """,
      output: "3m 4"),
    .init(
      "at its limit", "debounce: { for: 1m, key: ., bound: 1 }",
      input: """
        0s "a"
        1s "b"
        """,
      output: """
        1s "a"
        1m1s "b"
        """),
  ],
  .step { options, context in
    let machine = DebounceMachine(
      state: try context.state(
        of: Pending<Event>.self, by: options[DebounceOptions.key].text, whenKeyChanges: .keep),
      quiet: options[DebounceOptions.quiet], maxWait: options[DebounceOptions.maxWait],
      bound: options[DebounceOptions.bound],
      by: context.key(options[DebounceOptions.key], hasDeadlines: options[DebounceOptions.maxWait] != nil))
    return MachineStep(machine, context, keeps: true)
  }
)
.passingOn()
.dropping("a later event with its key took its place, or it waits for quiet")

private enum DebounceOptions {
  static let quiet = Option.required("for", .duration, "how long a key must be quiet", example: "30s")
  static let key = Option(
    "key", .expression, default: "null", "events with the same key are debounced together")
  static let maxWait = Option.optional(
    "max_wait", .duration, "the longest that a key's events are held back, counted from the first",
    example: "10m")
  static let bound = Option(
    "bound", .integer(1...), default: "65536", "how many keys may have a waiting event")
}
