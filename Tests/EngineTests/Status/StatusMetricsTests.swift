import Engine
import Expectations
import Foundation
import Testing

@Suite("Metrics of a status")
struct StatusMetricsTests {
  private static var status: RunStatus {
    var source = SourceStatus(name: "upcoming", kind: "http", isPolled: true)
    (source.polls, source.failedPolls, source.nextPoll) = (7, 3, .infinity)
    source.lastPoll = .init(at: 1000.5, rows: 230, coverage: "complete", isStale: true)
    source.failure = .init(since: 2000, polls: 2, reason: "no answer")
    source.lastGood = 900
    var step = NodeStatus(name: "map", kind: "map", role: .step)
    (step.eventsIn, step.seconds) = (9, 0.25)
    var sink = NodeStatus(name: "tell", kind: "exec", role: .sink)
    (sink.eventsIn, sink.givenUp, sink.queue, sink.deadLetters) = (9, 1, 4, 2)
    var pipeline = PipelineStatus(name: "a\"b\\c\nd", path: "p.yaml", phase: .running, started: 10)
    var stream = SourceStatus(name: "stream", kind: "http", isPolled: false)
    (stream.polls, stream.failedPolls, stream.failure) = (4, 2, .init(since: 2000, polls: 1, reason: "cut"))
    pipeline.sources = [source, SourceStatus(name: "in", kind: "file", isPolled: false), stream]
    pipeline.nodes = [step, sink]
    var status = RunStatus(process: 1, version: "0.1.0", at: 30, pipelines: [pipeline])
    status.budgets = [BudgetStatus(host: "api.nasa.gov", limit: 30, period: 3600, remaining: 12)]
    return status
  }

  @Test("the text has every metric once, with its help and type, and escapes labels")
  func text() {
    let lines = PrometheusText.text(Self.status.metrics).split(separator: "\n").map(String.init)
    let pipeline = #"pipeline="a\"b\\c\nd""#
    for line in [
      #"flow_build_info{version="0.1.0"} 1"#, "flow_pipeline_up{\(pipeline)} 1",
      // Failing, stale and a dead letter: as flow status counts.
      "flow_pipeline_problems{\(pipeline)} 3",
      "flow_source_last_good_timestamp_seconds{\(pipeline),source=\"upcoming\"} 900",
      "flow_source_failing_polls{\(pipeline),source=\"upcoming\"} 2",
      "flow_source_failing_polls{\(pipeline),source=\"stream\"} 1",
      "flow_node_events_in_total{\(pipeline),node=\"map\",kind=\"map\",role=\"step\"} 9",
      "flow_node_processing_seconds_total{\(pipeline),node=\"map\",kind=\"map\",role=\"step\"} 0.25",
      "flow_sink_dead_letters{\(pipeline),sink=\"tell\"} 2",
      #"flow_host_budget_remaining{host="api.nasa.gov",window_seconds="3600"} 12"#,
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    // A time that is infinite, and a source without polls or connections, have no series.
    #expect(!lines.contains { $0.contains("next_poll") || $0.contains("source=\"in\"") })
    let names = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
    expect(Set(names).count, equals: names.count)
    for line in lines where line.hasPrefix("# TYPE ") {
      let words = line.split(separator: " ")
      expect(words[2].hasSuffix("_total"), equals: (words[3] == "counter"), "\(line)")
    }
    #expect(PrometheusText.text(Self.status.metrics).hasSuffix("\n"))
  }

  @Test("a file for a collector has only series that no other process has, each once")
  func collector() {
    var status = Self.status
    status.pipelines += status.pipelines
    let metrics = status.pipelineMetrics
    #expect(!metrics.isEmpty)
    for metric in metrics {
      #expect(metric.series.allSatisfy { $0.labels.first?.name == "pipeline" }, "\(metric.name)")
      expect(Set(metric.series.map(\.labels)).count, equals: metric.series.count)
    }
  }

  private static var worker: WorkerStatus {
    var worker = WorkerStatus(name: "web-1/7-a")
    worker.tasks = [
      .init(name: "p", phase: "running", commits: 12, stateBytes: 4096),
      .init(name: "q", phase: "waiting", commits: 0, stateBytes: nil),
    ]
    (worker.takeovers, worker.releases, worker.isFull) = (3, 1, true)
    return worker
  }

  @Test("a machine of a cluster has the figures of flow cluster status, each series with its own name")
  func ofWorker() {
    var status = RunStatus(process: 1, version: "1", at: 0, pipelines: [])
    status.worker = Self.worker
    let text = PrometheusText.text(status.pipelineMetrics)
    for line in [
      #"flow_cluster_tasks{worker="web-1/7-a",phase="running"} 1"#,
      #"flow_cluster_tasks{worker="web-1/7-a",phase="failed"} 0"#,
      #"flow_cluster_takeovers_total{worker="web-1/7-a"} 3"#,
      #"flow_cluster_releases_total{worker="web-1/7-a"} 1"#, #"flow_cluster_leaving{worker="web-1/7-a"} 0"#,
      #"flow_cluster_disk_full{worker="web-1/7-a"} 1"#,
      #"flow_cluster_commits_total{pipeline="p",worker="web-1/7-a"} 12"#,
      #"flow_cluster_state_bytes{pipeline="p",worker="web-1/7-a"} 4096"#,
    ] { #expect(text.contains(line + "\n"), "\(text)") }
    #expect(!text.contains(#"pipeline="q""#), "\(text)")
  }

  /// The files that a person gives Prometheus.
  @Test("the alerts name metrics and labels that there are, and promtool accepts them")
  func alerts() throws {
    let path = URL(fileURLWithPath: #filePath).appending(path: "../../../../docs/prometheus-alerts.yaml")
      .standardized
    let text = try String(contentsOf: path, encoding: .utf8)
    var status = Self.status
    // A source of a stream, which has a backlog.
    var backlog = NodeStatus(name: "in", kind: "nats", role: .source)
    backlog.queue = 3
    status.pipelines[0].nodes.append(backlog)
    status.worker = Self.worker
    let known = status.metrics
    let names = Set(text.matches(of: /flow_[a-z_]+/).map { String($0.output) })
    #expect(names.count >= 10)
    for name in names { #expect(known.contains { $0.name == name }, "there is no metric \(name)") }
    let shown = Set(text.matches(of: /\$labels\.([a-z]+)/).map { String($0.output.1) })
    let labels = Set(known.flatMap { $0.series.flatMap { $0.labels.map(\.name) } }).union(["instance"])
    #expect(shown.isSubset(of: labels), "\(shown.subtracting(labels))")
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard let folder = folders.first(where: { access("\($0)/promtool", X_OK) == 0 }) else {
      return print("skipped: promtool is not installed (Debian: prometheus)")
    }
    let tool = Process()
    tool.executableURL = URL(fileURLWithPath: "\(folder)/promtool")
    tool.arguments = ["check", "rules", path.path]
    tool.standardOutput = FileHandle.nullDevice
    try tool.run()
    tool.waitUntilExit()
    expect(tool.terminationStatus, equals: 0)
  }
}
