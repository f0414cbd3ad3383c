// What is repeated in a page, and the selectors that find it again.

import Glibc
import JSON
import System

/// A page in which elements can be pointed at, each by a number that an attribute has: which are alike, and how they and
/// their parts are found again.
///
///     let outline = PageOutline(tree, mark: "data-mark", areas: areas)
///     let kind = outline.kinds(atMost: 8).first   // .card, 24 times
///     outline.parts(of: kind)                     // title: h2, price: .price, link: a@href
public struct PageOutline: Sendable {
  /// Elements that are alike, as the entries of a list are.
  public struct Kind: Sendable, Equatable {
    public var selector: String
    /// By their numbers.
    public var elements: [Int]
    /// The text of the first, for a person.
    public var label: String
  }

  /// A part of each entry: a member of its row.
  public struct Part: Sendable, Equatable {
    public var name: String
    /// As `fields` of `decode: { html: … }` has it.
    public var field: String
    public var values: [String]
  }

  /// The most entries that are looked at for a question about them.
  private static let sample = 30
  private static let asides: Set<String> = ["nav", "header", "footer", "aside"]

  private let tree: MarkupTree
  private let mark: String
  /// The areas of the elements as they are shown, by number.
  private let areas: [Int]
  /// The elements by number.
  private var elements: [Int: MarkupElement] = [:]
  /// Siblings that are alike, by number, and how much each of these lists looks like the content of the page.
  public private(set) var groups: [(elements: [Int], score: Double)] = []
  /// The elements above each, by number, the nearest first.
  public private(set) var parents: [Int: Int] = [:]

  public init(_ tree: MarkupTree, mark: String, areas: [Int]) {
    (self.tree, self.mark, self.areas) = (tree, mark, areas)
    for index in tree.document.below {
      let element = MarkupElement(tree: tree, index: index)
      guard let number = number(of: element) else { continue }
      elements[number] = element
      var above = element.node.parent
      while above > 0 {
        if let parent = self.number(of: MarkupElement(tree: tree, index: above)) {
          parents[number] = parent
          break
        }
        above = tree.nodes[above].parent
      }
    }
    for index in tree.document.below { collect(below: MarkupElement(tree: tree, index: index)) }
    groups.sort { $0.score > $1.score }
  }

  private func number(of element: MarkupElement) -> Int? {
    element.attribute(mark).flatMap { Int($0) }.flatMap {
      areas.indices.contains($0) && areas[$0] > 0 ? $0 : nil
    }
  }

  private func numbers(_ all: [MarkupElement]) -> [Int] { all.compactMap { number(of: $0) } }

  // MARK: - What is alike

  private mutating func collect(below parent: MarkupElement) {
    let shown = parent.children.filter { number(of: $0) != nil }
    guard shown.count > 1 else { return }
    for (tag, all) in Dictionary(grouping: shown, by: \.name)
    where all.count > 1 && !["td", "th", "br", "option"].contains(tag) {
      var members = tag == "tr" ? all.filter { $0.children.contains { $0.name == "td" } } : all
      // Those that share the class which most of them have.
      var counts: [(name: String, count: Int)] = []
      for name in members.flatMap({ StableNames.classes(of: $0) }) {
        if let at = counts.firstIndex(where: { $0.name == name }) {
          counts[at].count += 1
        } else {
          counts.append((name, 1))
        }
      }
      if let best = counts.max(by: { $0.count < $1.count }), best.count > 1, best.count * 2 >= members.count {
        members = members.filter { StableNames.classes(of: $0).contains(best.name) }
      }
      if members.count > 1 { groups.append((numbers(members), score(members))) }
    }
  }

