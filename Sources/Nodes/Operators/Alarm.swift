import Engine
import JSON
import Language
import Reactive

/// `alarm`: reports when a condition has lasted, and when it is over.
package let alarm = NodeSpec(
  "alarm", "report when a condition of a key has lasted for a while, and when it is over",
  reference: .init(PackageResources.alarm_md),
  options: AnyOption.list(
    AlarmOptions.when, AlarmOptions.lasting, AlarmOptions.key, AlarmOptions.clear, AlarmOptions.clearing,
    AlarmOptions.repeating, AlarmOptions.silent, AlarmOptions.maxKeys),
  shorthand: "when",
  state: """
    each key with an alarm, or one that has not lasted yet, and with `silent` each key, at most `max_keys`; for one key \
    more the one heard of longest ago is forgotten, and counted
    """,
  hasDurableState: true,
  partitioning: .byKey(AlarmOptions.key, sends: ".key"),
  .step { options, context in
    let times = AlarmTimes(
      lasting: options[AlarmOptions.lasting], clearing: options[AlarmOptions.clearing],
      repeating: options[AlarmOptions.repeating], silent: options[AlarmOptions.silent])
    let machine = AlarmMachine(
      state: try context.state(
        of: AlarmRow.self, by: options[AlarmOptions.key].text, whenKeyChanges: .forget),
      times,
      AlarmSources(
        areWhole: context.isGivenSnapshots, period: { context.period(at: $0) },
        downtime: { context.downtime(of: $0) }, mayPause: context.lane.waiting == .acrossTurns),
      bound: options[AlarmOptions.maxKeys],
      after: context.endOfLastRun,
      by: context.keptKey(options[AlarmOptions.key]), when: context.condition(options[AlarmOptions.when]),
      clear: options[AlarmOptions.clear].map { context.condition($0) })
    return MachineStep(
      machine, context, keeps: true, pollEnds: .takeToo, wakesOnReconnection: true
    ) { report, out in
      out.send(
        report.event.with(
          .record([
            ("type", .string(report.kind.rawValue)), ("key", report.key),
            ("since", .string(timestamp(out.timeOfDay(at: report.since)))), ("event", report.event.value),
          ])))
    }
  }
)
.sending(
  ["type", "key", "since", "event"], types: AlarmReport<Value>.Kind.allCases.map(\.rawValue),
  row: { _ in "event" })

private enum AlarmOptions {
  static let when = Option.required("when", .condition, "the condition of the alarm", example: ".pct > 90")
  static let lasting = Option(
    "for", .pollsOrTime(allowingZero: true), default: "0s",
    "for how long, or in how many polls in a row, it must hold", example: "10m")
  static let key = Option(
    "key", .expression, default: "null", "what has an alarm of its own", example: ".host")
  static let clear = Option.optional(
    "clear", .condition, "when the alarm is over; by default when its condition does not hold",
    example: ".pct < 80")
  static let clearing = Option(
    "clear_for", .pollsOrTime(allowingZero: true), default: "0s",
    "for how long, or in how many polls in a row, that must hold", example: "5m")
  static let repeating = Option.optional(
    "repeat", .duration, "how often a raised alarm is sent again", example: "4h")
  static let silent = Option.optional(
    "silent", .duration, "how long a key may be without an event before it is missing", example: "1d")
  static let maxKeys = Option(
    "max_keys", .integer(1...10_000_000), default: "65536", "how many keys are remembered")
}
