/// A diagram in the language of Graphviz.
public enum DiagramDot {
  /// The text of a `.dot` file.
  public static func text(_ diagram: Diagram) -> String {
    var lines = [
      "digraph \(string(diagram.name)) {", "  rankdir=TB;",
      "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=12];",
      "  edge [color=\"#7b8794\", arrowsize=0.7];",
    ]
    for (number, node) in diagram.nodes.enumerated() {
      let title = node.role == .stream ? node.name : node.kind
      var label = node.opens.isEmpty ? "" : "<i>\(escaped(node.opens))</i><br/>"
      label += "<b>\(escaped(title))</b>"
      if node.role != .stream, !node.name.isEmpty { label += " \(escaped(node.name))" }
      for detail in node.details {
        label += "<br/><font point-size=\"10\">\(escaped(printable(detail).clipped(to: 60)))</font>"
      }
      lines.append("  n\(number) [label=<\(label)>, \(look(node.role))];")
    }
    for edge in diagram.edges {
      lines.append("  n\(edge.from) -> n\(edge.to)\(edge.isSide ? " [style=dashed]" : "");")
    }
    return (lines + ["}"]).joined(separator: "\n") + "\n"
  }

  private static func look(_ role: Diagram.Role) -> String {
    switch role {
    case .source: "fillcolor=\"#e3effc\", color=\"#4a8fd6\""
    case .step: "fillcolor=\"#f4f5f7\", color=\"#9aa6b2\""
    case .stream: "fillcolor=\"#ffffff\", color=\"#9aa6b2\", style=\"rounded,dashed\""
    case .sink: "fillcolor=\"#e2f5e9\", color=\"#3fa468\""
    }
  }

  private static func escaped(_ text: String) -> String { MarkupText.escaped(printable(text)) }

  private static func string(_ text: String) -> String {
    "\"" + printable(text).map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
  }
}
