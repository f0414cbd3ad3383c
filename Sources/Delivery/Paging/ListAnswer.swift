import JSON
import Language

/// An answer that has a list: its rows, and what the members beside them say about the rest of the list.
///
///     let answer = ListAnswer(value, path: ["results"], query: ["page"])
///     answer?.stated    // .count, 200
///     answer?.paging    // next: .next_cursor, cursor: cursor
package struct ListAnswer {
  /// A member beside the list, or in one of the objects where services write about their pages.
  package struct Fact {
    package let path: [String]
    package let value: Value
    /// The name of the member in lower case, without dots, dashes and underscores: `nextcursor`.
    let name: String

    package var expression: String { jqPath(path) }
    var isLink: Bool { value.string.map { $0.has("://") || $0.hasPrefix("/") || $0.hasPrefix("?") } == true }
    var isTrue: Bool { value.bool == true }
    var isFalse: Bool { value.bool == false }
    /// A number, not below zero.
    var number: Int? { value.double.flatMap { Int(exactly: $0) }.flatMap { $0 < 0 ? nil : $0 } }
    /// A text or number that names a place in the list; nil for a link, for nothing and for zero.
    var cursor: String? {
      if isLink { return nil }
      if let text = value.string { return text.isEmpty ? nil : text }
      return number.flatMap { $0 == 0 ? nil : "\($0)" }
    }
  }

  private static let deepest = 3
  /// Objects with members about pages.
  private static let containers: Set = [
    "meta", "metadata", "paging", "pagination", "pager", "page", "pages", "pageinfo", "pagelinks", "links",
    "link", "info", "responsemetadata", "resultinfo", "searchinformation", "cursor", "cursors", "next",
    "nextpage", "continue", "total", "hits", "query", "additionaldata", "resultset",
  ]

  package let value: Value
  /// The members that lead to the list.
  package let path: [String]
  package let rows: [Value]
  /// The names of the query items of the request.
  package let query: [String]
  let facts: [Fact]

  /// Nil where no list is there.
  package init?(_ value: Value, path: [String], query: [String]) {
    var place = value
    var parents: [Value] = []
    for name in path {
      guard place.kind == .object, let member = place.member(name) else { return nil }
      parents.append(place)
      place = member
    }
    guard place.kind == .array, let rows = place.items else { return nil }
    var facts: [Fact] = []
    for (depth, parent) in parents.enumerated() {
      Self.collect(parent, Array(path.prefix(depth)), besides: path[depth], into: &facts)
    }
    (self.value, self.path, self.rows, self.query, self.facts) = (value, path, rows, query, facts)
  }

  private static func collect(
    _ object: Value, _ path: [String], besides list: String?, depth: Int = 0, into facts: inout [Fact]
  ) {
    for key in object.keys.map(\.name) where key != list {
      guard let member = object.member(key) else { continue }
      let isContainer = containers.contains(plain(key))
      switch member.kind {
      case .object where isContainer && depth < deepest:
        collect(member, path + [key], besides: nil, depth: depth + 1, into: &facts)
      case .object: continue
      case .array where !isContainer: continue
      default:
        // As in `total: { value: 200 }`.
        let name = plain(key) == "value" ? path.last.map(plain) ?? "" : plain(key)
        facts.append(Fact(path: path + [key], value: member, name: name))
      }
    }
  }

  static func plain(_ name: String) -> String {
    String(decoding: name.lowercased().utf8.filter { isWordByte($0) && $0 != 0x5f }, as: UTF8.self)
  }

  /// The first fact of that name that meets a condition; earlier names come first.
  func fact(_ names: [String], where isMeant: (Fact) -> Bool) -> Fact? {
    for name in names {
      if let fact = facts.first(where: { $0.name == name && isMeant($0) }) { return fact }
    }
    return nil
  }

  /// The name of a query item: one that the request has, else the first.
  func item(_ names: [String]) -> String { names.first(where: query.contains) ?? names.first ?? "" }

  // MARK: - What is certain

  private static let flags = [
    "hasmore", "hasnext", "hasnextpage", "more", "moreresults", "hasmoreitems", "hasmoreresults",
    "hasmorepages", "hasmorerecords", "moreavailable", "moreitemsincollection", "morepages",
    "exceededtransferlimit", "istruncated", "truncated",
  ]
  private static let endFlags = ["islast", "islastpage", "lastpage", "last"]

  /// The member that says whether the list goes on behind these rows; `isEnd` where it says so by being false.
  var flag: (fact: Fact, isEnd: Bool)? {
    if let fact = fact(Self.flags, where: { $0.value.bool != nil }) { return (fact, false) }
    return fact(Self.endFlags) { $0.value.bool != nil }.map { ($0, true) }
  }

  /// The condition under which the list goes on, as an expression.
  var condition: String? { flag.map { $0.isEnd ? "\($0.fact.expression) == false" : $0.fact.expression } }

  /// Whether the answer says that the list goes on, by its flag.
  var isFlagged: Bool { flag.map { $0.isEnd ? $0.fact.isFalse : $0.fact.isTrue } ?? false }

  private static let totals = [
    "total", "totalcount", "totalresults", "totalitems", "totalelements", "totalrows", "totalhits",
    "totalrecords", "totalsize", "totalentries", "numfound", "nbhits", "recordstotal", "recordcount",
    "odatacount", "count", "hitcount", "available",
  ]

  /// The number of rows of the whole list, where the answer states more than it has.
  package var stated: (expression: String, count: Int)? {
    guard let fact = fact(Self.totals, where: { ($0.number ?? 0) > rows.count }), let count = fact.number
    else {
      return nil
    }
    return (fact.expression, count)
  }

  /// The member that says that the list goes on, and can mean nothing else: `.has_more is true`; nil where nothing does.
  package var evidence: String? {
    if let flag, isFlagged { return "\(flag.fact.expression) is \(flag.fact.value)" }
    // A flag that says otherwise knows better: some services give a cursor to continue later.
    if flag != nil { return nil }
    if let link = LinkPaging.link(in: self, where: \.isLink) { return "\(link) is an address" }
    guard let fact = CursorPaging.cursor(in: self, CursorPaging.certain) else { return nil }
    return "\(fact.expression) is \(fact.value.description.prefix(40))"
  }

  /// The way to the rest of the list, by what services call it; nil where there is no rest, or no way is known.
  package var paging: Paging? {
    for style in Paging.styles {
      if let found = style(self) { return found }
    }
    return nil
  }
}