  /// How much a list looks like the content of the page: large, long, alike, with text in several parts.
  private func score(_ members: [MarkupElement]) -> Double {
    let first = Array(members.prefix(12))
    let shapes = first.map(shape)
    let whole = shapes.reduce(Set()) { $0.union($1) }.count
    let alike = Double(shapes.reduce(0) { $0 + $1.count }) / Double(max(1, whole * shapes.count))
    let parts = first.prefix(3).map { below($0).count(where: isPart) }.max() ?? 0
    let text = first.prefix(3).reduce(0) { $0 + min(300, $1.visibleText().count) } / min(3, first.count)
    let area = numbers(members).reduce(0) { $0 + areas[$1] }
    let isAside = ancestors(of: members[0]).contains {
      Self.asides.contains($0.name) || $0.attribute("role") == "navigation"
    }
    return log2(Double(1 + members.count)) * alike * alike * Double(min(6, max(1, parts)))
      * log2(Double(2 + text))
      * Double(area).squareRoot() * (isAside ? 0.2 : 1)
  }

  /// The names in an element, with those of what is below it.
  private func shape(_ element: MarkupElement) -> Set<String> {
    Set(([element] + below(element).prefix(60)).map { $0.name + (StableNames.classes(of: $0).first ?? "") })
  }

  private func below(_ element: MarkupElement) -> [MarkupElement] {
    element.below.map { MarkupElement(tree: tree, index: $0) }
  }

  private func ancestors(of element: MarkupElement) -> [MarkupElement] {
    var all: [MarkupElement] = []
    var at = element.node.parent
    while at > 0 {
      all.append(MarkupElement(tree: tree, index: at))
      at = tree.nodes[at].parent
    }
    return all
  }

  /// The lists of the page, the likeliest first.
  public func kinds(atMost most: Int) -> [Kind] {
    // Cards in rows are few in each: what counts is how many their selector finds.
    let all = groups.prefix(24).compactMap { group in
      kind(of: group.elements).map {
        ($0, group.score * log2(Double(1 + $0.elements.count)) / log2(Double(1 + group.elements.count)))
      }
    }
    let kinds = all.map(\.0)
    var found: [Kind] = []
    for (kind, _) in all.sorted(by: { $0.1 > $1.1 }) {
      // Parts of entries are alike, too.
      let above = Set(kind.elements.first.map(path) ?? [])
      let isKnown = found.contains { $0.selector == kind.selector || !above.isDisjoint(with: $0.elements) }
      if !isKnown, !kinds.contains(where: { isWrapper(kind, of: $0) }) { found.append(kind) }
    }
    return Array(found.prefix(most))
  }

  /// Whether elements are but rows of others, several in each.
  private func isWrapper(_ kind: Kind, of other: Kind) -> Bool {
    guard other.elements.count >= 2 * kind.elements.count else { return false }
    let own = Set(kind.elements)
    func text(_ kind: Kind) -> Int {
      kind.elements.reduce(0) { $0 + (elements[$1]?.visibleText().count ?? 0) }
    }
    return other.elements.allSatisfy { !own.isDisjoint(with: path($0).dropFirst()) }
      && text(other) * 10 >= text(kind) * 8
  }

  /// The numbers of an element and of those above it.
  private func path(_ number: Int) -> [Int] { Array(sequence(first: number) { parents[$0] }) }

  /// The list that an element belongs to, by itself or with what it is in.
  public func kind(at number: Int) -> Kind? {
    let wanted = Set(path(number))
    return groups.first { !wanted.isDisjoint(with: $0.elements) }.flatMap { kind(of: $0.elements) }
  }

  /// The elements that a selector finds; throws for what is none.
  public func kind(_ selector: String) throws -> Kind {
    let found = try Selector(selector).matches(in: tree.document)
    return Kind(selector: selector, elements: numbers(found), label: found.first.map(label) ?? "")
  }

  /// The text of an element, for a person; nil for one that is not shown.
  public func label(of number: Int) -> String? { elements[number].map(label) }

  private func label(_ element: MarkupElement) -> String { String(element.visibleText().prefix(60)) }

  // MARK: - Selectors for entries

