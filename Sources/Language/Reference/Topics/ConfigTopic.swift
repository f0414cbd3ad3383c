extension Topic {
  /// `flow docs config`: config.yaml.
  static let config = Topic("config", "config.yaml: settings that pipelines share") { _ in
    [
      .text(
        """
        `config.yaml` is looked for beside the pipeline, then in the working directory, then in `~/.config/flow`; the \
        first one is used. `--config FILE` names another.
        """),
      .code(
        info: "yaml no-test",
        text: #"""
          time_zone: Europe/Warsaw
          units: { height: ft }
          budgets: { api.nasa.gov: 1000 in 1h }
          state: /var/lib/flow
          defaults:
            http: { bearer: '${API_TOKEN}' }
            notify: { through: bell, at_most: 10 in 1h }
          """#),
      .table(
        columns: ["key", "meaning"],
        rows: [
          ["`time_zone`", "the zone of cron schedules and local times; default: the machine's"],
          [
            "`budgets`",
            "requests per host and period, as `15 in 1h`, or a list of such limits: `flow docs budgets`",
          ],
          ["`state`", "the folder for state and cache; default: `~/.local/state/flow`"],
          [
            "`defaults`",
            "options by kind of node, for all nodes that do not set them; expressions do not see it",
          ],
          ["`units`", "for the shipped pipelines: units of height, diameter, mass and payload"],
          ["any other", "your own settings: expressions see them as `$config.NAME`"],
        ]),
    ]
  }
}
