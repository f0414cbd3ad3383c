extension Topic {
  /// `flow docs tests`: tests in pipeline files.
  static let tests = Topic("tests", "tests in the pipeline file, run by flow test in virtual time") {
    catalog in
    func members(_ name: String) -> Part {
      let definitions = PipelineSchema.make(catalog).member("definitions")
      return .members("key", of: definitions?.member(name) ?? .emptyObject)
    }
    return [
      .text(
        """
        `tests` is a list. A test says what each source answers and when, and what each sink receives. Steps run as \
        they do in `flow run`, but hours pass in no time, nothing is requested, and sinks only note what they receive.
        """),
      .code(
        info: "yaml tests.yaml",
        text: #"""
          vars: { least: 5 }
          sources:
            stations: { http: 'https://example.org/stations.json', every: 10m }
          steps:
            - filter: .bikes >= $vars.least
            - changes: { key: .id }
            - settle: 1m
          sinks:
            log: { jsonl: out/stations.jsonl }
            alarm: { notify: { title: '\(.key) is gone', when: .type == "removed" } }
          tests:
            - name: a removal is reported after a quiet minute; a failed poll removes nothing
              given:
                stations:
                  - { at: 0m, poll: [{ id: a, bikes: 9 }, { id: b, bikes: 7 }] }
                  - { at: 10m, error: the server is down }
                  - { at: 20m, poll: [{ id: a, bikes: 9 }] }
              expect:
                log: [{ at: 21m, where: .type == "removed" and .key == "b" }]
                alarm: [{ at: 21m }]

            - name: with other vars, at another time
              now: "2026-03-01T00:00:00Z"
              vars: { least: 100 }
              given:
                stations: [{ poll: [{ id: a, bikes: 9 }] }]
              expect:
                log: []
          """#),
      .console(
        """
        $ flow test tests.yaml
        tests.yaml
          ok    a removal is reported after a quiet minute; a failed poll removes nothing
          ok    with other vars, at another time
        2 passed, 0 failed
        """),
      .heading("Keys of a test"), members("test"),
      .heading("Answers under given"),
      .text("A list for each source. Each answer has `at` and one of the others."), members("given"),
      .heading("Events under expect"),
      .text(
        """
        A list for each sink, in order. A sink that is named must receive exactly these events; an empty list expects \
        none; a sink that is not named may receive anything. `when` of the sink is applied first.
        """),
      members("expected"),
      .heading("Lookups"),
      .text("`web` answers the requests of `enrich`, by address. null is an answer of 404."),
      .yaml(
        #"""
        sources: { in: { file: in.jsonl } }
        steps:
          - enrich: { url: 'https://example.org/rockets/\(.rocket)', with: .rocket = $answer.name }
        sinks: { out: console }
        tests:
          - name: a rocket by its id
            given: { in: [{ event: { id: 1, rocket: r1 } }] }
            web: { 'https://example.org/rockets/r1': { name: Heron 9 } }
            expect: { out: [{ is: { id: 1, rocket: Heron 9 } }] }
        """#),
      .text(
        """
        A failed test shows what came instead and a diagram of the events of each node over time. `flow test` exits \
        with 1 if a test fails, 2 if a file is wrong. `flow test --lanes 4` also runs each test of a pipeline with a \
        `partition` in four tasks and in one, and compares what the sinks receive.
        """),
    ]
  }
}
