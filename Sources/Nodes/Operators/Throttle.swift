import JSON
import Engine
import Language
import Reactive

/// `throttle`: passes on at most one event of each key per period.
package let throttle = NodeSpec(
  "throttle", "pass on at most one event of each key per period and drop the others",
  reference: .init(PackageResources.throttle_md),
  options: AnyOption.list(
    ThrottleOptions.period, ThrottleOptions.key, ThrottleOptions.latest, ThrottleOptions.bound),
  shorthand: "for",
  state: "the open period of each key, at most `bound`; beyond that, the oldest is closed",
  hasDurableState: true,
  partitioning: .byKey(ThrottleOptions.key),
  .step { options, context in
    let latest = options[ThrottleOptions.latest]
    let machine = ThrottleMachine(
      state: try context.state(
        of: OpenPeriod<Event>.self, by: options[ThrottleOptions.key].text, whenKeyChanges: .keep),
      period: options[ThrottleOptions.period], latest: latest,
      bound: options[ThrottleOptions.bound],
      by: context.key(options[ThrottleOptions.key], hasDeadlines: latest))
    return MachineStep(machine, context, keeps: latest)
  }
)
.passingOn()
.dropping("the period of its key, which an event before it has begun, had not ended")

private enum ThrottleOptions {
  static let period = Option.required(
    "for", .duration, "the minimum time between events of a key", example: "10s")
  static let key = Option("key", .expression, default: "null", "each key has its own period")
  static let latest = Option(
    "latest", .boolean, default: "false", "whether the last event dropped in a period is sent at its end")
  static let bound = Option(
    "bound", .integer(1...), default: "65536", "how many keys may have an open period")
}
