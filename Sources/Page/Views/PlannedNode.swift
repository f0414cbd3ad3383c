import Language

/// A node by the plan: its kind and options, its place in the file, and its documentation.
struct PlannedNode {
  private let spec: NodeSpec
  private let options: String
  private let place: SourceRange

  /// Nil where the plan has no node of that name.
  init?(_ name: String, in plan: Plan, masking secrets: Secrets) {
    let steps = plan.streams.flatMap(\.steps)
    if let source = plan.sources.first(where: { $0.name == name }) {
      (spec, place) = (source.spec, source.place)
      let parts = [source.shown, source.shownSchedule].filter { !$0.isEmpty }
      options = secrets.masked(parts.joined(separator: ", "))
    } else if let step = steps.first(where: { $0.name == name }) {
      (spec, place, options) = (step.spec, step.place, secrets.masked(step.shown))
    } else if let sink = plan.sinks.first(where: { $0.name == name }) {
      (spec, place, options) = (sink.spec, sink.place, secrets.masked(sink.shown))
    } else {
      return nil
    }
  }

  func head(_ html: inout HTML) {
    html.tag("p", .class("sub")) { $0.text("\(spec.kind), a \(spec.roleName): \(spec.summary)") }
    html.tag("p", .class("summary")) { html in
      html.tag("code") { $0.text(place.description) }
      if !options.isEmpty { html.tag("code") { $0.text(options) } }
    }
  }

  func documentation(_ html: inout HTML) {
    html.tag("details") { html in
      html.tag("summary") { $0.text("Documentation of \(spec.kind)") }
      html.tag(
        "pre", .class("scroll pad"), .set(.role, "region"), .set(.tabindex, "0"), .set(.ariaLabel, spec.kind)
      ) { $0.text(NodeText.lines(spec, width: 88).joined(separator: "\n")) }
    }
  }
}
