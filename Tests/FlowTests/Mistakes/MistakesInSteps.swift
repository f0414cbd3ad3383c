/// Mistakes in steps and their options.
///
/// The form is that of `MistakeTableTests`.
let mistakesInSteps = ##"""
  === a step below a partition that goes by another key
  sources: { i: stdin }
  steps: [ { partition: { by: .id } }, { changes: .name } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:49: changes goes by .name and the partition by .id: events of one key may be in several tasks
      2 | steps: [ { partition: { by: .id } }, { changes: .name } ]
        |                                                 ^^^^^
    hint: use key: .id; or say key_within: true if events with one .name always have one .id
  1 problem
  === a step below a partition that has no key
  sources: { i: stdin }
  steps: [ { partition: .id }, { debounce: { for: 1m } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:32: debounce without a key takes all events together, and below a partition no task has all of them
      2 | steps: [ { partition: .id }, { debounce: { for: 1m } } ]
        |                                ^^^^^^^^
    hint: give it key: .id, or put it above partition
  1 problem
  === a step below a partition that needs the whole stream
  sources: { i: stdin }
  steps: [ { partition: .id }, { take: 3 } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:32: take needs the whole stream, and below a partition each task has a part of it
      2 | steps: [ { partition: .id }, { take: 3 } ]
        |                                ^^^^
    hint: put it above partition, or into a stream of its own behind this one, where the parts are together again
  1 problem
  === windows by the time in the events below a partition
  sources: { i: stdin }
  steps: [ { partition: .id }, { window: { tumbling: 1m, key: .id, time: .t } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:32: window needs the whole stream, as windows by the time in the events end by the latest of all, and below a partition each task has a part of it
      2 | steps: [ { partition: .id }, { window: { tumbling: 1m, key: .id, time: .t } } ]
        |                                ^^^^^^
    hint: put it above partition, or into a stream of its own behind this one, where the parts are together again
  1 problem
  === a step below a partition, behind a map
  sources: { i: stdin }
  steps: [ { partition: .id }, { map: .row }, { changes: .id } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:56: changes goes by .id, and a step above it may have changed by which task that is
      2 | steps: [ { partition: .id }, { map: .row }, { changes: .id } ]
        |                                                        ^^^
    hint: put the step that makes other events above partition; or say key_within: true if events with one .id always have one .id there
  1 problem
  === too many tasks
  sources: { i: stdin }
  steps: [ { partition: { by: .id, into: 33 } }, { changes: .id } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:40: the number 33 is too large; the most is 32
      2 | steps: [ { partition: { by: .id, into: 33 } }, { changes: .id } ]
        |                                        ^^
  1 problem
  === a partition below another
  sources: { i: stdin }
  steps: [ { partition: .id }, { changes: .id }, { partition: .key } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:50: a partition stands above this one, at line 2
      2 | steps: [ { partition: .id }, { changes: .id }, { partition: .key } ]
        |                                                  ^^^^^^^^^
    hint: one chain has one partition: to divide by another key, begin a stream with from: behind this one
  1 problem
  === a step of a test in another language
  sources: { i: stdin }
  steps: [ { where: .a } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:12: unknown step “where”
      2 | steps: [ { where: .a } ]
        |            ^^^^^
    hint: did you mean “filter”?
  1 problem
  === from as a step
  sources: { orders: stdin }
  steps: [ from: orders, filter: .a ]
  sinks: { o: console }
  --- 2
  p.yaml:2:10: a step has no from: what a chain reads is beside its steps
      2 | steps: [ from: orders, filter: .a ]
        |          ^^^^
    hint: give it a name: streams: { main: { from: orders, steps: [ … ] } }
  1 problem
  === dedupe by a text
  sources: { i: stdin }
  steps: [ { dedupe: "id" } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:21: in this expression: there is no function “id”
      2 | steps: [ { dedupe: "id" } ]
        |                     ^^
    hint: for a member write .id, for a text "id"
  1 problem
  === a color that is a word
  sources: { i: stdin }
  sinks: { o: { console: { template: a, color: redd } } }
  --- 2
  p.yaml:2:46: in this expression: there is no function “redd”
      2 | sinks: { o: { console: { template: a, color: redd } } }
        |                                              ^^^^
    hint: for a member write .redd, for a text "redd"
  1 problem
  === emit of a word
  sources: { i: stdin }
  steps: [ { window: { for: 1m, emit: count } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:22: window has no option “for”
      2 | steps: [ { window: { for: 1m, emit: count } } ]
        |                      ^^^
    hint: it has “tumbling”, “sliding”, “session”, “key”, “emit”, “update”, “init”, “time”, “allowed_lateness”, “max_keys”, “max_events” or “key_within”; “debounce”, “settle”, “throttle”, “alarm”, “delay” or “timeout” would have “for”
  p.yaml:2:37: in this expression: there is no function “count”
      2 | steps: [ { window: { for: 1m, emit: count } } ]
        |                                     ^^^^^
    hint: did you mean length?
  2 problems
  === a misspelt step
  sources: { i: stdin }
  steps: [ { filtr: .a } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:12: unknown step “filtr”
      2 | steps: [ { filtr: .a } ]
        |            ^^^^^
    hint: did you mean “filter”?
  1 problem
  === select for filter
  sources: { i: stdin }
  steps: [ { select: .a } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:12: unknown step “select”
      2 | steps: [ { select: .a } ]
        |            ^^^^^^
    hint: did you mean “filter”?
  1 problem
  === a sink among the steps
  sources: { i: stdin }
  steps: [ { jsonl: x } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:12: “jsonl” is a sink, not a step
      2 | steps: [ { jsonl: x } ]
        |            ^^^^^
    hint: put it under sinks
  1 problem
  === a source among the steps
  sources: { i: stdin }
  steps: [ { http: http://x.org } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:12: “http” is a source, not a step
      2 | steps: [ { http: http://x.org } ]
        |            ^^^^
    hint: put it under sources
  1 problem
  === two steps in one
  sources: { i: stdin }
  steps: [ { filter: .a, map: .b } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:24: one step is “filter” already
      2 | steps: [ { filter: .a, map: .b } ]
        |                        ^^^
    hint: begin a new line with “- ” for each step
  1 problem
  === a step without a value
  sources: { i: stdin }
  steps: [ filter ]
  sinks: { o: console }
  --- 2
  p.yaml:2:10: filter needs the option “where”: the condition to pass
      2 | steps: [ filter ]
        |          ^^^^^^
    hint: for example where: .status == "Go"
  1 problem
  === steps that are a mapping
  sources: { i: stdin }
  steps: { filter: .a }
  sinks: { o: console }
  --- 2
  p.yaml:2:8: steps is a list, not a mapping
      2 | steps: { filter: .a }
        |        ^^^^^^^^^^^^^^
    hint: begin each step with “- ” on a line of its own
  1 problem
  === a misspelt option
  sources: { i: stdin }
  steps: [ { debounce: { kay: .id, for: 5m } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:24: debounce has no option “kay”
      2 | steps: [ { debounce: { kay: .id, for: 5m } } ]
        |                        ^^^
    hint: did you mean “key”?
  1 problem
  === an option of another step
  sources: { i: stdin }
  steps: [ { filter: { where: .a, for: 5m } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:33: filter has no option “for”
      2 | steps: [ { filter: { where: .a, for: 5m } } ]
        |                                 ^^^
    hint: it has “where”; “debounce”, “settle”, “throttle”, “alarm”, “delay” or “timeout” would have “for”
  1 problem
  === a missing option
  sources: { i: stdin }
  steps: [ { debounce: { key: .id } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:22: debounce needs the option “for”: how long a key must be quiet
      2 | steps: [ { debounce: { key: .id } } ]
        |                      ^^^^^^^^^^^^
    hint: for example for: 30s
  1 problem
  === a duration without a unit
  sources: { i: stdin }
  steps: [ { debounce: 30 } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:22: the duration “30” has a number without a unit
      2 | steps: [ { debounce: 30 } ]
        |                      ^^
    hint: add the unit, as in 30s, 30m or 30h
  1 problem
  === a duration with an unknown unit
  sources: { i: stdin }
  steps: [ { debounce: 30x } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:24: “x” is not a unit of time
      2 | steps: [ { debounce: 30x } ]
        |                        ^
    hint: the units are w, d, h, m, s, ms, us and ns
  1 problem
  === a negative duration
  sources: { i: stdin }
  steps: [ { debounce: -5m } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:22: “-5m” has a sign, and a duration has none
      2 | steps: [ { debounce: -5m } ]
        |                      ^^^
    hint: write a duration as in 500ms, 90s, 1m30s, 6h or 1d
  1 problem
  === a duration of nothing
  sources: { i: stdin }
  steps: [ { debounce: 0s } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:22: the duration must not be zero
      2 | steps: [ { debounce: 0s } ]
        |                      ^^
  1 problem
  === a duration in words
  sources: { i: stdin }
  steps: [ { debounce: 5 minutes } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:23: “5 minutes” contains a space
      2 | steps: [ { debounce: 5 minutes } ]
        |                       ^^^^^^^^
    hint: write a duration as in 500ms, 90s, 1m30s, 6h or 1d
  1 problem
  === a number in words
  sources: { i: stdin }
  steps: [ { take: many } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:18: a whole number is expected here, not the text “many”
      2 | steps: [ { take: many } ]
        |                  ^^^^
  1 problem
  === a number that is negative
  sources: { i: stdin }
  steps: [ { take: -1 } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:18: the number -1 is too small; the least is 0
      2 | steps: [ { take: -1 } ]
        |                  ^^
  1 problem
  === a number with a fraction
  sources: { i: stdin }
  steps: [ { take: 1.5 } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:18: a whole number is expected here, not the number 1.5
      2 | steps: [ { take: 1.5 } ]
        |                  ^^^
  1 problem
  === a choice that is misspelt
  sources: { i: stdin }
  steps: [ { sort: { by: .a, order: descendin } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:35: “descendin” is not one of the choices
      2 | steps: [ { sort: { by: .a, order: descendin } } ]
        |                                   ^^^^^^^^^
    hint: did you mean “descending”?
  1 problem
  === yes for true
  sources: { i: stdin }
  steps: [ { changes: { key: .id, first: yes } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:40: “yes” is not one of the choices
      2 | steps: [ { changes: { key: .id, first: yes } } ]
        |                                        ^^^
    hint: it can be “baseline” or “emit”
  1 problem
  === a key that is no expression
  sources: { i: stdin }
  steps: [ { changes: { key: [id] } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:28: an expression is expected here, not a list
      2 | steps: [ { changes: { key: [id] } } ]
        |                            ^^^^
    hint: put quotes around an expression that begins with { or [
  1 problem
  === a pattern that is no regular expression
  sources: { i: stdin }
  steps: [ { changes: { key: .id, text: { ignore: '(a' } } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:49: this is no regular expression: Regex failure: end pattern with unmatched parenthesis
      2 | steps: [ { changes: { key: .id, text: { ignore: '(a' } } } ]
        |                                                 ^^^^
    hint: it is written as for jq's test; [0-9]+ matches a number
  1 problem
  === changes without a key
  sources: { i: stdin }
  steps: [ changes ]
  sinks: { o: console }
  --- 2
  p.yaml:2:10: changes needs the option “key”: the value that identifies a row
      2 | steps: [ changes ]
        |          ^^^^^^^
    hint: for example key: .id
  1 problem
  === join with an unknown stream
  sources: { i: stdin }
  steps: [ { join: { with: prices, key: .id } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:26: unknown source or stream “prices”
      2 | steps: [ { join: { with: prices, key: .id } } ]
        |                          ^^^^^^
    hint: it can be “i” or “steps”
  1 problem
  === a step that names itself twice
  sources: { i: stdin }
  steps: [ { filter: .a, name: x }, { map: .b, name: x } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:37: the name “x” is already used at line 2
      2 | steps: [ { filter: .a, name: x }, { map: .b, name: x } ]
        |                                     ^^^
  1 problem
  === on_error with an unknown policy
  sources: { i: stdin }
  steps: [ { map: .a, on_error: ignore } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:31: “ignore” is not one of the choices
      2 | steps: [ { map: .a, on_error: ignore } ]
        |                               ^^^^^^
    hint: it can be log, stop or { dead_letter: PATH }
  1 problem
  === on_error that is misspelt
  sources: { i: stdin }
  steps: [ { map: .a, on_error: stpo } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:31: “stpo” is not one of the choices
      2 | steps: [ { map: .a, on_error: stpo } ]
        |                               ^^^^
    hint: did you mean “stop”?
  1 problem
  """##
