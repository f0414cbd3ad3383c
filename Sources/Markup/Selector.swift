import System

// CSS selectors over a document (Selectors Level 4, the part that has a meaning without a browser).

/// A list of selectors; an element matches if one of them does.
public struct Selector: Sendable {
  /// As it was written.
  public let text: String
  let alternatives: [Complex]
  /// Whether it says `:scope`, so that what matches depends on where it is asked.
  let hasScope: Bool

  /// How the element of a compound is related to that of the one after it.
  enum Combinator: Sendable { case descendant, child, next, following }

  /// Compounds from left to right; `combinators[i]` stands between `i` and `i + 1`.
  struct Complex: Sendable {
    var compounds: [[Test]]
    var combinators: [Combinator]
    /// The relation of its first compound to the element, for a selector in `:has`.
    var leading = Combinator.descendant
    /// The number of its first compound among those of the whole text.
    var number: Int
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
  public func matches(in scope: MarkupElement) throws(TextFlaw) -> [MarkupElement] {
    try SelectorMatcher(scope.tree, self).matches(in: scope)
  }
}

/// A matcher of the elements of one document, which asks each question about an element once.
///
/// So a selector takes time in proportion to the elements, however many of them are siblings.
final class SelectorMatcher {
  private let tree: MarkupTree
  private let selector: Selector
  private let watch: MarkupWatch
  private var scope = 0
  /// Answers, by `key`: whether an element matches, or the first element from there on that does, -1 for none.
  private var known: [Int: Int] = [:]
  /// The place among the siblings of one name, from 1, by element; that from the end by its complement.
  private var places: [Int: Int] = [:]
  /// Tests that were made.
  private(set) var steps = 0

  init(_ tree: MarkupTree, _ selector: Selector) {
    self.tree = tree
    self.selector = selector
    watch = MarkupWatch(tree.limits)
  }

  /// The elements below one that match, in the order of the document.
  func matches(in scope: MarkupElement) throws(TextFlaw) -> [MarkupElement] {
    begin(scope)
    let found = scope.below.filter(matches)
    try watch.check()
    return found.map { MarkupElement(tree: tree, index: $0) }
  }

  /// The first of them.
  func firstMatch(in scope: MarkupElement) throws(TextFlaw) -> MarkupElement? {
    begin(scope)
    let found = scope.below.first(where: matches)
    try watch.check()
    return found.map { MarkupElement(tree: tree, index: $0) }
  }

  private func begin(_ scope: MarkupElement) {
    if selector.hasScope, self.scope != scope.index { known = [:] }
    self.scope = scope.index
  }

  private func matches(_ index: Int) -> Bool {
    selector.alternatives.contains { matches(index, $0, $0.compounds.count - 1) }
  }

  // MARK: - Relations

  /// Whether the element matches the compound at `place`, and what stands before it matches the selector before that.
  private func matches(_ index: Int, _ complex: Selector.Complex, _ place: Int) -> Bool {
    guard index > 0, fits(index, complex, place) else { return false }
    if place == 0 { return true }
    func isGood(_ index: Int) -> Bool { matches(index, complex, place - 1) }
    let parent = tree.nodes[index].parent
    switch complex.combinators[place - 1] {
    case .child: return isKnown(2, parent, complex, place, isGood)
    case .descendant:
      return first(from: parent, complex, place, { self.tree.nodes[$0].parent }, isGood) != nil
    case .next: return previous(index).map(isGood) ?? false
    case .following: return first(from: previous(index), complex, place, previous, isGood) != nil
    }
  }

  /// Whether the compounds of a selector in `:has` from `place` on match elements that are related to this one.
  private func has(_ index: Int, _ complex: Selector.Complex, _ place: Int) -> Bool {
    func isGood(_ index: Int) -> Bool {
      fits(index, complex, place) && (place + 1 == complex.compounds.count || has(index, complex, place + 1))
    }
    let end = tree.nodes[index].end
    switch place == 0 ? complex.leading : complex.combinators[place - 1] {
    case .child:
      return isKnown(2, index, complex, place) { index in
        var at = self.nextElement(index + 1, before: end)
        while let child = at {
          if isGood(child) { return true }
          at = self.nextElement(self.tree.nodes[child].end, before: end)
        }
        return false
      }
    case .descendant:
      let all = tree.nodes.count
      let found = first(
        from: nextElement(index + 1, before: end), complex, place,
        { self.nextElement($0 + 1, before: all) }, isGood)
      return found.map { $0 < end } ?? false
    case .next: return next(index).map(isGood) ?? false
    case .following: return first(from: next(index), complex, place, next, isGood) != nil
    }
  }

  private func key(_ kind: Int, _ index: Int, _ complex: Selector.Complex, _ place: Int) -> Int {
    ((complex.number + place) << 2 | kind) << 32 | index
  }

  private func isKnown(
    _ kind: Int, _ index: Int, _ complex: Selector.Complex, _ place: Int, _ isTrue: (Int) -> Bool
  ) -> Bool {
    let key = key(kind, index, complex, place)
    if let answer = known[key] { return answer == 1 }
    let answer = isTrue(index)
    known[key] = answer ? 1 : 0
    return answer
  }

  /// The first good element of a row of elements, which for each of them goes on in the same way.
  private func first(
    from start: Int?, _ complex: Selector.Complex, _ place: Int, _ next: (Int) -> Int?,
    _ isGood: (Int) -> Bool
  ) -> Int? {
    var passed: [Int] = []
    var found = -1
    var at = start
    while let index = at, index > 0 {
      let key = key(1, index, complex, place)
      if let answer = known[key] {
        found = answer
        break
      }
      passed.append(key)
      if isGood(index) {
        found = index
        break
      }
      at = next(index)
    }
    for key in passed { known[key] = found }
    return found < 0 ? nil : found
  }

  /// The first element from an index on.
  private func nextElement(_ index: Int, before end: Int) -> Int? {
    var at = index
    while at < end, !tree.isFound(at) { at += 1 }
    return at < end ? at : nil
  }

  /// The element after another one below the same parent.
  private func next(_ index: Int) -> Int? {
    let node = tree.nodes[index]
    return nextElement(node.end, before: tree.nodes[node.parent].end)
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

  // MARK: - Tests of one element

  private func fits(_ index: Int, _ complex: Selector.Complex, _ place: Int) -> Bool {
    complex.compounds[place].allSatisfy { test(index, $0) }
  }

  private func test(_ index: Int, _ test: Selector.Test) -> Bool {
    steps += 1
    guard watch.step() else { return false }
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
      if wanted.isEmpty { return true }
      return !watch.isOver() && MarkupElement(tree: tree, index: index).visibleText().has(wanted)
    case .not(let list): return !list.contains { matches(index, $0, $0.compounds.count - 1) }
    case .any(let list): return list.contains { matches(index, $0, $0.compounds.count - 1) }
    case .has(let list): return list.contains { has(index, $0, 0) }
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
    if places[index] == nil {
      let children = MarkupElement(tree: tree, index: node.parent).children.map(\.index)
      countPlaces(of: children) { $0 }
      countPlaces(of: children.reversed(), ~)
    }
    return places[fromEnd ? ~index : index] ?? 0
  }

  private func countPlaces(of elements: [Int], _ key: (Int) -> Int) {
    var counts: [String: Int] = [:]
    for index in elements {
      let count = counts[tree.nodes[index].name, default: 0] + 1
      counts[tree.nodes[index].name] = count
      places[key(index)] = count
    }
  }
}
