extension Topic {
  /// `flow docs steps`: steps, their order and names.
  static let steps = Topic("steps", "how events are transformed: order and names") {
    catalog in
    [
      .text(
        """
        `steps` is one chain. Events of all sources pass through it in order, and it feeds every sink without \
        `from`. A pipeline with several chains has `streams` instead, or besides: `flow docs streams`.
        """),
      .nodes(catalog.steps),
      .text("`flow docs KIND` describes one of them, with examples of what goes in and what comes out."),
      .yaml(
        """
        steps:
          - map: { id: .id, name: .name, status: .status.abbrev }
          - filter: .status != null
          - changes: { key: .id }
            name: launches
            on_error: { dead_letter: out/failed.jsonl }
        """),
      .heading("Beside every step"),
      .options(StepOptions.all),
      .text(
        """
        State is found again by name. A step without `name` is called by its kind, the second of a kind `KIND-2`, so \
        steps of other kinds can be added and removed freely. Before adding a second `changes` above an existing \
        one, name the existing one, or it loses its state.
        """),
    ]
  }
}
