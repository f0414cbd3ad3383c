extension Topic {
  /// `flow docs pipeline`: the keys and values of pipeline files.
  static let pipeline = Topic("pipeline", "the keys of a pipeline file, and how values are written") {
    catalog in
    [
      .text(
        """
        A pipeline is one YAML file. Sources bring events in, steps transform them, sinks write them out. `flow check` \
        reports every mistake at once; `flow schema` prints a JSON Schema for editors.
        """),
      .yaml(
        #"""
        name: slips
        description: Report launches that slip.
        vars: { provider: null }        # --set provider=SpaceX
        sources:
          upcoming: { http: 'https://example.org/launches.json', every: 6h }
        steps:
          - filter: $vars.provider == null or .provider == $vars.provider
          - changes: { key: .id, watch: [.net] }
        sinks:
          screen: { console: '\(.after.name) slipped to \(.after.net)' }
          log: { jsonl: out/slips.jsonl }
        """#),
      .heading("Keys"),
      .members("key", of: PipelineSchema.make(catalog)),
      .text(
        """
        Only `sources` and `sinks` are required. With `on_stop: keep`, the default, events that steps hold when the \
        pipeline stops wait for the next run; `flush` sends them before the end. `fsync: never` trades safety at a \
        power cut for speed. With `trace: 1000 events` the last thousand events that sources have read are kept with \
        the state on this machine, and what became of each: `flow why` and `flow why-not` show it. Keys that begin with \
        `x-` are ignored: they are a place for YAML anchors. `epoch` takes:
        """),
      .options(EpochOptions.all),
      .heading("Values"),
      .table(
        columns: ["type", "as in"],
        rows: [
          ["duration", "`90s`, `10m`, `6h`, `1d`, `1m30s`, `200ms`"], ["size", "`64KiB`, `100MiB`, `4GiB`"],
          ["time", "`2026-01-01`, `2026-01-01T12:00:00Z`"],
          ["expression", "jq: `.status == \"Go\"`; see `flow docs expressions`"],
          [
            "template",
            #"text with jq in it: `'\(.name) slipped'`, in single quotes, or YAML reads the backslash"#,
          ],
          ["list of …", "one value stands for a list of one"],
          ["secret", "text that is redacted in all output"],
        ]),
      .text(
        """
        A node with one obvious option has a shorthand: `filter: .n > 1` is `filter: { where: .n > 1 }`. In options \
        that are neither expression nor template, a value that is exactly `$vars.NAME` or `$config.NAME` stands for \
        that variable; null leaves the option out.
        """),
      .heading("Variables from outside"),
      .text(
        """
        `vars` declares names with their defaults; `flow run --set NAME=VALUE` replaces them. `${NAME}` in a value is \
        the environment variable NAME, and `${NAME:-default}` has a default. It is a value, never YAML or jq code, and \
        is redacted in all output.
        """),
      .table(
        columns: ["placeholder", "its value"],
        rows: [
          ["${NAME}", "the variable of the environment"],
          [
            "${file:PATH}",
            "the text of a file, such as `/run/secrets/token`; a relative path is next to the pipeline",
          ],
          ["${credential:NAME}", "a credential of the service: `LoadCredential=NAME:PATH` in its unit"],
          ["${exec:COMMAND}", "what a shell command prints, such as `pass show token`, within a minute"],
        ]),
      .text(
        """
        All but commands may have a default, after `:-`. Line ends at the end of a value are dropped, and a value has at \
        most 64 KiB. Commands run when `flow run` reads the file, each once, and never for `flow check`, `test` or \
        `graph`: what depends on their output is checked when the pipeline starts.
        """),
      .yaml(
        #"""
        vars: { limit: 20 }
        sources:
          items: { http: { url: 'https://example.org/items', bearer: '${TOKEN:-}', query: { n: $vars.limit } } }
        """#),
      .heading("Shared definitions"),
      .text(
        """
        `include` lists files of jq definitions (`def name: …;`) that every expression of the pipeline can use.
        """),
      .heading("Where files are"),
      .text(
        """
        What belongs to a pipeline is searched next to the pipeline file, then in the working directory: included \
        definitions (next to it only), recordings of `replay`, and the program or script of a command, as in \
        `[sh, notify.sh]`. What a pipeline reads as data (`file`) and what it writes is relative to the working \
        directory. So a pipeline runs from any folder.

        Commands accept the name of an installed pipeline in place of a path: `flow run new-launches`. A file of that \
        name in the working directory takes precedence. Pipelines are searched in `~/.local/share/flow/pipelines` \
        (`$XDG_DATA_HOME`), in `share/flow/pipelines` beside the `bin` folder of `flow`, and in `flow/pipelines` of \
        `$XDG_DATA_DIRS`. `flow new --from NAME -o FILE` copies one together with the files that belong to it.
        """),
    ]
  }
}
