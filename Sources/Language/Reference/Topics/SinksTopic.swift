extension Topic {
  /// `flow docs sinks`: sinks, their conditions and guarantees.
  static let sinks = Topic("sinks", "how events go out: conditions, guarantees") {
    catalog in
    [
      .text(
        "`sinks` names each sink. Every sink receives every event of its stream, unless `when` says otherwise."
      ),
      .nodes(catalog.sinks),
      .yaml(
        #"""
        sinks:
          screen: console
          log: { jsonl: 'out/\(.provider | slug).jsonl' }
          alarm: { notify: { title: '\(.name) slipped', when: .type == "changed" } }
        """#),
      .heading("Within every sink"),
      .options(SinkOptions.within),
      .heading("Beside every sink"),
      .options(SinkOptions.beside),
      .heading("After a crash"),
      .table(
        columns: ["sink", "guarantee with state"],
        rows: [
          ["`jsonl`, `csv`", "each line exactly once, whole and in order"],
          ["`exec`, `notify`, `http`", "at least once; a repeat has the same id"],
          ["`git`", "each version is committed once"],
          ["`download`, `ics`, `feed`", "the file is replaced when it is whole"],
          ["`console`, `count`", "none: they print"],
        ]),
      .text(
        """
        Without state (`--no-state`) nothing is guaranteed beyond the process. `flow run --dry-run` shows what each \
        sink would receive and writes nothing.
        """),
    ]
  }
}
