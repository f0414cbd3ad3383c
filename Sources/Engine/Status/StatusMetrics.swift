/// A metric with its series, in the terms that Prometheus and OpenTelemetry share.
public struct Metric: Sendable, Equatable {
  public enum Kind: String, Sendable {
    case counter, gauge
  }

  public struct Label: Sendable, Hashable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  public struct Series: Sendable, Equatable {
    public let labels: [Label]
    public let value: Double
  }

  public let name: String
  public let kind: Kind
  public let help: String
  public private(set) var series: [Series] = []

  public init(_ name: String, _ kind: Kind, _ help: String) {
    (self.name, self.kind, self.help) = (name, kind, help)
  }

  /// Adds a series, unless there is no value, or a series with the same labels already.
  public mutating func add(_ labels: [Label], _ value: Double?) {
    guard let value, value.isFinite, !series.contains(where: { $0.labels == labels }) else { return }
    series.append(Series(labels: labels, value: value))
  }

  /// Adds a series whose labels are known to be new.
  public mutating func append(_ labels: [Label], _ value: Double) {
    series.append(Series(labels: labels, value: value))
  }

  mutating func add(_ labels: [Label], _ count: Int?) { add(labels, count.map { Double($0) }) }
}

/// The metrics of a status. All labels come from pipeline files and the hosts that these name, so their number is bounded.
extension RunStatus {
  /// All metrics, including those of the process, which must not be in two .prom files.
  public var metrics: [Metric] {
    var info = Metric("flow_build_info", .gauge, "The version of flow; the value is 1.")
    info.add([.init("version", version)], 1)
    var limit = Metric(
      "flow_host_budget_limit", .gauge, "Requests that the budget of a host allows in a window.")
    var left = Metric("flow_host_budget_remaining", .gauge, "Requests that are left of the budget of a host.")
    for budget in budgets {
      let labels = [Metric.Label("host", budget.host), .init("window_seconds", "\(Int(budget.period))")]
      limit.add(labels, budget.limit)
      left.add(labels, budget.remaining)
    }
    return [info] + pipelineMetrics + [limit, left].filter { !$0.series.isEmpty }
  }

  /// The metrics with the label `pipeline` or `worker`, which belong to this process alone.
  public var pipelineMetrics: [Metric] {
    (ofPipelines + ofSources + ofNodes + ofData + (worker?.metrics ?? [])).filter { !$0.series.isEmpty }
  }

  /// The measurements of sinks, one metric for each name; on a conflict of labels or kinds the first series wins.
  private var ofData: [Metric] {
    var metrics: [Metric] = []
    var places: [String: Int] = [:]
    var seen: [String: Set<[Metric.Label]>] = [:]
    for pipeline in pipelines {
      for measured in pipeline.measured {
        let place = places[measured.name] ?? metrics.count
        if place == metrics.count { metrics.append(Metric(measured.name, measured.kind, measured.help)) }
        places[measured.name] = place
        guard metrics[place].kind == measured.kind else { continue }
        for series in measured.series {
          let labels = [Metric.Label("pipeline", pipeline.name)] + series.labels
          if seen[measured.name, default: []].insert(labels).inserted {
            metrics[place].append(labels, series.value)
          }
        }
      }
    }
    return metrics
  }

  private var ofPipelines: [Metric] {
    var up = Metric("flow_pipeline_up", .gauge, "Whether the pipeline is running.")
    var problems = Metric(
      "flow_pipeline_problems", .gauge, "What is wrong with the pipeline, as flow status lists it.")
    var failed = Metric("flow_pipeline_failed", .gauge, "Whether the pipeline has failed.")
    var started = Metric("flow_pipeline_start_time_seconds", .gauge, "When the pipeline started.")
    for pipeline in pipelines {
      let labels = [Metric.Label("pipeline", pipeline.name)]
      up.add(labels, pipeline.phase == .running || pipeline.phase == .stopping ? 1 : 0)
      problems.add(labels, pipeline.problems.count)
      failed.add(labels, pipeline.phase == .failed ? 1 : 0)
      started.add(labels, pipeline.started)
    }
    return [up, problems, failed, started]
  }

