import Engine
import JSON
import Language

/// The parts of a node's document: its counters, entries, state and latest events.
extension PipelineDocuments {
  func counters(_ node: NodeStatus, _ pipeline: PipelineStatus, _ html: inout HTML) {
    let figures: [(String, String?)] = [
      ("Taken", node.eventsIn.map(String.init)), ("Emitted", node.eventsOut.map(String.init)),
      ("Dropped", "\(node.dropped)"), ("Errors", "\(node.errors)"), ("Lost", "\(node.lost)"),
      ("Sent early", node.early > 0 ? "\(node.early)" : nil),
      ("Forgotten keys", node.forgotten > 0 ? "\(node.forgotten)" : nil),
      ("Time per event", node.timePerEvent),
      ("Keys", node.keys.map(String.init)), ("Waiting", node.queue.map(String.init)),
      ("Dead letters", node.deadLetters.map(String.init)),
      ("Given up", node.role == .sink ? "\(node.givenUp)" : nil),
    ]
    html.tag("dl", .class("facts")) { html in
      for (name, figure) in figures {
        guard let figure else { continue }
        html.tag("div") { html in
          html.tag("dt") { $0.text(name) }
          html.tag("dd") { $0.text(figure) }
        }
      }
      if let due = node.due {
        html.tag("div") { html in
          html.tag("dt") { $0.text("Emits what it holds") }
          html.tag("dd") { until(due, &$0) }
        }
      }
    }
  }

  /// The entries of a source's list, and which of them fail.
  func entries(_ source: String, _ pipeline: PipelineStatus, _ html: inout HTML) {
    guard let entries = pipeline.sources.first(where: { $0.name == source })?.entries else { return }
    html.tag("h2", .class("part")) { $0.text("Entries") }
    html.tag("p", .class("sub")) { $0.text(entries.counts) }
    if entries.failing.isEmpty { return }
    PageTable.write("Entries that fail", ["Entry", "Failing since", "Reason"], &html) { html in
      for entry in entries.failing.prefix(100) {
        PageTable.row(entry.id, nil, [{ ago(entry.since, &$0) }, { $0.text(entry.reason) }], &html)
      }
    }
  }

  /// The state of a node, or its beginning.
  func held(_ node: NodeStatus, _ pipeline: PipelineStatus, _ html: inout HTML) {
    guard let count = node.keys, count > 0 else { return }
    let keys = run.monitor.heldKeys(of: node.name, in: pipeline.name)
    if keys.isEmpty { return }
    let secrets = run.monitor.plan(of: pipeline.name)?.secrets ?? Secrets()
    html.tag("h2", .class("part")) { $0.text("State") }
    PageTable.write("State", ["Key", "Value"], &html) { html in
      for held in keys {
        let value = String(secrets.masked(held.value).prefix(200))
        PageTable.row(
          String(secrets.masked(held.key).prefix(100)), nil,
          [{ html in html.tag("code") { $0.text(value) } }],
          &html)
      }
    }
    if keys.count < count {
      html.tag("p", .class("sub")) {
        $0.text("The first \(keys.count) of \(count) keys.")
      }
    }
  }

  func latest(
    _ node: String, _ pipeline: PipelineStatus, _ trace: PageTrace, _ html: inout HTML
  ) {
    let passed = trace.latest(node)
    if passed.isEmpty {
      return html.tag("p", .class("sub")) { $0.text("None since this page was opened.") }
    }
    let secrets = run.monitor.plan(of: pipeline.name)?.secrets ?? Secrets()
    html.tag("ol", .class("events"), .set(.role, "list")) { html in
      for event in passed {
        html.tag("li") { html in
          html.tag("time", .set(.datetime, PageTime.machine(event.at))) { $0.text(PageTime.clock(event.at)) }
          let json = secrets.masked(event.json)
          if json.count <= 300 { return html.tag("code") { $0.text(json) } }
          html.tag("details") { html in
            html.tag("summary") { html in html.tag("code") { $0.text(json.prefix(200) + "…") } }
            html.tag("code") { $0.text(json) }
          }
        }
      }
    }
    if trace.hasMissed {
      html.tag("p", .class("sub")) { $0.text("More has passed than is recorded: this is a sample.") }
    }
  }
}
