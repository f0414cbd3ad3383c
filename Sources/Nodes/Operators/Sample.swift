import JSON
import Engine
import Language
import Reactive

/// `sample`: sends the latest event at a fixed interval.
package let sample = NodeSpec(
  "sample", "send the latest event of each key at a fixed interval, if there is a new one",
  reference: .init(PackageResources.sample_md),
  options: AnyOption.list(SampleOptions.every, SampleOptions.key, SampleOptions.bound),
  shorthand: "every",
  state: "the latest event of each key, at most `bound`; beyond that, the oldest is sent early",
  hasDurableState: true,
  .step { options, context in
    let machine = SampleMachine(
      state: try context.state(
        of: Event.self, by: options[SampleOptions.key].text, whenKeyChanges: .keep),
      begin: try context.cell(of: Instant.self, part: "start"), every: options[SampleOptions.every],
      bound: options[SampleOptions.bound], by: context.key(options[SampleOptions.key]))
    return MachineStep(machine, context, keeps: true)
  }
)
.passingOn()
.dropping("a later event with its key was sent, or it waits")

private enum SampleOptions {
  static let every = Option.required(
    "every", .duration, "the interval, counted from the start", example: "1m")
  static let key = Option("key", .expression, default: "null", "the latest event of each key is sent")
  static let bound = Option(
    "bound", .integer(1...), default: "65536", "how many keys may have a waiting event")
}
