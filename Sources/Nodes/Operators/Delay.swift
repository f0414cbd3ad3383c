import JSON
import Engine
import Language
import Reactive

/// `delay`: sends each event after a fixed time.
package let delay = NodeSpec(
  "delay", "send each event after a fixed time",
  details: "Ends of polls are delayed too and keep their place among the events.",
  options: AnyOption.list(DelayOptions.time, DelayOptions.bound),
  shorthand: "for", state: "the waiting events, at most `bound`; beyond that, the oldest is sent early",
  hasDurableState: true,
  examples: [
    .init("five minutes later", "delay: 5m", input: "0s 1\n1s 2", output: "5m 1\n5m1s 2"),
    .init(
      "polls stay whole", "delay: { for: 90s }", input: "0s 1\n0s 2\n0s poll",
      output: "1m30s 1\n1m30s 2\n1m30s poll"),
    .init(
      "at its limit", "delay: { for: 5m, bound: 2 }", input: "0s 1\n1s 2\n2s 3",
      output: "2s 1\n5m1s 2\n5m2s 3"),
  ],
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
