extension Topic {
  /// `flow docs recordings`: recordings and replays.
  static let recordings = Topic("recordings", "keep polls, and replay them in virtual time") { _ in
    [
      .text(
        """
        `flow run --record FOLDER` keeps each poll of a run in `FOLDER/SOURCE.jsonl`, one line per poll, and lookups \
        of `enrich` in `FOLDER/lookups.jsonl`. `flow run --replay FOLDER` answers with them instead of the network. It \
        runs in virtual time: `$now` is the time of the poll, and months take seconds. No state is kept unless you \
        pass `--state`. The source `replay` reads one such file as a part of a pipeline. With these lines in `rec/upcoming.jsonl`:
        """),
      .code(
        info: "jsonl rec/upcoming.jsonl",
        text: """
          {"at":"2026-01-01T00:00:00Z","rows":[{"id":"a","net":"May"}]}
          {"at":"2026-01-01T06:00:00Z","error":"no answer"}
          {"at":"2026-01-01T12:00:00Z","rows":[{"id":"a","net":"June"}],"meta":{"stale":false},"coverage":"complete"}
          """),
      .code(
        info: "yaml recorded.yaml",
        text: #"""
          sources: { upcoming: { http: 'https://example.org/launches.json', every: 6h } }
          steps:
            - changes: { key: .id }
          sinks: { screen: { console: '\(.key): \(.before.net) → \(.after.net) on \($meta.at)' } }
          """#),
      .console(
        """
        $ flow run --replay rec recorded.yaml
        upcoming: the poll recorded at 2026-01-01T06:00:00Z had failed: no answer
        a: May → June on 2026-01-01T12:00:00Z
        """),
      .table(
        columns: ["member", "meaning"],
        rows: [
          ["`at`", "when the poll was made"], ["`rows`", "its rows"],
          ["`error`", "instead of rows, why it failed"],
          ["`meta`", "what the source added to `$meta`, as `stale`"],
          [
            "`coverage`",
            "`complete`, `truncated` or `partial`; with `order`, `last` and `moves` where truncated",
          ],
        ]),
      .text(
        """
        Older recordings have no `coverage`. A poll of such a recording with as many rows as the source's `limit` \
        counts as truncated. So do the longest polls of a recording of launches in which nearly all polls have the \
        same length, since a list that is read whole has another length now and then.
        """),
      .heading("What sinks do in a replay"),
      .text(
        """
        Replayed and simulated runs leave real outputs alone. What sinks write below `out` lies below `out/replay` or \
        `out/sky`; commands are not run, requests not sent, notifications not shown. `--live-sinks` makes all sinks \
        act as in a real run, `--out FOLDER` names another folder, and `--dry-run` writes nothing and prints what each \
        sink would do. Secrets are redacted in recordings.

        Under `--sky`, launches by version 2.3.0 of Launch Library 2 and APOD's pictures are simulated; versions 2.2.0 and \
        2.0.0 and the SpaceX API are recorded answers, which never change.
        """),
    ]
  }
}
