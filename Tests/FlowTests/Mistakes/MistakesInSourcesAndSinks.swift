/// Mistakes in sources, sinks and the streams between them.
///
/// The form is that of `MistakeTableTests`.
let mistakesInSourcesAndSinks = ##"""
  === an encoding that there is not
  sources:
    i: { file: { path: a.csv, decode: { csv: { charset: window-1252 } } } }
    j: { file: { path: a.csv, decode: { text: { charset: nonsense } } } }
    k: { file: { path: a.csv, follow: true, decode: { text: { charset: koi8-r } } } }
  sinks: { o: console }
  --- 2
  p.yaml:2:55: there is no encoding “window-1252”
      2 |   i: { file: { path: a.csv, decode: { csv: { charset: window-1252 } } } }
        |                                                       ^^^^^^^^^^^
    hint: did you mean “windows-1252”?
  p.yaml:3:56: there is no encoding “nonsense”
      3 |   j: { file: { path: a.csv, decode: { text: { charset: nonsense } } } }
        |                                                        ^^^^^^^^
    hint: iconv -l lists all; usual ones are windows-1252, iso-8859-2 and shift_jis
  p.yaml:4:51: a followed file is read as UTF-8, without charset
      4 |   k: { file: { path: a.csv, follow: true, decode: { text: { charset: koi8-r } } } }
        |                                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    hint: remove decode or follow
  3 problems
  === no sources
  steps: []
  sinks: { o: console }
  --- 2
  p.yaml:1:1: the pipeline has no sources
      1 | steps: []
        | ^^^^^^^^^
    hint: for example sources: { input: stdin }
  1 problem
  === misspelt sources
  sorces: { i: stdin }
  sinks: { o: console }
  --- 2
  p.yaml:1:1: a pipeline has no “sorces”
      1 | sorces: { i: stdin }
        | ^^^^^^
    hint: did you mean “sources”?
  1 problem
  === a template in double quotes
  sources: { i: stdin }
  sinks: { o: { console: "\(.name)" } }
  --- 2
  p.yaml:2:25: unknown escape in double quotes
      2 | sinks: { o: { console: "\(.name)" } }
        |                         ^^
    hint: use single quotes, where a backslash has no special meaning, as in 'Launch \(.name)'
  1 problem
  === no sinks
  sources: { i: stdin }
  --- 2
  p.yaml:1:1: the pipeline has no sinks
      1 | sources: { i: stdin }
        | ^^^^^^^^^^^^^^^^^^^^^
    hint: for example sinks: { screen: console }
  1 problem
  === a misspelt source
  sources: { i: { htpp: http://x.org } }
  sinks: { o: console }
  --- 2
  p.yaml:1:17: unknown source “htpp”
      1 | sources: { i: { htpp: http://x.org } }
        |                 ^^^^
    hint: did you mean “http”?
  1 problem
  === a source without a kind
  sources: { i: 5 }
  sinks: { o: console }
  --- 2
  p.yaml:1:15: a source is expected here, not the number 5
      1 | sources: { i: 5 }
        |               ^
    hint: for example file: launches.jsonl
  1 problem
  === a sink as source
  sources: { i: console }
  sinks: { o: console }
  --- 2
  p.yaml:1:15: “console” is a sink, not a source
      1 | sources: { i: console }
        |               ^^^^^^^
    hint: put it under sinks
  1 problem
  === a source as sink
  sources: { i: stdin }
  sinks: { o: stdin }
  --- 2
  p.yaml:2:13: “stdin” is a source, not a sink
      2 | sinks: { o: stdin }
        |             ^^^^^
    hint: put it under sources
  1 problem
  === stdout as a sink
  sources: { i: stdin }
  sinks: { o: stdout }
  --- 2
  p.yaml:2:13: unknown sink “stdout”
      2 | sinks: { o: stdout }
        |             ^^^^^^
    hint: did you mean “console”?
  1 problem
  === webhook as a sink
  sources: { i: stdin }
  sinks: { o: { webhook: http://x.org } }
  --- 2
  p.yaml:2:15: unknown sink “webhook”
      2 | sinks: { o: { webhook: http://x.org } }
        |               ^^^^^^^
    hint: did you mean “http”?
  1 problem
  === a misspelt sink
  sources: { i: stdin }
  sinks: { o: { jsonlines: x } }
  --- 2
  p.yaml:2:15: unknown sink “jsonlines”
      2 | sinks: { o: { jsonlines: x } }
        |               ^^^^^^^^^
    hint: did you mean “jsonl”?
  1 problem
  === every inside http
  sources: { i: { http: { url: http://x.org, every: 5m } } }
  sinks: { o: console }
  --- 2
  p.yaml:1:44: http has no option “every”
      1 | sources: { i: { http: { url: http://x.org, every: 5m } } }
        |                                            ^^^^^
    hint: it belongs beside http: move it out, as in { http: …, every: … }
  1 problem
  === every and cron
  sources: { i: { http: http://x.org, every: 5m, cron: '0 * * * *' } }
  sinks: { o: console }
  --- 2
  p.yaml:1:44: this source has a cron schedule and every; one is enough
      1 | sources: { i: { http: http://x.org, every: 5m, cron: '0 * * * *' } }
        |                                            ^^
  1 problem
  === a schedule of a command that is followed
  sources: { i: { exec: { command: [tail, -f, x], follow: true }, every: 5m } }
  sinks: { o: console }
  --- 2
  p.yaml:1:72: exec with follow runs on, and has no schedule
      1 | … -f, x], follow: true }, every: 5m } }
        |                                  ^^
    hint: remove follow to run it on a schedule, or the schedule to let it run on
  1 problem
  === websocket as a sink
  sources: { i: stdin }
  sinks: { o: { websocket: x } }
  --- 2
  p.yaml:2:15: unknown sink “websocket”
      2 | sinks: { o: { websocket: x } }
        |               ^^^^^^^^^
    hint: flow nodes lists them all
  1 problem
  === from as a mapping
  sources: { i: stdin }
  sinks: { o: { console: , from: { a: i } } }
  --- 2
  p.yaml:2:32: a text is expected here, not a mapping
      2 | sinks: { o: { console: , from: { a: i } } }
        |                                ^^^^^^^^
  1 problem
  === a recording without a path
  sources: { i: replay }
  sinks: { o: console }
  --- 2
  p.yaml:1:15: replay needs the option “path”: the recording, next to the pipeline or in the working directory
      1 | sources: { i: replay }
        |               ^^^^^^
    hint: for example path: recordings/upcoming.jsonl
  1 problem
  === an invalid choice of when_full
  sources: { i: { stdin: , when_full: block } }
  sinks: { o: console }
  --- 2
  p.yaml:1:37: “block” is not one of the choices
      1 | sources: { i: { stdin: , when_full: block } }
        |                                     ^^^^^
    hint: it can be “wait”, “drop_oldest” or “drop_newest”
  1 problem
  === a schedule of a file
  sources: { i: { file: x, every: 5m } }
  sinks: { o: console }
  --- 2
  p.yaml:1:33: file is read once, to its end, and has no schedule
      1 | sources: { i: { file: x, every: 5m } }
        |                                 ^^
  1 problem
  === a cron schedule of four fields
  sources: { i: { http: http://x.org, cron: '0 * * *' } }
  sinks: { o: console }
  --- 2
  p.yaml:1:43: a cron schedule has five fields, and “0 * * *” has 4 fields
      1 | sources: { i: { http: http://x.org, cron: '0 * * *' } }
        |                                           ^^^^^^^^^
    hint: the five are minute, hour, day of the month, month and day of the week, as in 0 */6 * * *
  1 problem
  === a cron schedule that is out of range
  sources: { i: { http: http://x.org, cron: '0 25 * * *' } }
  sinks: { o: console }
  --- 2
  p.yaml:1:43: “25” is not a valid hour
      1 | sources: { i: { http: http://x.org, cron: '0 25 * * *' } }
        |                                           ^^^^^^^^^^^^
    hint: it goes from 0 to 23
  1 problem
  === an unknown time zone of cron
  sources: { i: { http: http://x.org, cron: '0 5 * * *', time_zone: Mars } }
  sinks: { o: console }
  --- 2
  p.yaml:1:67: unknown time zone “Mars”
      1 | …, cron: '0 5 * * *', time_zone: Mars } }
        |                                  ^^^^
    hint: zones have names like Europe/Warsaw or UTC
  1 problem
  === an address without http
  sources: { i: { http: x.org } }
  sinks: { o: console }
  --- 2
  p.yaml:1:23: the address does not begin with https:// or http://
      1 | sources: { i: { http: x.org } }
        |                       ^^^^^
  1 problem
  === an http source without an address
  sources: { i: { http: { rows: .a } } }
  sinks: { o: console }
  --- 2
  p.yaml:1:23: http needs the option “url”: the address
      1 | sources: { i: { http: { rows: .a } } }
        |                       ^^^^^^^^^^^^
    hint: for example url: https://example.org/items.json
  1 problem
  === an unknown list
  sources: { i: { launch_library: { list: upcomming } } }
  sinks: { o: console }
  --- 2
  p.yaml:1:41: “upcomming” is not one of the choices
      1 | sources: { i: { launch_library: { list: upcomming } } }
        |                                         ^^^^^^^^^
    hint: did you mean “upcoming”?
  1 problem
  === an empty path
  sources: { i: stdin }
  sinks: { o: { jsonl: '' } }
  --- 2
  p.yaml:2:22: the path is empty
      2 | sinks: { o: { jsonl: '' } }
        |                      ^^
  1 problem
  === two sinks on one file
  sources: { i: stdin }
  sinks: { a: { jsonl: x }, b: { jsonl: ./x } }
  --- 2
  p.yaml:2:39: another sink writes “./x” already: p.yaml:2:22
      2 | sinks: { a: { jsonl: x }, b: { jsonl: ./x } }
        |                                       ^^^
    hint: give each sink a file of its own, or have one sink read both streams: from: [a, b]
  1 problem
  === two nodes that are one client
  sources: { i: { mqtt: { topics: t, client: me } } }
  sinks: { o: { mqtt: { topic: u, client: me } } }
  --- 2
  p.yaml:2:41: another node is the client “me” already: p.yaml:1:44
      2 | sinks: { o: { mqtt: { topic: u, client: me } } }
        |                                         ^^
    hint: a server ends the connection of a client that connects again: give each node an id of its own
  1 problem
  === a command that is one text
  sources: { i: stdin }
  sinks: { o: { exec: 'echo hi' } }
  --- 2
  p.yaml:2:21: a command is a list of arguments, not one text
      2 | sinks: { o: { exec: 'echo hi' } }
        |                     ^^^^^^^^^
    hint: write [echo, hi], or [sh, -c, '…'] for a shell
  1 problem
  === a command without words
  sources: { i: stdin }
  sinks: { o: { exec: { command: [] } } }
  --- 2
  p.yaml:2:32: the list is empty
      2 | sinks: { o: { exec: { command: [] } } }
        |                                ^^
    hint: at least 1, as in ['\(.name)']
  1 problem
  === json as a template
  sources: { i: stdin }
  sinks: { o: { console: json } }
  --- 2
  p.yaml:2:24: this prints the word “json” for each event
      2 | sinks: { o: { console: json } }
        |                        ^^^^
    hint: console without options prints JSON; as in { screen: console }
  1 problem
  === a table and a template
  sources: { i: stdin }
  sinks: { o: { console: { table: [.a], template: b } } }
  --- 2
  p.yaml:2:49: console prints either a template or a table
      2 | sinks: { o: { console: { table: [.a], template: b } } }
        |                                                 ^
    hint: a column of a table may be a jq string: { Launch: '"\(.name) (\(.id))"' }
  1 problem
  === a table without columns
  sources: { i: stdin }
  sinks: { o: { console: { table: [] } } }
  --- 2
  p.yaml:2:33: the list is empty
      2 | sinks: { o: { console: { table: [] } } }
        |                                 ^^
    hint: at least 1, as in [.]
  1 problem
  === rotation in words
  sources: { i: stdin }
  sinks: { o: { jsonl: { path: x, rotate: daily } } }
  --- 2
  p.yaml:2:41: a mapping is expected here, not the text “daily”
      2 | sinks: { o: { jsonl: { path: x, rotate: daily } } }
        |                                         ^^^^^
    hint: for example rotate: { size: 100MiB }
  1 problem
  === when beside a sink
  sources: { i: stdin }
  sinks: { o: { jsonl: x, when: .a } }
  --- 2
  p.yaml:2:25: “when” is not an option here
      2 | sinks: { o: { jsonl: x, when: .a } }
        |                         ^^^^
    hint: it is an option of jsonl: move it in, as in jsonl: { when: … }
  1 problem
  === from inside a sink
  sources: { i: stdin }
  sinks: { o: { jsonl: { path: x, from: i } } }
  --- 2
  p.yaml:2:33: jsonl has no option “from”
      2 | sinks: { o: { jsonl: { path: x, from: i } } }
        |                                 ^^^^
    hint: it belongs beside jsonl: move it out, as in { jsonl: …, from: … }
  1 problem
  === a sink of an unknown stream
  sources: { i: stdin }
  sinks: { o: { console: , from: slips } }
  --- 2
  p.yaml:2:32: unknown source or stream “slips”
      2 | sinks: { o: { console: , from: slips } }
        |                                ^^^^^
    hint: it can be “i”
  1 problem
  === a stream that no sink reads
  sources: { i: stdin }
  streams: { a: { from: i, steps: [] } }
  sinks: { o: { console: , from: i } }
  --- 2
  p.yaml:2:12: the stream “a” is not read by any sink
      2 | streams: { a: { from: i, steps: [] } }
        |            ^
    hint: add it to a sink, as in from: a
  1 problem
  === streams that form a cycle
  sources: { i: stdin }
  streams: { a: { from: b, steps: [] }, b: { from: a, steps: [] } }
  sinks: { o: { console: , from: a } }
  --- 2
  p.yaml:1:12: nothing reads the source “i”
      1 | sources: { i: stdin }
        |            ^
    hint: name it in the from of a stream or sink, or remove it
  p.yaml:2:50: these streams form a cycle: a → b → a
      2 | streams: { a: { from: b, steps: [] }, b: { from: a, steps: [] } }
        |                                                  ^
    hint: a stream cannot read its own output
  p.yaml:3:10: no source leads to this sink
      3 | sinks: { o: { console: , from: a } }
        |          ^
  3 problems
  === a stream without from
  sources: { i: stdin }
  streams: { a: { steps: [] } }
  sinks: { o: { console: , from: a } }
  --- 2
  p.yaml:2:12: nothing says what this stream reads
      2 | streams: { a: { steps: [] } }
        |            ^
    hint: a stream has from and steps: a: { from: …, steps: [ … ] }
  1 problem
  === a name that is used twice
  sources: { i: stdin }
  streams: { i: { from: i, steps: [] } }
  sinks: { o: { console: , from: i } }
  --- 2
  p.yaml:2:12: the name “i” is already used at line 1
      2 | streams: { i: { from: i, steps: [] } }
        |            ^
    hint: sources and streams need different names
  p.yaml:2:23: these streams form a cycle: i → i
      2 | streams: { i: { from: i, steps: [] } }
        |                       ^
    hint: a stream cannot read its own output
  2 problems
  === a source that nothing reads
  sources: { i: stdin, j: { file: x } }
  sinks: { o: { console: , from: i } }
  --- 2
  p.yaml:1:22: nothing reads the source “j”
      1 | sources: { i: stdin, j: { file: x } }
        |                      ^
    hint: name it in the from of a stream or sink, or remove it
  1 problem
  === a recording beside a live source
  sources: { i: { replay: x }, j: stdin }
  sinks: { o: { console: , from: [i, j] } }
  --- 2
  p.yaml:1:33: stdin answers in real time, and “i” runs in virtual time
      1 | sources: { i: { replay: x }, j: stdin }
        |                                 ^^^^^
    hint: replay all sources, or none
  1 problem
  """##
