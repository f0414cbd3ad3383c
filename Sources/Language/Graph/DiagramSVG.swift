import System

/// A diagram as a drawing that stands by itself, readable on light and dark grounds.
public struct DiagramSVG {
  private let diagram: Diagram
  private let boxes: [Box]
  private let layout: DiagramLayout

  /// The text of an SVG file.
  public static func text(_ diagram: Diagram) -> String { DiagramSVG(diagram) { _ in nil }.text }

  /// A drawing as part of a page, which has the styles: each box leads to an address, and has a line of its own.
  public struct Figure: Sendable {
    /// Markup, in which all text is escaped.
    public let svg: String

    public init(
      _ diagram: Diagram, link: (Diagram.Node) -> String?, note: (Diagram.Node) -> String?
    ) {
      svg = DiagramSVG(diagram, note: note).figure(link)
    }
  }

  private init(_ diagram: Diagram, note: (Diagram.Node) -> String?) {
    self.diagram = diagram
    boxes = diagram.nodes.map { Box($0, note($0)) }
    layout = DiagramLayout(boxes.map(\.size), diagram.edges)
  }

  /// The content of a box, and its size.
  private struct Box {
    let node: Diagram.Node
    let title: String
    let label: String
    let details: [String]
    /// The note that changes while it is shown, so its length must not move anything.
    let note: String?

    static let height = 26.0
    static let lineHeight = 17.0
    /// The letters of a title are not all as wide; this is more than they need on the average.
    static let titleWidth = 9.3
    static let labelWidth = 8.6
    static let detailWidth = 7.0
    static let margin = 14.0
    static let noteColumns = 32

    init(_ node: Diagram.Node, _ note: String?) {
      self.node = node
      title = printable(node.role == .stream ? node.name : node.kind).clipped(to: 36)
      label = node.role == .stream ? "" : printable(node.name).clipped(to: 36)
      details = node.details.map { printable($0).clipped(to: 46) }
      self.note = note.map { printable($0).clipped(to: Self.noteColumns) }
    }

    var size: DiagramLayout.Size {
      let gap = label.isEmpty ? 0 : 10.0
      let head = Double(title.columns) * Self.titleWidth + gap + Double(label.columns) * Self.labelWidth
      let body = details.map { Double($0.columns) * Self.detailWidth }.max() ?? 0
      return DiagramLayout.Size(
        width: max(note == nil ? 104 : 220, max(head, body) + 2 * Self.margin),
        height: Self.height + Double(details.count + (note == nil ? 0 : 1)) * Self.lineHeight + 6)
    }
  }

  private static let margin = 20.0
  private static let captionHeight = 30.0

