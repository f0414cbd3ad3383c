import JSON
import Engine
import Language
import Reactive

/// `dedupe`: passes on the first event of each key.
package let dedupe = NodeSpec(
  "dedupe", "pass on the first event of each key and drop repeats",
  details: """
    Passes the first event of each key. With `lifetime`, and where `bound` is more than half used, a repeat makes its key \
    young again; otherwise repeats write nothing.
    """,
  options: AnyOption.list(DedupeOptions.key, DedupeOptions.bound, DedupeOptions.lifetime),
  shorthand: "key",
  state: "the keys seen, at most `bound`; beyond that, the least recently seen is forgotten",
  hasDurableState: true,
  partitioning: .byKey(DedupeOptions.key),
  examples: [
    .init(
      "by a field", "dedupe: .id",
      input: """
        0s {"id": 1}
        1s {"id": 2}
        2s {"id": 1}
        """,
      output: """
        0s {"id":1}
        1s {"id":2}
        """),
    .init(
      "once a day", "dedupe: { key: .id, lifetime: 1d }",
      input: """
        0s {"id": 1}
        1h {"id": 1}
        2d {"id": 1}
        """,
      output: """
        0s {"id":1}
        2d {"id":1}
        """),
    .init(
      "at its limit", "dedupe: { key: ., bound: 2 }",
      input: """
        0s "a"
        1s "b"
        2s "c"
        3s "a"
        """,
      output: """
        0s "a"
        1s "b"
        2s "c"
        3s "a"
        """),
  ],
  .step { options, context in
    let machine = DistinctMachine(
      state: try context.state(
        of: Instant.self, by: options[DedupeOptions.key].text, whenKeyChanges: .forget),
      bound: options[DedupeOptions.bound], lifetime: options[DedupeOptions.lifetime],
      by: context.key(options[DedupeOptions.key]))
    return MachineStep(machine, context, keeps: false)
  }
)
.passingOn()
.dropping("an event with its key came before")

private enum DedupeOptions {
  static let key = Option(
    "key", .expression, default: ".", "events with the same key are repeats", example: ".id")
  static let bound = Option("bound", .integer(1...), default: "1000000", "how many keys are remembered")
  static let lifetime = Option.optional(
    "lifetime", .duration, "how long a key is remembered after it was last seen", example: "7d")
}
