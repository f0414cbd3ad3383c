extension Topic {
  /// `flow docs errors`: failures, retries and exit codes.
  static let errors = Topic("errors", "failures: retries, dead letters, exit codes") { _ in
    [
      .table(
        columns: ["what fails", "what happens"],
        rows: [
          [
            "the file", "`flow check` and `flow run` report every mistake with line and column; nothing runs",
          ],
          ["a poll", "it is reported, removes nothing, and the next poll tries again"],
          ["a line of a file that is not JSON", "it is reported and skipped"],
          ["an expression, for one event", "the event goes to `on_error`"],
          [
            "`exec`, `http`, `notify`, `download`",
            "retried with a growing wait; after the last attempt a dead letter",
          ],
          [
            "the lookup of an event by `enrich`",
            "repeated for `patience`, over restarts; then, or if it is refused, a dead letter",
          ],
          ["a full disk", "the pipeline waits, and continues when there is room"],
        ]),
      .heading("on_error"),
      .text("Beside a node, or at the top of the file for all nodes:"),
      .table(
        columns: ["value", "meaning"],
        rows: [
          [
            "`log`",
            "the default: report the event with the reason, and drop it; what sinks and `enrich` give up is a dead letter",
          ],
          ["`{ dead_letter: PATH }`", "append the event and the reason to a file, as JSON"],
          ["`stop`", "end the pipeline, with exit code 1"],
        ]),
      .code(
        info: "yaml dead.yaml",
        text: """
          sources: { in: { file: bad.jsonl } }
          steps:
            - map: .n + 1
              on_error: { dead_letter: out/dead.jsonl }
          sinks: { out: console }
          """),
      .console(
        """
        $ echo '{"n":[]}{"n":1}' >bad.jsonl
        $ flow run dead.yaml
        …
        2
        $ flow eval -c .input out/dead.jsonl
        {"n":[]}
        """),
      .heading("Errors as a stream"),
      .text(
        """
        `from: errors` reads what goes wrong in the pipeline itself: {type, node, at, message, details}, where type is \
        failed or recovered. A failing source is reported once, then less and less often, and again on recovery. \
        Per node, the first three failed events a minute are reported, then a count. Errors of what reads it are only \
        logged. Where the name is taken, declare the source with another one: `sources: { trouble: errors }`.
        """),
      .code(
        info: "yaml alarm.yaml",
        text: #"""
          sources: { api: { http: 'https://example.org/rows.json', every: 1h } }
          steps: [ changes: .id ]
          sinks:
            log: { jsonl: out/rows.jsonl, from: steps }
            alarm: { notify: '\(.node) \(.type): \(.message)', from: errors }
          tests:
            - name: a failing poll is reported
              given:
                api:
                  - { at: 0s, poll: [{ id: 1 }] }
                  - { at: 1h, error: the server is down }
              expect:
                alarm: [{ at: 1h, where: .type == "failed" and .node == "api" }]
          """#),
      .heading("Retries"),
      .text(
        """
        `attempts` (3) limits how often a delivery is tried, `backoff` (1s) is the wait before the second attempt, \
        which doubles up to a minute, and `timeout` limits one attempt. The first failed attempt is reported, then \
        those at growing distances. What was given up is a dead letter in the \
        state: `flow state dead ls NAME` lists it, `flow state dead retry NAME --all` puts it back. An event whose \
        lookup was given up is a dead letter too, unless `on_error: { dead_letter: PATH }` of its step keeps it in a file.
        """),
      .heading("Exit codes"),
      .table(
        columns: ["code", "meaning"],
        rows: [
          ["0", "success; also after SIGTERM"],
          ["1", "failed while running, or lost something: an event, a delivery, every poll; a test failed"],
          ["2", "wrong usage, or an invalid file"], ["130", "interrupted with Ctrl-C"],
        ]),
    ]
  }
}
