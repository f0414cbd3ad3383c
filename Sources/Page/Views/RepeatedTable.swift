import Engine

/// The table of notifications that a sink repeats until they are acknowledged, each with a button for it.
struct RepeatedTable {
  let documents: PipelineDocuments
  let node: NodeStatus
  let pipeline: PipelineStatus

  /// Writes nothing where there is none.
  func write(_ html: inout HTML) {
    guard node.role == .sink else { return }
    guard let entries = documents.run.monitor.repeated(by: node.name, in: pipeline.name) else {
      return html.tag("p", .class("more")) {
        $0.text(
          "The pipeline has not answered in time what it repeats until it is acknowledged; reload the page.")
      }
    }
    if entries.isEmpty { return }
    let secrets = documents.run.monitor.plan(of: pipeline.name)?.secrets
    html.tag("h2", .class("part")) { $0.text("Repeated until acknowledged") }
    PageTable.write("Repeated", ["Key", "Title", "Since", "Sent", ""], &html) { html in
      for entry in entries.sorted(by: { $0.since < $1.since }) {
        let key = secrets?.masked(entry.key) ?? entry.key
        PageTable.row(
          String(key.prefix(100)), nil,
          [
            { $0.text(secrets?.masked(entry.title) ?? entry.title) }, { documents.ago(entry.since, &$0) },
            { $0.text(entry.count == 1 ? "once" : "\(entry.count) times") },
            // No button for a redacted key: the form would reveal it.
            { if key == entry.key { form(key, &$0) } },
          ], &html)
      }
    }
  }

  private func form(_ key: String, _ html: inout HTML) {
    html.tag("form", .set(.method, "post"), .action(Link(path: ["p", pipeline.name, node.name]))) { html in
      html.void("input", .set(.type, "hidden"), .set(.name, "key"), .set(.value, key))
      html.tag("button", .set(.type, "submit"), .set(.ariaLabel, "Acknowledge \(key)")) {
        $0.text("Acknowledge")
      }
    }
  }
}
