extension Topic {
  /// `flow docs examples`: how the examples of nodes are written.
  static let examples = Topic("examples", "how to read the examples of steps") { _ in
    [
      .text(
        """
        An example of a step has what goes in and, behind an arrow, what comes out. Each line is a time after the start \
        and what happens then; in the tests of flow itself they run in virtual time as they are printed. Examples of \
        sources and sinks show options alone.
        """),
      .table(
        columns: ["line", "meaning"],
        rows: [
          ["`0s {\"id\": 1}`", "an event; in an example with polls, a row of the next poll"],
          ["`5s poll`", "the end of a poll, whose rows are the lines since the poll before"],
          ["`5s poll partial`", "the same, of a poll that has seen an unknown part of its list"],
          [
            "`5s poll truncated .net`",
            "the same, of a list in the order of .net (descending: -.net) that is cut off behind its last row",
          ],
          ["`5s poll truncated .net moves`", "the same, where rows change their position in that order"],
          ["`5s poll stale`", "the same, of a service that failed, so that an old response is used"],
          ["`5s failure`", "a poll that failed"],
          ["`9s end`", "the source ends"],
          ["`→ 5s {\"id\": 1}`", "what the step sends, and when"],
          ["`→ nothing`", "it sends nothing"],
          ["`with, from other`", "events of a second source, called other, which the step reads too"],
          ["`with, from the network`", "the response to each request: its address and a value"],
        ]),
      .text(
        """
        To try a step of your own in this way, write a test: see `flow docs tests`. `flow test -v` draws what it sends.
        """),
    ]
  }
}
