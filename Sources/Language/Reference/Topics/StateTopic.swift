extension Topic {
  /// `flow docs state`: state, resuming and dead letters.
  static let state = Topic("state", "what a pipeline remembers, how it resumes, dead letters") { _ in
    [
      .text(
        """
        What steps remember, how far sources were read and what sinks still have to deliver is committed together, in \
        one SQLite transaction per epoch, to `~/.local/state/flow/NAME.db`. NAME is the pipeline's `name`, or the name \
        of its file. After a stop, a crash or a power cut the next `flow run` resumes from the last commit.

        A pipeline in which no node keeps state has no such file. `--state FOLDER` names another folder, `--no-state` \
        keeps nothing. One process at a time runs a pipeline.
        """),
      .code(
        info: "yaml counts.yaml",
        text: """
          sources: { in: { file: in.jsonl } }
          steps:
            - dedupe: .id
          sinks: { log: { jsonl: out/new.jsonl } }
          """),
      .console(
        """
        $ echo '{"id":1}' >in.jsonl
        $ flow run counts.yaml
        $ flow run counts.yaml
        $ cat out/new.jsonl
        {"id":1}
        $ flow state show counts dedupe
        {"key":1,"value":…}
        """),
      .table(
        columns: ["command", "what it does"],
        rows: [
          ["`flow status [NAME…]`", "show what each pipeline does, and what is wrong"],
          ["`flow state ls`", "list every pipeline that has state"],
          ["`flow state ls NAME`", "list its steps, sources and sinks"],
          ["`flow state show NAME NODE`", "print what a node remembers, as JSON"],
          ["`flow state rename NAME OLD NEW`", "move the state of a node that has another name now"],
          ["`flow state reset NAME [NODE…]`", "forget everything, or some nodes"],
          ["`flow state dead ls NAME`", "list the dead letters: events and deliveries that were given up"],
          [
            "`flow state dead retry NAME [NUMBER…]`",
            "put them back; the next run tries again, a delivery with the same id",
          ],
          ["`flow state dead drop NAME [NUMBER…]`", "delete them"],
        ]),
      .heading("Editing a pipeline that has state"),
      .text(
        """
        State is found by the names of nodes, so other nodes can be added, removed and changed. A step whose key \
        expression changed starts over, with a warning. So does a node that is renamed: the warning names the state that \
        belongs to no node any more, and `flow state rename` moves it. A pipeline under another name has a file of its own.
        """),
      .heading("Epochs"),
      .text(
        """
        An epoch is what is committed together: a poll, a timer, or a few pieces of a file. `epoch` sets how much of a \
        source that never rests goes into one. `on_stop: keep` leaves events that steps hold to the next run; `flush` \
        sends them at the end. `fsync: never` makes commits survive the process, but not a power cut.
        """),
    ]
  }
}
