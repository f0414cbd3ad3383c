import Foundation
import Testing

/// `--metrics FILE` and the probes of the page's server, against real processes.
@Suite("Metrics of a run", .timeLimit(.minutes(10)))
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
    #expect(outcome.status == 0, "\(outcome.errors)")
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

  @Test("a file that cannot be written, a dry run and a replay are refused before anything runs")
  func refused() throws {
    let place = try Workplace(Self.pipeline)
    let outcome = try place.flow("run", "--once", "--metrics", "none/flow.prom", "p.yaml")
    #expect(outcome.status == 2 && outcome.errors.contains("none/flow.prom: No such file or directory"))
    #expect(try place.flow("run", "--once", "--dry-run", "--metrics", "a.prom", "p.yaml").status == 2)
    #expect(!place.has("log.jsonl") && !place.has("a.prom"))
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
    #expect(try get("/readyz").contains("watch: in has been failing since"))
    #expect(try get("/healthz").hasPrefix("HTTP/1.1 200"))
    try place.write("rows.json", #"[{"n": 1}]"#)
    try running.wait(for: "readyz") { ((try? get("/readyz")) ?? "").hasPrefix("HTTP/1.1 200") }
    _ = try running.end(by: SIGTERM)
  }
}
