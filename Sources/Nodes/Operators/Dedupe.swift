import JSON
import Engine
import Language
import Reactive

/// `dedupe`: passes on the first event of each key.
package let dedupe = NodeSpec(
  "dedupe", "pass on the first event of each key and drop repeats",
  reference: .init(PackageResources.dedupe_md),
  options: AnyOption.list(DedupeOptions.key, DedupeOptions.bound, DedupeOptions.lifetime),
  shorthand: "key",
  state: "the keys seen, at most `bound`; beyond that, the least recently seen is forgotten",
  hasDurableState: true,
  partitioning: .byKey(DedupeOptions.key),
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