  private var ofSources: [Metric] {
    var polls = Metric("flow_source_polls_total", .counter, "Polls of the source.")
    var failures = Metric("flow_source_failed_polls_total", .counter, "Polls of the source that failed.")
    var failing = Metric(
      "flow_source_failing_polls", .gauge, "Polls that have failed since the last one that succeeded.")
    var last = Metric(
      "flow_source_last_good_timestamp_seconds", .gauge,
      "When the source gave its last answer that was no old one.")
    var rows = Metric("flow_source_rows", .gauge, "The rows of the last poll that succeeded.")
    var stale = Metric(
      "flow_source_stale", .gauge, "Whether the last poll used an old response because the service failed.")
    var next = Metric("flow_source_next_poll_timestamp_seconds", .gauge, "When the source is polled next.")
    for pipeline in pipelines {
      for source in pipeline.sources where source.isPolled || source.polls > 0 {
        let labels = [Metric.Label("pipeline", pipeline.name), .init("source", source.name)]
        polls.add(labels, source.polls)
        failures.add(labels, source.failedPolls)
        failing.add(labels, source.failure?.polls ?? 0)
        last.add(labels, source.lastGood)
        rows.add(labels, source.lastPoll?.rows)
        stale.add(labels, source.lastPoll.map { $0.isStale ? 1 : 0 })
        next.add(labels, source.nextPoll)
      }
    }
    return [polls, failures, failing, last, rows, stale, next]
  }

  private var ofNodes: [Metric] {
    var taken = Metric("flow_node_events_in_total", .counter, "Events that the node has received.")
    var sent = Metric("flow_node_events_out_total", .counter, "Events that the node has sent or written.")
    var dropped = Metric("flow_node_events_dropped_total", .counter, "Events that the node has dropped.")
    var errors = Metric("flow_node_errors_total", .counter, "Events that failed in the node.")
    var gone = Metric(
      "flow_node_events_lost_total", .counter, "Events that failed and are in no file of dead letters.")
    var forgotten = Metric(
      "flow_node_keys_forgotten_total", .counter, "Keys that the step has forgotten for lack of room.")
    var early = Metric(
      "flow_node_events_early_total", .counter, "What the step has sent before its time for lack of room.")
    var time = Metric(
      "flow_node_processing_seconds_total", .counter, "The time spent in the node itself, estimated.")
    var keys = Metric("flow_node_state_keys", .gauge, "The keys that the state of the node holds.")
    var queue = Metric("flow_sink_queue_events", .gauge, "Outputs that wait to be written or delivered.")
    var backlog = Metric(
      "flow_source_backlog_events", .gauge, "Events that the source knows of and has not read yet.")
    var lost = Metric("flow_sink_given_up_total", .counter, "Deliveries that the sink has given up.")
    var letters = Metric("flow_sink_dead_letters", .gauge, "The dead letters in the state of the sink.")
    var refused = Metric("flow_step_given_up_total", .counter, "Events whose lookup the step has given up.")
    var events = Metric("flow_step_dead_letters", .gauge, "The dead letters in the state of the step.")
    var waiting = Metric("flow_step_waiting_events", .gauge, "Events whose lookup fails or is postponed.")
    var stale = Metric(
      "flow_step_stale_events_total", .counter,
      "Events that the step used an old response for, because the server failed.")
    for pipeline in pipelines {
      for node in pipeline.nodes {
        let own = [Metric.Label("pipeline", pipeline.name), .init("node", node.name)]
        let labels = own + [.init("kind", node.kind), .init("role", node.role.rawValue)]
        taken.add(labels, node.eventsIn)
        sent.add(labels, node.eventsOut)
        dropped.add(labels, node.dropped)
        errors.add(labels, node.errors)
        gone.add(labels, node.lost)
        if node.role == .step {
          forgotten.add(labels, node.forgotten)
          early.add(labels, node.early)
        }
        time.add(labels, node.seconds)
        keys.add(labels, node.keys)
        if node.role == .source { backlog.add([own[0], .init("source", node.name)], node.queue) }
        let step = [own[0], Metric.Label("step", node.name)]
        if node.role == .step, node.stale > 0 { stale.add(step, node.stale) }
        if node.role == .step, let dead = node.deadLetters {
          refused.add(step, node.givenUp)
          events.add(step, dead)
          waiting.add(step, node.wait?.events ?? 0)
        }
        guard node.role == .sink else { continue }
        let sink = [own[0], Metric.Label("sink", node.name)]
        queue.add(sink, node.queue)
        lost.add(sink, node.givenUp)
        letters.add(sink, node.deadLetters)
      }
    }
    return [
      taken, sent, dropped, errors, gone, forgotten, early, time, keys, queue, backlog, lost, letters,
      refused, events, stale, waiting,
    ]
  }
}

/// The text format of Prometheus, version 0.0.4.
public enum PrometheusText {
  public static let type = "text/plain; version=0.0.4; charset=utf-8"

  public static func text(_ metrics: [Metric]) -> String {
    var text = ""
    for metric in metrics {
      text += "# HELP \(metric.name) \(escaped(metric.help, quotes: false))\n"
      text += "# TYPE \(metric.name) \(metric.kind.rawValue)\n"
      for series in metric.series {
        let labels = series.labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
        text += metric.name + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}")
        text += " \(number(series.value))\n"
      }
    }
    return text
  }

  private static func number(_ value: Double) -> String {
    Int(exactly: value).map { "\($0)" } ?? "\(value)"
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
