extension Topic {
  /// `flow docs budgets`: request budgets and the cache.
  static let budgets = Topic("budgets", "requests: limits per host, cache, retries, stale answers") { _ in
    [
      .text(
        """
        Requests to a host are paid from its budget, which all programs of a user share, and in a cluster all machines. \
        A poll that would exceed it \
        waits and says when it continues. flow knows the limits of Launch Library 2 (15 per hour without a key) and of \
        NASA's `DEMO_KEY` (30 per hour, 50 per day), and learns from services that report theirs. Other hosts have no \
        limit unless `config.yaml` sets one:
        """),
      .code(
        info: "yaml no-test",
        text: """
          budgets:
            api.example.org: 100 in 1h
            api.nasa.gov: [1000 in 1h, 5000 in 1d]
          """),
      .text(
        """
        - `cache` of a source is how old a response may be that is used again without a request. `--refresh` ignores \
        the cache.
        - A response with an ETag or a date is requested again only if it has changed.
        - A request that fails is retried a few times with a growing wait, or when `Retry-After` says; a retry leaves \
        at least one request in the budget.
        - `flow run --wait-budget 10m` fails a request that would wait longer than that for its budget, and \
        `--wait-budget 0` every request that would wait. A run with `--once` then exits with 1, and its log names the \
        time of the next possible request.
        - When the service is still down, the last good response is used; `$meta.stale` is true and `$meta.age` its \
        age. Without one, the poll fails, and the next poll tries again.
        """),
    ]
  }
}
