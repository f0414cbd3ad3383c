import System

/// The diagram as Graphviz text.
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

  private static func escaped(_ text: String) -> String { markup(printable(text)) }

  private static func string(_ text: String) -> String {
    "\"" + printable(text).map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
  }
}

/// The diagram as Mermaid text, which many viewers of Markdown draw.
public enum DiagramMermaid {
  /// The text of a diagram, for a code block that is marked as mermaid.
  public static func text(_ diagram: Diagram) -> String {
    var lines = ["flowchart TD"]
    for (number, node) in diagram.nodes.enumerated() {
      let title = node.role == .stream ? node.name : node.kind
      var label = node.opens.isEmpty ? "" : "<i>\(escaped(node.opens))</i><br/>"
      label += "<b>\(escaped(title))</b>"
      if node.role != .stream, !node.name.isEmpty { label += " \(escaped(node.name))" }
      for detail in node.details { label += "<br/>\(escaped(printable(detail).clipped(to: 60)))" }
      let (open, close) = brackets(node.role)
      lines.append("  n\(number)\(open)\"\(label)\"\(close):::\(node.role.rawValue)")
    }
    for edge in diagram.edges {
      lines.append("  n\(edge.from) \(edge.isSide ? "-.->" : "-->") n\(edge.to)")
    }
    lines += [
      "  classDef source fill:#e3effc,stroke:#4a8fd6,color:#1c2733",
      "  classDef step fill:#f4f5f7,stroke:#9aa6b2,color:#1c2733",
      "  classDef stream fill:#ffffff,stroke:#9aa6b2,color:#1c2733,stroke-dasharray:5 3",
      "  classDef sink fill:#e2f5e9,stroke:#3fa468,color:#1c2733",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func brackets(_ role: Diagram.Role) -> (String, String) {
    switch role {
    case .source: ("([", "])")
    case .step, .stream: ("[", "]")
    case .sink: ("[/", "/]")
    }
  }

  /// Whatever means something to Mermaid, or to the Markdown and HTML in its labels, as a character's number.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in printable(text).unicodeScalars {
      if "\"#<>&`\\".unicodeScalars.contains(scalar) {
        result += "#\(scalar.value);"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
