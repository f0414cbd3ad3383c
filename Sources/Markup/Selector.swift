import System

// CSS selectors over a document (Selectors Level 4, the part that has a meaning without a browser).

/// A list of selectors; an element matches if one of them does.
public struct Selector: Sendable {
  /// As it was written.
  public let text: String
  let alternatives: [Complex]

  /// How the element of a compound is related to that of the one after it.
  enum Combinator: Sendable { case descendant, child, next, following }

  /// Compounds from left to right; `combinators[i]` stands between `i` and `i + 1`.
  struct Complex: Sendable {
    var compounds: [[Test]]
    var combinators: [Combinator]
    /// Of a selector in `:has`, how its first compound is related to the element.
    var leading = Combinator.descendant
  }

  enum Match: Sendable { case exists, equals, word, dash, prefix, suffix, contains }

  indirect enum Test: Sendable {
    case name(String, prefix: String?)
    case attribute(String, Match, String, ignoresCase: Bool)
    case nth(Int, Int, fromEnd: Bool, ofType: Bool)
    case empty
    case root
    case scope
    case text(String)
    case not([Complex])
    case any([Complex])
    case has([Complex])
  }

  /// The elements below one that match, in the order of the document.
  public func matches(in scope: MarkupElement) -> [MarkupElement] {
    let matcher = Matcher(tree: scope.tree, scope: scope.index)
    return scope.below.filter { index in alternatives.contains { matcher.matches(index, $0) } }
      .map { MarkupElement(tree: scope.tree, index: $0) }
  }

  /// The first of them.
  public func firstMatch(in scope: MarkupElement) -> MarkupElement? {
    let matcher = Matcher(tree: scope.tree, scope: scope.index)
    let index = scope.below.first { index in alternatives.contains { matcher.matches(index, $0) } }
    return index.map { MarkupElement(tree: scope.tree, index: $0) }
  }
}

/// Matches elements of one document.
private struct Matcher {
  let tree: MarkupTree
  let scope: Int

  func matches(_ index: Int, _ complex: Selector.Complex) -> Bool {
    matches(index, complex, complex.compounds.count - 1)
  }

  /// Whether the element matches the compound at `place`, and what stands before it matches the selector before that.
  private func matches(_ index: Int, _ complex: Selector.Complex, _ place: Int) -> Bool {
    guard index > 0, complex.compounds[place].allSatisfy({ test(index, $0) }) else { return false }
    if place == 0 { return true }
    switch complex.combinators[place - 1] {
    case .child: return matches(tree.nodes[index].parent, complex, place - 1)
    case .descendant:
      var at = tree.nodes[index].parent
      while at > 0 {
        if matches(at, complex, place - 1) { return true }
        at = tree.nodes[at].parent
      }
      return false
    case .next:
      guard let before = previous(index) else { return false }
      return matches(before, complex, place - 1)
    case .following:
      var at = previous(index)
      while let before = at {
        if matches(before, complex, place - 1) { return true }
        at = previous(before)
      }
      return false
    }
  }

  /// The element before another one below the same parent.
  private func previous(_ index: Int) -> Int? {
    let place = tree.nodes[index].place
    guard place > 1 else { return nil }
    let parent = tree.nodes[index].parent
    var at = index - 1
    // Up from whatever stands before it.
    while tree.nodes[at].parent != parent { at = tree.nodes[at].parent }
    while !tree.nodes[at].isElement {
      at -= 1
      while tree.nodes[at].parent != parent { at = tree.nodes[at].parent }
    }
    return at
  }

  private func siblings(_ index: Int) -> [Int] {
    MarkupElement(tree: tree, index: tree.nodes[index].parent).children.map(\.index)
  }

  private func test(_ index: Int, _ test: Selector.Test) -> Bool {
    let node = tree.nodes[index]
    switch test {
    case .name(let name, let prefix):
      if let prefix, prefix != "*", prefix != node.prefix { return false }
      return name == "*" || name == node.name || tree.isHTML && name.lowercased() == node.name
    case .attribute(let name, let match, let wanted, let ignoresCase):
      guard let value = attribute(name, of: node) else { return false }
      return compare(
        ignoresCase ? value.lowercased() : value, match, ignoresCase ? wanted.lowercased() : wanted)
    case .nth(let step, let offset, let fromEnd, let ofType):
      let number = place(index, node, fromEnd: fromEnd, ofType: ofType) - offset
      return step == 0 ? number == 0 : number % step == 0 && number / step >= 0
    case .empty: return node.end == index + 1
    case .root: return node.parent == 0
    case .scope: return index == scope
    case .text(let wanted):
      return wanted.isEmpty || MarkupElement(tree: tree, index: index).visibleText().has(wanted)
    case .not(let list): return !list.contains { matches(index, $0) }
    case .any(let list): return list.contains { matches(index, $0) }
    case .has(let list): return list.contains { has(index, $0) }
    }
  }

  private func attribute(_ name: String, of node: MarkupTree.Node) -> String? {
    node.attributes.first { attribute in
      let full = attribute.prefix.isEmpty ? attribute.name : "\(attribute.prefix):\(attribute.name)"
      return full == name || tree.isHTML && full == name.lowercased()
    }?.value
  }

  private func compare(_ value: String, _ match: Selector.Match, _ wanted: String) -> Bool {
    switch match {
    case .exists: true
    case .equals: value == wanted
    case .word: !wanted.isEmpty && value.split(whereSeparator: \.isWhitespace).contains { $0 == wanted }
    case .dash: value == wanted || value.hasPrefix(wanted + "-")
    case .prefix: !wanted.isEmpty && value.hasPrefix(wanted)
    case .suffix: !wanted.isEmpty && value.hasSuffix(wanted)
    case .contains: !wanted.isEmpty && value.has(wanted)
    }
  }

  /// The place among the elements of the parent, or those of its name, from 1.
  private func place(_ index: Int, _ node: MarkupTree.Node, fromEnd: Bool, ofType: Bool) -> Int {
    if !ofType { return fromEnd ? tree.nodes[node.parent].elements - node.place + 1 : node.place }
    let same = siblings(index).filter { tree.nodes[$0].name == node.name }
    let place = same.firstIndex(of: index) ?? 0
    return fromEnd ? same.count - place : place + 1
  }

  private func has(_ index: Int, _ complex: Selector.Complex) -> Bool {
    let element = MarkupElement(tree: tree, index: index)
    let candidates: [Int] =
      switch complex.leading {
      case .descendant: Array(element.below)
      case .child where complex.compounds.count == 1: element.children.map(\.index)
      case .child: Array(element.below)
      case .next, .following: siblings(index).filter { $0 > index }
      }
    return candidates.contains { candidate in
      guard matches(candidate, complex) else { return false }
      if complex.leading == .next { return previous(candidate) == index }
      return true
    }
  }
}
