/// What is allowed and hardly meant.
///
/// The form is that of `MistakeTableTests`.
let mistakesWarnedOf = ##"""
  === a bare word with a dash
  sources: { i: stdin }
  steps: [ { map: '.content-type' } ]
  sinks: { o: console }
  --- 0
  p.yaml:2:18: warning: this subtracts: it is not the member “content-type”
      2 | steps: [ { map: '.content-type' } ]
        |                  ^^^^^^^^^^^^^
    hint: write .["content-type"], or blanks around the -
  1 pipeline, no errors, 1 warning
  === a sum with a dash
  sources: { i: stdin }
  steps: [ { map: '.content - now' } ]
  sinks: { o: console }
  --- 0
  1 pipeline, no errors
  === changes behind one poll
  sources: { i: { http: http://x.org } }
  steps: [ { changes: .id } ]
  sinks: { o: console }
  --- 0
  p.yaml:2:12: warning: changes compares polls, and “i” is polled once in each run
      2 | steps: [ { changes: .id } ]
        |            ^^^^^^^
    hint: write every: 5m beside http; run from cron it compares with the run before
  1 pipeline, no errors, 1 warning
  === retries of a source that is polled once
  sources: { i: { http: http://x.org, retry: 1m } }
  sinks: { o: console }
  --- 0
  p.yaml:1:44: warning: retry has no effect on a source that is polled once
      1 | sources: { i: { http: http://x.org, retry: 1m } }
        |                                            ^^
    hint: write every: 5m beside http, or remove retry
  1 pipeline, no errors, 1 warning
  === an assignment in select
  sources: { i: stdin }
  steps: [ { map: select(.a = 2) } ]
  sinks: { o: console }
  --- 0
  p.yaml:2:24: warning: = assigns a value, so select passes everything
      2 | steps: [ { map: select(.a = 2) } ]
        |                        ^^^^^^
    hint: did you mean ==, as in select(.status == "Go")?
  1 pipeline, no errors, 1 warning
  === an update in select
  sources: { i: stdin }
  steps: [ { map: 'select(.a |= 2)' } ]
  sinks: { o: console }
  --- 0
  p.yaml:2:25: warning: this changes the value, so select passes everything
      2 | steps: [ { map: 'select(.a |= 2)' } ]
        |                         ^^^^^^^
    hint: did you mean ==, as in select(.status == "Go")?
  1 pipeline, no errors, 1 warning
  === braces in a template
  sources: { i: stdin }
  sinks: { o: { console: 'at {{ .name }}' } }
  --- 0
  p.yaml:2:24: warning: this prints “{{ .name }}” as it is
      2 | sinks: { o: { console: 'at {{ .name }}' } }
        |                        ^^^^^^^^^^^^^^^^
    hint: did you mean \(.name)?
  1 pipeline, no errors, 1 warning
  === braces in a file name
  sources: { i: stdin }
  sinks: { o: { jsonl: 'out/{provider}.jsonl' } }
  --- 0
  p.yaml:2:22: warning: the file name contains “{provider}” as it is
      2 | sinks: { o: { jsonl: 'out/{provider}.jsonl' } }
        |                      ^^^^^^^^^^^^^^^^^^^^^^
    hint: did you mean \(.provider)?
  1 pipeline, no errors, 1 warning
  === an expression where a template is expected
  sources: { i: stdin }
  sinks: { o: { console: .name }, e: { exec: { command: [cat, ./.name] } } }
  --- 0
  p.yaml:2:24: warning: this is the text “.name”, as it is
      2 | sinks: { o: { console: .name }, e: { exec: { command: [cat, ./.name] } } }
        |                        ^^^^^
    hint: did you mean '\(.name)'?
  1 pipeline, no errors, 1 warning
  === signs of a shell among arguments
  sources: { i: { exec: [cat, a, ">", b], every: 1m }, s: { exec: [sh, -c, x, "|"], every: 1m } }
  sinks: { o: { exec: [echo, hi, "|", cat] }, d: { exec: [cut, -d, "|", -f, "1"] }, t: { exec: [tr, "|", x] } }
  --- 0
  p.yaml:1:23: warning: “>” is an argument of cat here, because no shell is involved
      1 | sources: { i: { exec: [cat, a, ">", b], every: 1m }, s: { exec: [sh, -c, x, "|"], every: 1m } }
        |                       ^^^^^^^^^^^^^^^^
    hint: for a shell write [sh, -c, 'cat a > b']
  p.yaml:2:21: warning: “|” is an argument of echo here, because no shell is involved
      2 | sinks: { o: { exec: [echo, hi, "|", cat] }, d: { exec: [cut, -d, "|", -f, "1"] }, t: { exec: [tr…
        |                     ^^^^^^^^^^^^^^^^^^^^
    hint: for a shell write [sh, -c, 'echo hi | cat']
  1 pipeline, no errors, 2 warnings
  === a member of the event behind window
  sources: { i: stdin }
  steps: [ window: { tumbling: 1m, key: .id }, filter: .name == "a" ]
  sinks: { o: console }
  --- 0
  p.yaml:2:54: warning: window sends key, start, end and value, and no name: this is always null
      2 | steps: [ window: { tumbling: 1m, key: .id }, filter: .name == "a" ]
        |                                                      ^^^^^
    hint: did you mean .value[].name?
  1 pipeline, no errors, 1 warning
  === a member of the row behind changes
  sources: { i: { http: http://a.test, every: 1m } }
  steps: [ changes: .id, filter: .status == "Go" and .after.n > 1, settle: 1h ]
  sinks: { o: { console: '\(.type) \(.name.first): \(.title? // .after.title) \(.after | .x)' } }
  --- 0
  p.yaml:2:32: warning: changes sends type, key, at, before, after and diff, and no status: this is always null
      2 | steps: [ changes: .id, filter: .status == "Go" and .after.n > 1, settle: 1h ]
        |                                ^^^^^^^
    hint: did you mean .after.status?
  p.yaml:3:36: warning: changes sends type, key, at, before, after and diff, and no name: this is always null
      3 | sinks: { o: { console: '\(.type) \(.name.first): \(.title? // .after.title) \(.after | .x)' } }
        |                                    ^^^^^^^^^^^
    hint: did you mean .after.name.first?
  1 pipeline, no errors, 2 warnings
  === a member that changes has nearly
  sources: { i: { http: http://a.test, every: 1m } }
  streams: { s: { from: i, steps: [ changes: .id ] } }
  sinks: { o: { console: { template: a, when: .typ == "added" }, from: s } }
  --- 0
  p.yaml:3:45: warning: changes sends type, key, at, before, after and diff, and no typ: this is always null
      3 | sinks: { o: { console: { template: a, when: .typ == "added" }, from: s } }
        |                                             ^^^^
    hint: did you mean .type?
  1 pipeline, no errors, 1 warning
  === a member of the event behind alarm
  sources: { i: stdin }
  steps: [ alarm: .pct > 9, filter: .host == "a" ]
  sinks: { o: console }
  --- 0
  p.yaml:2:35: warning: alarm sends type, key, since and event, and no host: this is always null
      2 | steps: [ alarm: .pct > 9, filter: .host == "a" ]
        |                                   ^^^^^
    hint: did you mean .event.host?
  1 pipeline, no errors, 1 warning
  === members behind other steps, and where several streams meet, are not known
  sources: { i: stdin }
  steps: [ changes: .id, map: .after, filter: .name == "a" ]
  streams: { s: { from: [steps, i], steps: [ filter: .x ] }, p: { from: i, steps: [ changes: { key: .id, as: patch } ] } }
  sinks: { o: { console: '\(.name)', from: s }, q: { console: '\(.patch)', from: p } }
  --- 0
  1 pipeline, no errors
  === a source that feeds a chain and is joined to it
  sources: { orders: { http: http://a.test, every: 1m }, customers: { http: http://b.test, every: 1m } }
  steps: [ { join: { with: customers, key: .id, emit: '. + {c: $other}' } } ]
  sinks: { o: console }
  --- 0
  p.yaml:2:12: warning: “customers” is joined here, and its events come through this chain too
      2 | steps: [ { join: { with: customers, key: .id, emit: '. + {c: $other}' } } ]
        |            ^^^^
    hint: give the chain a stream of its own: streams: { joined: { from: orders, steps: [ … ] } }
  1 pipeline, no errors, 1 warning
  """##