  /// Some siblings with a selector that finds them, and perhaps others that are like them.
  private func kind(of group: [Int]) -> Kind? {
    let members = group.compactMap { elements[$0] }
    guard let first = members.first else { return nil }
    let shared = StableNames.selectors(of: first, ignoring: mark).filter { selector in
      members.allSatisfy { StableNames.selectors(of: $0, ignoring: mark).contains(selector) }
    }
    let above = ancestors(of: first)
    var all = shared.dropLast()[...]
    for (distance, element) in above.enumerated() {
      let names =
        (StableNames.id(of: element).map { ["#\($0)"] } ?? [])
        + StableNames.selectors(of: element, ignoring: mark)
      for name in names.prefix(2) {
        all += shared.map { "\(name) \(distance == 0 ? ">" : "") \($0)".replacing("  ", by: " ") }
      }
    }
    all.append("\(path(to: above)) > \(shared.last ?? first.name)")
    for selector in all {
      guard let found = try? Selector(selector).matches(in: tree.document), found.count >= members.count
      else { continue }
      let shown = numbers(found)
      let more = Set(shown).subtracting(group)
      if Set(group).isSubset(of: shown), found.count - shown.count <= shown.count,
        more.allSatisfy({ elements[$0].map { isLike($0, first) } ?? false })
      {
        return Kind(selector: selector, elements: shown, label: label(first))
      }
    }
    return nil
  }

  /// Whether an element elsewhere has the name, the depth and the kind of parent of another.
  private func isLike(_ element: MarkupElement, _ other: MarkupElement) -> Bool {
    let (parents, others) = (ancestors(of: element), ancestors(of: other))
    guard element.name == other.name, parents.count == others.count, let one = parents.first,
      let two = others.first
    else { return false }
    let (own, shared) = (shape(element), shape(other))
    return one.name == two.name && StableNames.classes(of: one).first == StableNames.classes(of: two).first
      && own.intersection(shared).count * 2 >= own.union(shared).count
  }

  /// The path to the first of some elements, by positions, from the next one that has an id.
  private func path(to above: [MarkupElement]) -> String {
    var steps: [String] = []
    for element in above {
      if let id = StableNames.id(of: element) {
        steps.append("#\(id)")
        break
      }
      if element.name == "html" { break }
      steps.append(element.name == "body" ? "body" : "\(element.name):nth-child(\(element.node.place))")
    }
    return steps.reversed().joined(separator: " > ")
  }

  // MARK: - Parts of entries

  /// Whether an element has text of its own, or is a picture.
  private func isPart(_ element: MarkupElement) -> Bool {
    if element.name == "img" { return true }
    guard number(of: element) != nil else { return false }
    var at = element.index + 1
    while at < element.node.end {
      let node = tree.nodes[at]
      if !node.isElement, node.text.contains(where: { !$0.isWhitespace }) { return true }
      at = max(node.end, at + 1)
    }
    return false
  }

  /// The parts of the entries of a kind that differ from one to the other.
  public func parts(of kind: Kind) -> [Part] {
    let rows = kind.elements.prefix(Self.sample).compactMap { elements[$0] }
    var found: [Part] = []
    func add(_ name: String, _ field: String) {
      guard !field.isEmpty, !found.contains(where: { $0.field == field }) else { return }
      let values = values(of: field, in: rows).compactMap(\.self)
      let distinct = Set(values)
      guard values.count * 2 >= rows.count, distinct.count > 1 || rows.count == 1,
        !distinct.contains("") || distinct.count > 2,
        !found.contains(where: { $0.values == values })
      else { return }
      found.append(Part(name: Self.unused(name, among: found.map(\.name)), field: field, values: values))
    }
    for attribute in rows.first?.node.attributes ?? []
    where attribute.name == "id" || attribute.name.hasSuffix("-id") && attribute.name != mark {
      let values = values(of: "@\(attribute.name)", in: rows).compactMap(\.self)
      if Set(values).count == rows.count { add("id", "@\(attribute.name)") }
    }
    for row in rows.prefix(6) {
      for element in [row] + below(row) where number(of: element) != nil {
        let selector = field(for: element, in: row, among: rows)
        if element.name == "a", element.attribute("href") != nil { add("link", "\(selector)@href") }
        if element.name == "img", element.attribute("src") != nil { add("picture", "\(selector)@src") }
        if element.name == "time", element.attribute("datetime") != nil {
          add("time", "\(selector)@datetime")
        }
        if isPart(element),
          !["img", "time"].contains(element.name)
            || element.attribute("datetime") == nil && element.name == "time"
        {
          add(name(of: element), selector.isEmpty ? "." : selector)
        }
      }
    }
    return found
  }

