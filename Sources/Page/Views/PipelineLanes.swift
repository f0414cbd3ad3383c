import Engine
import Language

/// The marbles of a pipeline: a lane for each node on a common axis, ten minutes back and one ahead.
///
/// A disc is an event, a larger one several within five seconds, a stroke the end of a poll without events, and a ring
/// what is due: the next poll of a source, or what a step holds.
extension PipelineDocuments {
  private static let ahead = 12

  func lanes(_ pipeline: PipelineStatus, _ trace: PageTrace, _ html: inout HTML) {
    let lanes = trace.lanes
    let present = lanes.column(at: hub.now())
    let first = present - PageTrace.columns + 1
    html.tag("div", .class("lanes")) { html in
      for (index, node) in pipeline.nodes.enumerated() {
        let marks = lanes.marks(index, in: first...present)
        let due = due(node, pipeline).map(lanes.column).flatMap { column in
          column > present && column <= present + Self.ahead ? column : nil
        }
        html.tag("a", .href(Link(path: ["p", pipeline.name, node.name]))) { $0.text(node.name) }
        lane(node.name, marks.map { ($0.column - first, $0.events) }, due: due.map { $0 - first }, &html)
      }
      html.tag("span")
      html.tag("p", .class("axis")) { html in
        html.tag("span") { $0.text(PageTime.words(-Double(PageTrace.columns) * lanes.step, units: 1)) }
        html.tag("span") { $0.text("now") }
      }
    }
    html.tag("p", .class("sub")) { html in
      html.text("● an event, larger for several, | the end of a poll without events, ○ what is due. ")
      html.text(trace.hasMissed ? "A sample: more has passed." : "Recorded while this page is open.")
    }
  }

  /// When the node acts by itself.
  private func due(_ node: NodeStatus, _ pipeline: PipelineStatus) -> Double? {
    if node.role == .source { return pipeline.sources.first { $0.name == node.name }?.nextPoll }
    return node.due
  }

  private func lane(
    _ name: String, _ marks: [(x: Int, events: Int)], due: Int?, _ html: inout HTML
  ) {
    let events = marks.reduce(0) { $0 + $1.events }
    let label =
      "\(name): \(events) event\(events == 1 ? "" : "s")\(due == nil ? "" : ", and one is due within a minute")"
    let width = PageTrace.columns + Self.ahead
    html.tag(
      "svg", .set(.viewBox, "0 0 \(width) 10"), .set(.preserveAspectRatio, "none"), .set(.role, "img"),
      .set(.ariaLabel, label)
    ) { html in
      func path(_ style: String, _ path: String) {
        if !path.isEmpty { html.tag("path", .class(style), .set(.d, path)) }
      }
      path("time", "M0 5H\(PageTrace.columns)")
      // Strokes with round ends: they stay round however wide the lane is drawn.
      path("poll", marks.filter { $0.events == 0 }.map { "M\($0.x) 2v6" }.joined())
      path("one", marks.filter { $0.events == 1 }.map { "M\($0.x) 5h.01" }.joined())
      path("many", marks.filter { $0.events > 1 }.map { "M\($0.x) 5h.01" }.joined())
      guard let due else { return }
      path("due", "M\(due) 5h.01")
      path("hole", "M\(due) 5h.01")
    }
  }
}
