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
  """##
