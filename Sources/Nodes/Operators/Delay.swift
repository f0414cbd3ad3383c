import JSON
import Engine
import Language
import Reactive

/// `delay`: sends each event after a fixed time.
package let delay = NodeSpec(
  "delay", "send each event after a fixed time",
  reference: .init(PackageResources.delay_md),
  options: AnyOption.list(DelayOptions.time, DelayOptions.bound),
  shorthand: "for", state: "the waiting events, at most `bound`; beyond that, the oldest is sent early",
  hasDurableState: true,
  .step { options, context in
    let machine = LineMachine(
      Lag(options[DelayOptions.time]), bound: options[DelayOptions.bound], whenFull: .sendOldest,
      copy: try context.queue(of: Waiting<Event>.self), isMark: \.isEndOfPoll)
    return MachineStep(machine, context, keeps: true, pollEnds: .inLine)
  }
)
.passingOn()

private enum DelayOptions {
  static let time = Option.required("for", .duration, "how long to delay each event", example: "5m")
  static let bound = Option(
    "bound", .integer(1...10_000_000), default: "65536", "how many events and ends of polls may wait")
}
