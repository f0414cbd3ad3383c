/// A diagram as a tree that a person reads: below each source the way of its events.
///
///     upcoming  launch_library  list: upcoming · every 6h
///     │ map  launch_row
///     ├─ log  jsonl  out/all.jsonl
///     └─ slips
///        │ changes   key: .id
///        │ debounce  5m
///        └─ screen  console
///
/// What several lead to is shown below the last of them; the others refer to it by its number.
public struct DiagramText {
  private let diagram: Diagram
  private let paint: Paint
  private let width: Int
  private var lines: [String] = []
  /// Numbers of the nodes that are referred to, in the order of the references.
  private var references: [Int: Int] = [:]
  /// Nodes that stand in the tree already.
  private var shown: Set<Int> = []
  private var passed: Set<Diagram.Edge> = []

  /// The tree; details are cut to what a line of that width has room for.
  public static func lines(_ diagram: Diagram, width: Int, paint: Paint = .off) -> [String] {
    var text = DiagramText(diagram, width, paint)
    text.write()
    return text.lines
  }

  private init(_ diagram: Diagram, _ width: Int, _ paint: Paint) {
    (self.diagram, self.width, self.paint) = (diagram, width, paint)
    for node in diagram.nodes.indices where inputs(node).count > 1 || sides(into: node).count > 0 {
      references[node] = references.count + 1
    }
  }

  private mutating func write() {
    lines.append(paint(printable(diagram.name).clipped(to: width), .bold))
    if !diagram.description.isEmpty { lines.append(printable(diagram.description).clipped(to: width)) }
    for (number, node) in diagram.nodes.enumerated() where node.role == .source {
      lines.append("")
      line("", number, kindWidth: 0, nameWidth: 0)
      follow(number, margin: "")
    }
  }

  private func inputs(_ node: Int) -> [Int] {
    diagram.edges.filter { $0.to == node && !$0.isSide }.map(\.from)
  }

  private func sides(into node: Int) -> [Diagram.Edge] { diagram.edges.filter { $0.to == node && $0.isSide } }

  /// The chain of steps that begins behind a node and goes on without a branch.
  private func chain(from start: Int) -> [Int] {
    var chain: [Int] = []
    var last = start
    while true {
      let next = diagram.edges.filter { $0.from == last }
      guard next.count == 1, let edge = next.first, !edge.isSide, inputs(edge.to).count == 1,
        diagram.nodes[edge.to].role == .step, diagram.nodes[edge.to].opens.isEmpty
      else { return chain }
      chain.append(edge.to)
      last = edge.to
    }
  }

  /// Writes what comes behind a node: its chain, then the branches.
  private mutating func follow(_ start: Int, margin: String, isNew: Bool = false) {
    let chain = (isNew ? [start] : []) + chain(from: start)
    let kinds = chain.map { diagram.nodes[$0].kind.columns }.max() ?? 0
    for step in chain {
      shown.insert(step)
      line(margin + "│ ", step, kindWidth: kinds, nameWidth: 0)
    }
    let branches = diagram.edges.filter { $0.from == chain.last ?? start }
    let heads = branches.map { diagram.nodes[$0.to] }
    let nameWidth = heads.filter { $0.role == .sink }.map(\.name.columns).max() ?? 0
    let kindWidth = heads.map(\.kind.columns).max() ?? 0
    for (index, edge) in branches.enumerated() {
      let isLast = index == branches.count - 1
      let branch = margin + (isLast ? "└─ " : "├─ ")
      let below = margin + (isLast ? "   " : "│  ")
      if edge.isSide || !isComplete(edge) {
        lines.append((branch + reference(to: edge)).clippedStyled(to: width))
        continue
      }
      let stream = diagram.nodes[edge.to].opens
      if stream.isEmpty {
        line(branch, edge.to, kindWidth: kindWidth, nameWidth: nameWidth)
      } else {
        lines.append((branch + mark(edge.to) + paint(printable(stream), .bold)).clippedStyled(to: width))
      }
      follow(edge.to, margin: below, isNew: !stream.isEmpty)
    }
  }

  /// Whether this is the last of a node's inputs to be shown, so that the node itself comes now.
  private mutating func isComplete(_ edge: Diagram.Edge) -> Bool {
    passed.insert(edge)
    guard diagram.edges.allSatisfy({ $0.to != edge.to || $0.isSide || passed.contains($0) }) else {
      return false
    }
    return shown.insert(edge.to).inserted
  }

  private func reference(to edge: Diagram.Edge) -> String {
    let node = diagram.nodes[edge.to]
    let direction = shown.contains(edge.to) ? "above" : "below"
    let how = edge.isSide ? "read on the side by " : ""
    let name = printable(!node.opens.isEmpty ? node.opens : node.role == .step ? node.kind : node.name)
    return "→ \(how)\(mark(edge.to))\(name) \(paint(direction, .dim))"
  }

  private func mark(_ node: Int) -> String { references[node].map { "[\($0)] " } ?? "" }

  private mutating func line(_ margin: String, _ number: Int, kindWidth: Int, nameWidth: Int) {
    let node = diagram.nodes[number]
    let name = printable(node.name)
    var parts: [String] = []
    switch node.role {
    case .source: parts = [paint(name, .bold), paint(node.kind, .cyan)]
    case .stream: parts = [paint(name, .bold)]
    case .sink:
      parts = [paint(name, .bold) + blanks(nameWidth - name.columns)]
      parts.append(
        paint(node.kind, .green) + (node.details.isEmpty ? "" : blanks(kindWidth - node.kind.columns)))
    case .step:
      parts = [paint(node.kind, .yellow) + blanks(kindWidth - node.kind.columns)]
      if !name.isEmpty { parts.append(paint(name, .bold)) }
    }
    let details = node.details.map(printable).joined(separator: " · ")
    if !details.isEmpty { parts.append(details) }
    var text = margin + (node.opens.isEmpty ? mark(number) : "") + parts.joined(separator: "  ")
    while text.last == " " { text.removeLast() }
    lines.append(text.clippedStyled(to: width))
  }

  private func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
