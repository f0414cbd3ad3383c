import JSON
import Engine
import Language
import Reactive

/// `debounce`: sends the last event of each key once the key has been quiet for a while.
package let debounce = NodeSpec(
  "debounce", "send the last event of each key once no more have arrived for a while",
  reference: .init(PackageResources.debounce_md),
  options: AnyOption.list(
    DebounceOptions.quiet, DebounceOptions.key, DebounceOptions.maxWait, DebounceOptions.bound),
  shorthand: "for",
  state:
    "the waiting event of each key, at most `bound`; beyond that, the key quiet for longest is sent early",
  hasDurableState: true,
  partitioning: .byKey(DebounceOptions.key),
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
