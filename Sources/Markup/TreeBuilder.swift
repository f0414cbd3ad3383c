import System

/// A builder of a tree from its nodes in the order of the document.
struct TreeBuilder {
  private var nodes: [MarkupTree.Node] = [MarkupTree.Node(isElement: true, parent: -1)]
  private let limits: MarkupLimits
  private var current = 0
  private var depth = 0

  init(_ limits: MarkupLimits) { self.limits = limits }

  /// Throws when the document is too large.
  func checkSize() throws(TextFlaw) {
    if nodes.count > limits.nodes { throw TextFlaw("the document has more than \(limits.nodes) nodes") }
  }

  /// Begins an element below the one that has begun last.
  mutating func begin(_ element: MarkupTree.Node) throws(TextFlaw) {
    depth += 1
    if depth > limits.depth { throw TextFlaw("elements are nested more than \(limits.depth) deep") }
    var node = element
    node.parent = current
    node.isInTemplate = nodes[current].isInTemplate || nodes[current].name == "template"
    nodes[current].elements += 1
    node.place = nodes[current].elements
    node.end = nodes.count + 1
    nodes.append(node)
    current = nodes.count - 1
  }

  mutating func end() {
    guard current > 0 else { return }
    nodes[current].end = nodes.count
    current = nodes[current].parent
    depth -= 1
  }

  mutating func append(_ text: String) {
    if text.isEmpty { return }
    if let last = nodes.last, !last.isElement, last.parent == current {
      nodes[nodes.count - 1].text += text
      return
    }
    var node = MarkupTree.Node(isElement: false, parent: current)
    node.text = text
    node.end = nodes.count + 1
    nodes.append(node)
  }

  /// Changes all texts and values of attributes.
  mutating func changeTexts(_ change: (String) -> String) {
    for index in nodes.indices {
      nodes[index].text = change(nodes[index].text)
      for place in nodes[index].attributes.indices {
        nodes[index].attributes[place].value = change(nodes[index].attributes[place].value)
      }
    }
  }

  /// The tree of all that has been added.
  mutating func tree(isHTML: Bool, flaws: PageFlaws? = nil) throws(TextFlaw) -> MarkupTree {
    if nodes.count == 1 { throw TextFlaw("the text has no element") }
    while current >= 0 {
      nodes[current].end = nodes.count
      current = nodes[current].parent
    }
    return MarkupTree(nodes, isHTML: isHTML, limits, flaws: flaws)
  }
}
