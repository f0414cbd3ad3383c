extension Topic {
  /// `flow docs streams`: pipelines with several chains.
  static let streams = Topic("streams", "several chains in one pipeline: splitting, merging, joining") { _ in
    [
      .text(
        """
        `streams` names chains of their own. `from` is a source, another stream, or a list of them, which are merged. \
        Without `steps` a stream passes on what it reads. A sink names its stream with `from` too, beside its kind.
        """),
      .code(
        info: "yaml streams.yaml",
        text: #"""
          sources:
            upcoming: { http: 'https://example.org/launches.json', every: 1h }
            previous: { http: 'https://example.org/previous.json', every: 1d }
          streams:
            slips:
              from: upcoming
              steps:
                - changes: { key: .id, watch: [.net], types: [changed] }
            silence:
              from: [upcoming, previous]
              steps:
                - timeout: { for: 3h, polls: true, pass: false }
          sinks:
            log: { jsonl: out/slips.jsonl, from: slips }
            alarm: { notify: 'upcoming: \(.type) since \(.since)', from: silence }
            screen: { console: , from: [slips, silence] }
          tests:
            - name: a slip is logged
              given:
                upcoming:
                  - { at: 0s, poll: [{ id: a, net: 1 }] }
                  - { at: 1h, poll: [{ id: a, net: 2 }] }
                  - { at: 1h, end: true }
                previous:
                  - { at: 0s, end: true }
              expect:
                log: [{ at: 1h, where: .key == "a" }]
          """#),
      .text(
        """
        A source or stream that several read is shared: it is polled and computed once. `flow check` rejects cycles, \
        unknown names and streams that nothing reads. A pipeline may have `steps` too: that chain reads all sources.

        `join: { with: OTHER, … }` looks up the latest event of another stream by key. `flow graph FILE` draws how a \
        pipeline is wired.
        """),
    ]
  }
}