  private var text: String {
    let caption = printable(diagram.name).clipped(to: 72)
    let captionWidth = Double(caption.columns) * 9.6
    let width = max(layout.size.width, captionWidth) + 2 * Self.margin
    let height = layout.size.height + Self.captionHeight + 2 * Self.margin
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(n(width)) \(n(height))" width="\(n(width))" \
      height="\(n(height))" role="img" aria-labelledby="title">
      """,
      "<title id=\"title\">\(escaped(diagram.name))</title>",
    ]
    if !diagram.description.isEmpty { lines.append("<desc>\(escaped(diagram.description))</desc>") }
    lines += [Self.style, Self.markers]
    lines.append("<rect class=\"ground\" width=\"\(n(width))\" height=\"\(n(height))\" rx=\"10\"/>")
    lines.append("<text class=\"caption\" x=\"\(n(Self.margin))\" y=\"34\">\(escaped(caption))</text>")
    // Narrow drawings stand in the middle below a long name.
    let left = (width - layout.size.width) / 2
    lines.append("<g transform=\"translate(\(n(left)) \(n(Self.margin + Self.captionHeight)))\">")
    lines += drawing { _ in nil }
    return (lines + ["</g>", "</svg>"]).joined(separator: "\n") + "\n"
  }

  private func drawing(_ link: (Diagram.Node) -> String?) -> [String] {
    let lines = zip(diagram.edges, layout.routes).map { line($0, $1) }
    return lines
      + zip(boxes, layout.corners).map { box, corner in
        let box = (drawn(box, corner), link(box.node))
        return box.1.map { "<a href=\"\(escaped($0))\">\(box.0)</a>" } ?? box.0
      }
  }

  private func figure(_ link: (Diagram.Node) -> String?) -> String {
    let margin = 4.0
    let (width, height) = (layout.size.width + 2 * margin, layout.size.height + 14 + 2 * margin)
    let head = """
      <svg class="\(width > 800 ? "graph wide" : "graph")" viewBox="0 0 \(n(width)) \(n(height))" width="\(n(width))" height="\(n(height))" \
      role="group" aria-label="\(escaped(diagram.name))">
      """
    // Room for the name of a stream above its first box.
    let body =
      [head, Self.markers, "<g transform=\"translate(\(n(margin)) \(n(margin + 14)))\">"] + drawing(link)
    return (body + ["</g>", "</svg>"]).joined(separator: "\n")
  }

  private func drawn(_ box: Box, _ corner: DiagramLayout.Point) -> String {
    let size = box.size
    // What is cut in the box is whole here, which browsers show on hovering.
    let whole = ([box.node.kind, box.node.name].filter { !$0.isEmpty } + box.node.details)
      .map(escaped).joined(separator: "\n")
    var text = """
      <g class="\(box.node.role.rawValue)" transform="translate(\(n(corner.x)) \(n(corner.y)))">\
      <title>\(whole)</title>\
      <rect width="\(n(size.width))" height="\(n(size.height))" rx="8"/>\
      <text class="kind" x="\(n(Box.margin))" y="21">\(escaped(box.title))\
      \(box.label.isEmpty ? "" : "<tspan class=\"name\" dx=\"8\">\(escaped(box.label))</tspan>")</text>
      """
    for (index, detail) in box.details.enumerated() {
      let y = Box.height + 13 + Double(index) * Box.lineHeight
      text += "<text class=\"detail\" x=\"\(n(Box.margin))\" y=\"\(n(y))\">\(escaped(detail))</text>"
    }
    if let note = box.note {
      let y = Box.height + 13 + Double(box.details.count) * Box.lineHeight
      text += "<text class=\"note\" x=\"\(n(Box.margin))\" y=\"\(n(y))\">\(escaped(note))</text>"
    }
    if !box.node.opens.isEmpty {
      let name = printable(box.node.opens).clipped(to: 24)
      text += "<text class=\"stream-name\" x=\"2\" y=\"-6\">\(escaped(name))</text>"
    }
    return text + "</g>"
  }

  /// Smooth from point to point: each curve leaves and arrives vertically.
  private func line(_ edge: Diagram.Edge, _ route: [DiagramLayout.Point]) -> String {
    guard let start = route.first else { return "" }
    var path = "M\(n(start.x)) \(n(start.y))"
    var last = start
    for (index, point) in route.enumerated().dropFirst() {
      // Room for the head of the arrow.
      let end = DiagramLayout.Point(x: point.x, y: index == route.count - 1 ? point.y - 5 : point.y)
      let middle = (last.y + end.y) / 2
      path +=
        last.x == end.x
        ? "V\(n(end.y))"
        : "C\(n(last.x)) \(n(middle)) \(n(end.x)) \(n(middle)) \(n(end.x)) \(n(end.y))"
      last = end
    }
    return "<path class=\"\(edge.isSide ? "way side" : "way")\" d=\"\(path)\" marker-end=\"url(#head)\"/>"
  }

  private static let markers = """
    <defs><marker id="head" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="8" markerHeight="8" \
    markerUnits="userSpaceOnUse" orient="auto"><path class="head" d="M0 0.5 8 4 0 7.5z"/></marker></defs>
    """

  private static let style = """
    <style>
    text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1c2733; }
    .ground { fill: #ffffff; }
    .caption { font-size: 16px; font-weight: 600; }
    .kind { font-size: 14px; font-weight: 700; }
    .name { font-weight: 400; fill: #5a6876; }
    .detail {
      font-family: ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 11.5px;
    }
    .stream-name { font-size: 12px; font-style: italic; fill: #5a6876; }
    rect { stroke-width: 1.25px; }
    .source rect { fill: #e3effc; stroke: #4a8fd6; }
    .step rect { fill: #f4f5f7; stroke: #9aa6b2; }
    .stream rect { fill: #ffffff; stroke: #9aa6b2; stroke-dasharray: 5 3; }
    .sink rect { fill: #e2f5e9; stroke: #3fa468; }
    .way { fill: none; stroke: #7b8794; stroke-width: 1.5px; }
    .side { stroke-dasharray: 4 4; }
    .head { fill: #7b8794; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6ebf0; }
      .ground { fill: #12181f; }
      .name, .stream-name { fill: #9fb0c0; }
      .source rect { fill: #16304d; stroke: #4a8fd6; }
      .step rect { fill: #222b35; stroke: #5d6b79; }
      .stream rect { fill: #12181f; stroke: #5d6b79; }
      .sink rect { fill: #153a26; stroke: #3fa468; }
      .way { stroke: #8a98a6; }
      .head { fill: #8a98a6; }
    }
    </style>
    """

  private func escaped(_ text: String) -> String { markup(printable(text)) }

  /// A coordinate with at most one digit behind the point.
  private func n(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return tenths % 10 == 0
      ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }
}
