import JSON
import System

/// The rules by which a page becomes rows.
public struct HTMLForm: Sendable {
  /// The elements that are the rows; nil for the page as one row.
  public var select: Selector?
  /// The members of a row; without any, a row is the text of its element.
  public var fields: [(name: String, field: HTMLField)]

  public init(select: Selector? = nil, fields: [(name: String, field: HTMLField)] = []) {
    self.select = select
    self.fields = fields
  }

  /// The rows of a page.
  ///
  /// - Parameter resolve: The absolute address of a link; nil for one that cannot be resolved.
  public func rows(
    of tree: MarkupTree, resolve: (String) -> String? = { $0 }
  ) throws(TextFlaw) -> [Value] {
    // <base href> of the page is left to browsers: few pages have one.
    let elements = try select?.matches(in: tree.document) ?? [tree.document]
    let watch = MarkupWatch(tree.limits)
    let shape = fields.isEmpty ? nil : Shape(fields.map { Key($0.name) }, isShared: true)
    let matchers = fields.map { $0.field.selector.map { SelectorMatcher(tree, $0) } }
    var rows: [Value] = []
    for element in elements {
      guard let shape else {
        try watch.check(beforeLarge: true)
        rows.append(.string(element.visibleText(separator: select == nil ? "\n" : " ")))
        continue
      }
      var values: [Value] = []
      for (named, matcher) in zip(fields, matchers) {
        try watch.check(beforeLarge: true)
        values.append(try named.field.value(in: element, matcher, resolve))
      }
      rows.append(.object(shape, values))
    }
    return rows
  }
}

/// A field of a row: which element below it, and what of that.
public struct HTMLField: Sendable {
  /// Nil for the row's own element.
  let selector: Selector?
  /// Nil for its text.
  private let attribute: String?
  /// Whether it is the list of all matches, not the first one.
  private let isList: Bool

  private static let links: Set<String> = ["href", "src", "action", "poster", "cite"]

  /// Parses `h2`, `a.more@href`, `@data-id`, `.tag[]`, or `.` for the row's own text; `@text` is the text with a line
  /// for each block, `@html` the markup within.
  public init(_ text: String) throws(SelectorFlaw) {
    var rest = text[...]
    isList = rest.hasSuffix("[]")
    if isList { rest = rest.dropLast(2) }
    let name = rest.reversed().prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == ":" }
    let end = rest.index(rest.endIndex, offsetBy: -name.count)
    if !name.isEmpty, end > rest.startIndex, rest[rest.index(before: end)] == "@" {
      attribute = String(rest[end...]).lowercased()
      rest = rest[..<rest.index(before: end)]
    } else {
      attribute = nil
    }
    let path = trimmed(String(rest))
    selector = path.isEmpty && attribute != nil || path == "." ? nil : try Selector(path)
  }

  func value(
    in row: MarkupElement, _ matcher: SelectorMatcher?, _ resolve: (String) -> String?
  ) throws(TextFlaw) -> Value {
    guard let matcher else {
      let own = text(of: row, resolve).map { Value.string($0) }
      return isList ? .array(own.map { [$0] } ?? []) : own ?? .null
    }
    if isList {
      return .array(try matcher.matches(in: row).compactMap { text(of: $0, resolve).map { .string($0) } })
    }
    return try matcher.firstMatch(in: row).flatMap { text(of: $0, resolve) }.map { .string($0) } ?? .null
  }

  private func text(of element: MarkupElement, _ resolve: (String) -> String?) -> String? {
    guard let attribute else { return element.visibleText() }
    if attribute == "text" { return element.visibleText(separator: "\n") }
    if attribute == "html" { return trimmed(element.innerMarkup) }
    guard let value = element.attribute(attribute) else { return nil }
    return Self.links.contains(attribute) ? resolve(value) ?? value : value
  }
}
