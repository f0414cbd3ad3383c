import JSON
import Engine
import Language
import Reactive

/// `distinct_until_changed`: drops events whose value has not changed.
package let distinctUntilChanged = NodeSpec(
  "distinct_until_changed", "drop events whose value equals that of the event before",
  reference: .init(PackageResources.distinct_until_changed_md),
  options: AnyOption.list(
    DistinctUntilChangedOptions.value, DistinctUntilChangedOptions.key, DistinctUntilChangedOptions.bound),
  shorthand: "value",
  state: "the last value of each key, at most `bound`; beyond that, the least recently seen is forgotten",
  hasDurableState: true,
  partitioning: .byKey(DistinctUntilChangedOptions.key),
  .step { options, context in try DistinctUntilChanged(options, context) }
)
.passingOn()
.dropping("its value is that of the event before it")

private enum DistinctUntilChangedOptions {
  static let value = Option("value", .expression, default: ".", "the value to compare", example: ".status")
  static let key = Option(
    "key", .expression, default: "null", "events are compared only with events of the same key")
  static let bound = Option("bound", .integer(1...), default: "1000000", "how many keys are remembered")
}

private final class DistinctUntilChanged: Step {
  private let value: Evaluation
  private let key: Evaluation
  private let bound: Int
  private var latest: NodeState<Value>

  init(_ options: Options, _ context: StepContext) throws {
    value = context.evaluation(options[DistinctUntilChangedOptions.value])
    key = context.evaluation(options[DistinctUntilChangedOptions.key])
    bound = options[DistinctUntilChangedOptions.bound]
    latest = try context.state(by: options[DistinctUntilChangedOptions.key].text, whenKeyChanges: .forget)
  }

  func take(_ event: Event, _ out: Downstream) throws {
    let key = event.keyed(try key.first(event) ?? .null)
    let value = (try value.first(event) ?? .null).detach()
    let before = latest.value(for: key)
    latest.set(value, for: key)
    if latest.count > bound { latest.forget(beyond: bound) }
    if before != value { out.send(event) }
  }
}
