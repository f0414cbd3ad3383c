import JSON
import Engine
import Language
import Reactive

/// `distinct_until_changed`: drops events whose value has not changed.
package let distinctUntilChanged = NodeSpec(
  "distinct_until_changed", "drop events whose value equals that of the event before",
  options: AnyOption.list(
    DistinctUntilChangedOptions.value, DistinctUntilChangedOptions.key, DistinctUntilChangedOptions.bound),
  shorthand: "value",
  state: "the last value of each key, at most `bound`; beyond that, the least recently seen is forgotten",
  hasDurableState: true,
  partitioning: .byKey(DistinctUntilChangedOptions.key),
  examples: [
    .init(
      "only changes of a status", "distinct_until_changed: .status",
      input: """
        0s {"n": 1, "status": "TBD"}
        1s {"n": 2, "status": "TBD"}
        2s {"n": 3, "status": "Go"}
        """,
      output: """
        0s {"n":1,"status":"TBD"}
        2s {"n":3,"status":"Go"}
        """),
    .init(
      "per launch", "distinct_until_changed: { key: .id, value: .status }",
      input: """
        0s {"id": 1, "status": "Go"}
        1s {"id": 2, "status": "Go"}
        2s {"id": 1, "status": "Go"}
        """,
      output: """
        0s {"id":1,"status":"Go"}
        1s {"id":2,"status":"Go"}
        """),
    .init(
      "at its limit", "distinct_until_changed: { key: .id, value: .n, bound: 1 }",
      input: """
        0s {"id": 1, "n": 1}
        1s {"id": 2, "n": 1}
        2s {"id": 1, "n": 1}
        """,
      output: """
        0s {"id":1,"n":1}
        1s {"id":2,"n":1}
        2s {"id":1,"n":1}
        """),
  ],
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
