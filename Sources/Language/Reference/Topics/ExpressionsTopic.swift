extension Topic {
  /// `flow docs expressions`: the variables and functions of expressions.
  static let expressions = Topic("expressions", "jq, what $meta contains, flow's own functions") {
    _ in
    [
      .text(
        #"""
        Expressions are jq 1.8, compiled. `.` is the event. `map` emits one event for each output; `filter` and `when` \#
        keep an event unless the first output is false or null. Templates are text with expressions in `\(…)`.

        `flow eval` runs an expression over a file, to try it. Quote an expression that begins with `{`, `[`, `"` or \#
        `#`, or contains `: ` or ` #`, so that YAML leaves it alone.
        """#),
      .yaml(
        #"""
        vars: { least: 10 }
        steps:
          - filter: .bikes >= $vars.least
          - map: { id: .id, seen: $meta.at, age: '$now - (.updated | fromdate)' }
          - map: '.tags[] as $tag | { id, tag: $tag }'
        sinks:
          screen: { console: '\(.id) \(.tag | ascii_upcase)' }
        """#),
      .heading("Variables"),
      .table(
        columns: ["variable", "value"],
        rows: [
          ["`$now`", "the time, in seconds since 1970; virtual in tests and replays, the sky's with --sky"],
          ["`$vars`", "the pipeline's `vars`, with what `--set` and tests replace"],
          ["`$config`", "the members of `config.yaml`, without `defaults`"],
          ["`$meta`", "the poll that the event came with: see below"],
          ["`$event`", "in `update` and `emit` of `scan`: the event, where `.` is the state"],
          ["`$other`", "in `emit` of `join`: the event that was found"],
          ["`$answer`", "in `with` of `enrich`: what the service answered"],
        ]),
      .heading("Members of $meta"),
      .table(columns: ["member", "value"], rows: metaMembers.map { ["`\($0.name)`", $0.doc] }),
      .console(
        """
        $ echo '{"id":1}' >in.jsonl
        $ printf '%s\\n' 'sources: { in: { file: in.jsonl } }' 'sinks: { out: { console: "\\\\($meta)" } }' >meta.yaml
        $ flow run meta.yaml
        {"source":"in","poll":null,"at":"…"}
        """),
      .heading("Functions that flow adds to jq"),
      .table(columns: ["function", "result"], rows: functions.map { ["`\($0.call)`", $0.doc] }),
      .console(
        """
        $ flow eval -n '"2026-01-01T12:00:00Z" | fromdate | format_time("%H:%M %Z"; "Asia/Tokyo")'
        "21:00 JST"
        $ flow eval -nc '"2026-01-01T12:00:00Z" | fromdate | localtime_in("Europe/Warsaw")'
        [2026,0,1,13,0,0,4,0]
        $ flow eval -nc '(now - 7200 | ago), (8848 | feet | round), (1000 | pounds | round), ("Łódź 2" | slug)'
        "2 hours ago"
        29029
        2205
        "lodz-2"
        """),
      .heading("Limits"),
      .text(
        """
        A pipeline's expressions have no `input`, no environment variables and no files beyond `include`. Each \
        evaluation has a limit of steps, memory and time; one that exceeds it fails for that event. An expression \
        that fails sends its event to `on_error`: `flow docs errors`.
        """),
    ]
  }

  /// What `$meta` may contain.
  package static let metaMembers: [(name: String, doc: String)] = [
    ("source", "the name of the source"),
    ("poll", "the number of the poll, from 1; null for a source without polls"),
    ("at", "when it was read, as `2026-01-01T12:00:00Z`"),
    (
      "coverage",
      "how much of the list the poll has seen: `complete`, `truncated` (its beginning) or `partial` (rows are missing)"
    ),
    ("order", "of a truncated list, the member it is sorted by: `.net`, or `-.net` for descending"),
    ("last", "of a truncated list, that member of the last row; nothing beyond it is added or removed"),
    ("moves", "of a truncated list, true if rows may move beyond its end"),
    ("stale", "true if the service failed and its last good response is used, by the source or by `enrich`"),
    ("age", "of a stale response, its age in seconds"),
    ("simulated", "true for responses of the simulated sky"),
    ("event", "the type of a server-sent event"),
    ("id", "its id; null without one"),
    ("each", "the entry that was polled, of a source with `each`"),
    ("entry", "what that entry is known by, unless it is the entry itself"),
    (
      "gone",
      "of the last, empty poll of an entry that has left the list: `remove` or `forget`, as `when_gone` says"
    ),
  ]

  /// The functions that the jq language of this package has in addition to jq's.
  package static let functions: [(call: String, doc: String)] = [
    (
      #"format_time("%H:%M %Z"; "Asia/Tokyo")"#,
      "seconds since 1970, or broken down time, as text in a time zone"
    ),
    (#"localtime_in("Europe/Warsaw")"#, "seconds since 1970 as broken down time in a time zone"),
    ("ago", "seconds since 1970 or a date as `3 hours ago`, `in 2 days`"),
    ("feet", "metres in feet"), ("pounds", "kilograms in pounds"),
    ("slug", "text in lower case with single hyphens, without accents: for file names and addresses"),
    (
      "text_diff(.before; .after)",
      "the lines in which two texts differ, as `diff -u` shows them; null counts as an empty text"
    ),
  ]
}
