import Expectations
import Foundation
import Testing

/// `--metrics FILE` and the probes of the page's server, against real processes.
@Suite("Metrics of a run", .timeLimit(.minutes(30)))
struct RunMetricsTests {
  private static let pipeline = """
    name: watch
    sources: { numbers: { generate: '{ n: 1 }, { n: 2 }', every: 1h } }
    steps: [dedupe: .n]
    sinks: { log: { jsonl: log.jsonl } }
    """

  @Test("one poll leaves a file that everyone can read, with the counters of each node")
  func once() throws {
    let place = try Workplace(Self.pipeline)
    let outcome = try place.shell("umask 077; \"$0\" run --once --metrics flow.prom p.yaml")
    expect(outcome.status, equals: 0, "\(outcome.errors)")
    let mode = try FileManager.default.attributesOfItem(atPath: place["flow.prom"])[.posixPermissions]
    #expect(mode as? Int == 0o644)
    let lines = place.lines("flow.prom")
    for line in [
      #"flow_pipeline_up{pipeline="watch"} 0"#, #"flow_pipeline_problems{pipeline="watch"} 0"#,
      #"flow_source_rows{pipeline="watch",source="numbers"} 2"#,
      #"flow_node_state_keys{pipeline="watch",node="dedupe",kind="dedupe",role="step"} 2"#,
      #"flow_node_events_out_total{pipeline="watch",node="log",kind="jsonl",role="sink"} 2"#,
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    #expect(!place.text("flow.prom").contains("flow_build_info"))
    #expect(!place.has("flow.prom.flow-new"))
  }

  private static let measured = """
    name: watch
    sources: { in: { file: in.jsonl } }
    sinks:
      level: { metrics: { gauge: level_meters, value: .level, labels: { at: '\\(.at)' }, help: 'Water "level"' } }
      news: { metrics: { counter: news_total, labels: { at: '\\(.at)' }, bound: 2 } }
    """

  private func level(_ place: Workplace, _ events: String...) throws -> [String] {
    try place.write("in.jsonl", events.joined(separator: "\n") + "\n")
    let outcome = try place.flow("run", "--metrics", "flow.prom", "p.yaml")
    // What is beyond the bound of the counter is lost.
    expect(outcome.status, equals: (outcome.errors.contains("bound") ? 1 : 0), "\(outcome.errors)")
    return place.lines("flow.prom").filter { $0.contains("level_meters") || $0.contains("news_total") }
  }

  @Test("the sink metrics measures the data: a gauge has the last value until null, a counter continues")
  func data() throws {
    let place = try Workplace(Self.measured)
    let first = try level(
      place, #"{"at": "a\"\n", "level": 1.5}"#, #"{"at": "b", "level": 2}"#, #"{"at": "b", "level": 3}"#)
    expect(
      first,
      equals: [
        #"# HELP level_meters Water "level""#, "# TYPE level_meters gauge",
        #"level_meters{pipeline="watch",at="a\"\n"} 1.5"#, #"level_meters{pipeline="watch",at="b"} 3"#,
        "# HELP news_total ", "# TYPE news_total counter",
        #"news_total{pipeline="watch",at="a\"\n"} 1"#, #"news_total{pipeline="watch",at="b"} 2"#,
      ])
    // The next run reads the file that has taken the place of the first, and goes on with the numbers.
    let second = try level(place, #"{"at": "b", "level": null}"#, #"{"at": "c", "level": 7}"#)
    #expect(second.contains(#"level_meters{pipeline="watch",at="c"} 7"#))
    #expect(second.contains(#"news_total{pipeline="watch",at="b"} 3"#))
    #expect(!second.contains { $0.hasPrefix("level_meters") && $0.contains("at=\"b\"") })
    #expect(!second.contains { $0.hasPrefix("news_total") && $0.contains("at=\"c\"") }, "beyond its bound")
  }

  private static var hasParser: Bool {
    (try? Workplace().shell("python3 -c 'import prometheus_client'").status) == 0
  }

  @Test(
    "Prometheus's own client reads them",
    .enabled(if: hasParser, "python3 -m pip install prometheus_client, for this test"))
  func parser() throws {
    let place = try Workplace(Self.measured)
    _ = try level(place, #"{"at": "a \\ \"b\"", "level": 1e300}"#, #"{"at": "ż", "level": -0.25}"#)
    let program = """
      import sys
      from prometheus_client.parser import text_string_to_metric_families as read
      for family in read(open("flow.prom").read()):
          for sample in family.samples: print(sample.name, sample.labels.get("at"), sample.value)
      """
    try place.write("read.py", program)
    let outcome = try place.shell("python3 read.py")
    expect(outcome.status, equals: 0, "\(outcome.errors)")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.contains(#"level_meters a \ "b" 1e+300"#) && lines.contains("level_meters ż -0.25"))
    #expect(lines.contains { $0.hasPrefix("flow_pipeline_up ") })
  }

  @Test("a file that cannot be written, a dry run and a replay are refused before anything runs")
  func refused() throws {
    let place = try Workplace(Self.pipeline)
    let outcome = try place.flow("run", "--once", "--metrics", "none/flow.prom", "p.yaml")
    #expect(
      outcome.status == 2 && outcome.errors.contains("none/flow.prom: cannot open: No such file or directory")
    )
    try expect(place.flow("run", "--once", "--dry-run", "--metrics", "a.prom", "p.yaml").status, equals: 2)
    #expect(!place.has("log.jsonl") && !place.has("a.prom"))
  }

  @Test("metrics that cannot take their place are reported, and leave no draft behind")
  func taken() throws {
    let place = try Workplace(Self.pipeline)
    _ = try place.shell("mkdir taken")
    let outcome = try place.flow("run", "--once", "--metrics", "taken", "p.yaml")
    #expect(outcome.errors.contains("taken: cannot give the new file its name: Is a directory"))
    #expect(!place.has("taken.flow-new"))
  }

  @Test("the page's server answers metrics and probes, and is not ready while a source fails")
  func server() throws {
    let place = try Workplace(
      """
      name: watch
      sources: { in: { exec: { command: [cat, rows.json] }, every: 100ms } }
      sinks: { log: { jsonl: log.jsonl } }
      """)
    try place.write("rows.json", #"[{"n": 1}]"#)
    let running = try place.start("--page=unix:page.sock")
    try running.waitForLines(1, in: "log.jsonl")
    func get(_ path: String) throws -> String {
      try place.shell("curl -s -i --unix-socket page.sock http://localhost\(path)").output
    }
    #expect(try get("/healthz").hasPrefix("HTTP/1.1 200") && get("/readyz").hasPrefix("HTTP/1.1 200"))
    let metrics = try get("/metrics")
    #expect(metrics.contains("Content-Type: text/plain; version=0.0.4"))
    #expect(metrics.contains("\nflow_build_info{") && metrics.contains("\nprocess_open_fds "))
    #expect(metrics.contains(#"flow_pipeline_up{pipeline="watch"} 1"#))
    try place.remove("rows.json")
    try running.wait(for: "readyz to fail") { ((try? get("/readyz")) ?? "").hasPrefix("HTTP/1.1 503") }
    #expect(try get("/readyz").contains("watch: in fails since"))
    #expect(try get("/healthz").hasPrefix("HTTP/1.1 200"))
    try place.write("rows.json", #"[{"n": 1}]"#)
    try running.wait(for: "readyz") { ((try? get("/readyz")) ?? "").hasPrefix("HTTP/1.1 200") }
    _ = try running.end(by: SIGTERM)
  }
}
