import Engine
import JSON
import Language
import Reactive

/// `alarm`: reports when a condition has lasted, and when it is over.
package let alarm = NodeSpec(
  "alarm", "report when a condition of a key has lasted for a while, and when it is over",
  details: """
    An event of this shape is sent when `when` has held for as long as `for`, and when it is over:

        {"type": "raised", "key": "a", "since": "2026-01-01T12:00:00Z", "event": …}
        {"type": "cleared", "key": "a", "since": "2026-01-01T12:00:00Z", "event": …}

    where `since` is when the condition began to hold, and `event` the latest event of the key. Nothing is sent for a \
    condition that ends before its time. It is over when `clear` has held for as long as `clear_for`: a limit of its own, \
    such as .pct < 80 for an alarm above 90, keeps a value that hovers from raising it again and again.

    Where the source is polled, an alarm is raised and cleared by a poll, never by a clock: by the one that completes \
    `for`, less a tenth of the time between two polls, if the condition has held in every good poll since. A poll that \
    fails counts for neither side. `for: 2` is two good polls in a row. A row that is gone has not lasted; behind a step \
    that sends differences only, such as `changes`, a good poll without an event of a key shows that the last one holds.

    Where it is not polled, the latest event counts until the next one, but not while its connection is known to be down, \
    or the process or the machine stands still. A number is then one of events.

    With `repeat`, a raised alarm is sent again as `repeated`. With `silent`, a key without an event for so long is \
    `missing`, and `back` with its next event; `since` is then when it was heard of last. A key that never came is not \
    known.

    Alarms and what has not lasted yet are kept over runs. The time between two runs is no silence, and what a stream would \
    have sent in it is not known, so it is no part of `for` and `clear_for` there.
    """,
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
  examples: [
    .init(
      "a stream: above 90 % for ten minutes, over below 80 %",
      "alarm: { when: .pct > 90, for: 10m, key: .host, clear: .pct < 80 }",
      input: """
        0s {"host": "a", "pct": 95}
        5m {"host": "a", "pct": 93}
        15m {"host": "a", "pct": 85}
        20m {"host": "a", "pct": 70}
        30m {"host": "a", "pct": 91}
        35m {"host": "a", "pct": 89}
        """,
      output: """
        10m {"type":"raised","key":"a","since":"1970-01-01T00:00:00Z","event":{"host":"a","pct":93}}
        20m {"type":"cleared","key":"a","since":"1970-01-01T00:00:00Z","event":{"host":"a","pct":70}}
        """),
    .init(
      "a list that is polled: below 95 for six hours, seen at least twice, and the poll between fails",
      "alarm: { when: .price < 95, for: 6h, key: .id }",
      input: """
        0h {"id": "a", "price": 90}
        0h {"id": "b", "price": 80}
        0h poll
        6h failure
        12h {"id": "a", "price": 93}
        12h {"id": "b", "price": 120}
        12h poll
        """,
      output: #"12h {"type":"raised","key":"a","since":"1970-01-01T00:00:00Z","event":{"id":"a","price":93}}"#
    ),
    .init(
      "in two polls in a row, over in the first that shows it",
      "alarm: { when: .down, for: 2, key: .host }",
      input: """
        0m {"host": "a", "down": true}
        0m poll
        5m {"host": "a", "down": false}
        5m poll
        10m {"host": "a", "down": true}
        10m poll
        15m {"host": "a", "down": true}
        15m poll
        20m {"host": "a", "down": false}
        20m poll
        """,
      output: """
        15m {"type":"raised","key":"a","since":"1970-01-01T00:10:00Z","event":{"host":"a","down":true}}
        20m {"type":"cleared","key":"a","since":"1970-01-01T00:10:00Z","event":{"host":"a","down":false}}
        """),
    .init(
      "a stream: at once, again every hour, and over when it has lasted",
      "alarm: { when: .down, clear_for: 2m, repeat: 1h }",
      input: """
        0s {"down": true}
        90m {"down": false}
        91m {"down": true}
        100m {"down": false}
        """,
      output: """
        0s {"type":"raised","key":null,"since":"1970-01-01T00:00:00Z","event":{"down":true}}
        1h {"type":"repeated","key":null,"since":"1970-01-01T00:00:00Z","event":{"down":true}}
        1h42m {"type":"cleared","key":null,"since":"1970-01-01T00:00:00Z","event":{"down":false}}
        """),
    .init(
      "a stream with a key that falls silent", "alarm: { when: .temp > 30, key: .room, silent: 1h }",
      input: """
        0s {"room": "a", "temp": 20}
        30m {"room": "b", "temp": 21}
        80m {"room": "b", "temp": 22}
        90m {"room": "a", "temp": 20}
        """,
      output: """
        1h {"type":"missing","key":"a","since":"1970-01-01T00:00:00Z","event":{"room":"a","temp":20}}
        1h30m {"type":"back","key":"a","since":"1970-01-01T00:00:00Z","event":{"room":"a","temp":20}}
        2h20m {"type":"missing","key":"b","since":"1970-01-01T01:20:00Z","event":{"room":"b","temp":22}}
        2h30m {"type":"missing","key":"a","since":"1970-01-01T01:30:00Z","event":{"room":"a","temp":20}}
        """),
    .init(
      "at its limit", "alarm: { when: .up | not, key: .id, for: 1m, max_keys: 1 }",
      input: #"0s {"id": 1, "up": false}\#n1s {"id": 2, "up": false}"#,
      output: #"1m1s {"type":"raised","key":2,"since":"1970-01-01T00:00:01Z","event":{"id":2,"up":false}}"#),
  ],
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