  /// A name, with a number where it is taken.
  public static func unused(_ name: String, among taken: [String]) -> String {
    taken.contains(name)
      ? (2...taken.count + 2).lazy.map { "\(name)_\($0)" }.first { !taken.contains($0) } ?? name : name
  }

  /// The part of its entry that an element is; nil outside of all entries.
  public func part(at number: Int, of kind: Kind) -> Part? {
    guard let element = elements[number] else { return nil }
    let rows = kind.elements.compactMap { elements[$0] }
    guard let row = rows.first(where: { $0.index <= element.index && element.index < $0.node.end }) else {
      return nil
    }
    let selector = field(for: element, in: row, among: Array(rows.prefix(Self.sample)))
    let isPicture = element.name == "img"
    let field = isPicture ? "\(selector)@src" : selector.isEmpty ? "." : selector
    return Part(
      name: isPicture ? "picture" : name(of: element), field: field,
      values: values(of: field, in: rows).compactMap(\.self))
  }

  /// The elements that a field finds in the entries of a kind, by number.
  public func elements(of field: String, in kind: Kind) throws -> [Int] {
    let selector = try HTMLField(field).selector
    let matcher = selector.map { SelectorMatcher(tree, $0) }
    return try kind.elements.compactMap { elements[$0] }.compactMap { row in
      guard let matcher else { return number(of: row) }
      return try matcher.firstMatch(in: row).flatMap { number(of: $0) }
    }
  }

  private func values(of field: String, in rows: [MarkupElement]) -> [String?] {
    guard let field = try? HTMLField(field) else { return [] }
    let matcher = field.selector.map { SelectorMatcher(tree, $0) }
    return rows.map { row in (try? field.value(in: row, matcher) { $0 })?.string }
  }

  /// The selector of an element within its entry, empty for the entry itself: of those that find it the first that finds
  /// something in most of the others.
  private func field(for element: MarkupElement, in row: MarkupElement, among rows: [MarkupElement]) -> String
  {
    if element.index == row.index { return "" }
    let own = StableNames.selectors(of: element, ignoring: mark)
    let above = ancestors(of: element).prefix { $0.index != row.index }
    var all = own
    for parent in above {
      all += StableNames.selectors(of: parent, ignoring: mark).dropLast().prefix(2).flatMap { name in
        own.map { "\(name) \($0)" }
      }
    }
    let steps = ([element] + above).map { "\($0.name):nth-child(\($0.node.place))" }
    all += (1...steps.count).map { steps.prefix($0).reversed().joined(separator: " > ") }
    var best = (selector: steps.reversed().joined(separator: " > "), hits: -1)
    for selector in all {
      guard let parsed = try? Selector(selector) else { continue }
      let matcher = SelectorMatcher(tree, parsed)
      guard (try? matcher.firstMatch(in: row))??.index == element.index else { continue }
      let hits = rows.count { (try? matcher.firstMatch(in: $0)) ?? nil != nil }
      if hits * 10 >= rows.count * 8 { return selector }
      if hits > best.hits { best = (selector, hits) }
    }
    return best.selector
  }

  /// A name for a part, by what its page calls it.
  private func name(of element: MarkupElement) -> String {
    let given = ["itemprop", "data-testid", "data-test", "data-qa"].compactMap { element.attribute($0) }.first
    let word = given ?? StableNames.classes(of: element).first { !$0.hasPrefix("[") }
    let parts = (word ?? "").lowercased().utf8.split { !(0x61...0x7a).contains($0) }.map {
      String(decoding: $0, as: UTF8.self)
    }
    // `product-card__price` is a price.
    if let last = parts.last(where: {
      $0.count > 2 && !["text", "label", "value", "item", "card"].contains($0)
    }) {
      return last
    }
    return switch element.name {
    case "h1", "h2", "h3", "h4", "h5", "h6", "a", "strong", "b": "title"
    case "time": "time"
    case "td", "th": "column_\(element.node.place)"
    default: parts.last.flatMap { $0.count > 2 ? $0 : nil } ?? "text"
    }
  }
}
