extension Topic {
  /// `flow docs sources`: sources, their schedules and polls.
  static let sources = Topic("sources", "how events come in: schedules and polls") { catalog in
    [
      .text(
        """
        `sources` names each source. A source has one kind, with its options, and beside it the options of all \
        sources.
        """),
      .nodes(catalog.sources),
      .text("`flow docs KIND` describes one of them."),
      .yaml(
        """
        sources:
          upcoming:
            http: { url: 'https://example.org/launches.json', rows: '.results[]' }
            cron: '0 7 * * mon-fri'
            time_zone: Europe/Warsaw
        """),
      .heading("Beside every source"),
      .options(SourceOptions.all),
      .text(
        """
        `every` and `cron` are for sources that are polled. Without either, a source is polled once. `flow run --once` \
        polls each source once, whatever its schedule. A file and standard input are read to their end and have no \
        schedule.

        A poll succeeds or fails as a whole: an error page, a truncated answer or a missing page is a failed poll, \
        never rows that were removed. `$meta.coverage` says how much of its list a poll has seen:

        - `complete`: the whole list. `launch_library`, and `http` with `total`, count the different rows.
        - `truncated`: `limit` has cut the list. Nothing beyond its last row is added or removed.
        - `partial`: some rows are missing, as when the list changed while its pages were read. No row is removed.

        A failed poll is repeated after `retry`, at times that grow up to an hour, until one succeeds or the schedule \
        polls; the schedule stays as it is. A request that the server refuses (404, 401) waits for the schedule. `flow \
        status` shows the next poll.

        Each source reads ahead of the pipeline by `buffer` polls. When the pipeline is slower, the source waits, \
        unless `when_full` says otherwise.
        """),
    ]
  }
}
