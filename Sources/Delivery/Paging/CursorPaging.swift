import JSON
import Language

/// Pages by a cursor that the answer gives and a query item takes, as in `{"next_cursor": "dXNlcj"}` (Slack),
/// `{"nextPageToken": "CAUQAA"}` (Google) or `{"continue": {"cmcontinue": "page|5"}}` (MediaWiki).
enum CursorPaging {
  /// Names of members that can be nothing but the cursor of a next page.
  static let certain: [(name: String, items: [String])] = [
    ("nextcursor", ["cursor", "start_cursor"]),
    ("nextpagetoken", ["pageToken", "next_page_token", "page_token"]),
    ("nexttoken", ["nextToken", "pagination_token", "next_token"]), ("nextpagestart", ["start"]),
    ("nextstartingafter", ["starting_after"]),
    ("nextoffset", ["offset"]), ("nextstart", ["start"]), ("nextpage", ["page"]),
    ("nextpagenumber", ["page"]),
    ("nextmaxid", ["max_id"]), ("nextid", ["since_id"]), ("nextafter", ["after"]), ("nextskip", ["skip"]),
    ("continue", ["continue"]), ("continuationtoken", ["continuationToken", "continuation_token"]),
  ]
  /// Names that other members have as well; the second page shows what they are.
  private static let likely: [(name: String, items: [String])] = [
    ("nextcursormark", ["cursorMark"]), ("continuation", ["continuation"]),
    ("next", ["cursor", "next", "after"]),
    ("aftercursor", ["page[after]", "after"]), ("endcursor", ["after", "cursor"]), ("after", ["after"]),
    ("lastid", ["after", "after_id"]), ("cursor", ["cursor"]), ("bookmark", ["bookmark"]),
  ]

  static func find(in answer: ListAnswer) -> Paging? {
    if let fact = continuation(in: answer), let name = fact.path.last, let value = fact.cursor {
      return .next(fact.expression, for: name, second: value)
    }
    if answer.flag != nil, !answer.isFlagged { return nil }
    for (name, items) in certain + likely {
      guard let fact = cursor(in: answer, [(name, items)]), let value = fact.cursor else { continue }
      let item = answer.item(spelled(items, as: fact.path, in: answer))
      // Some services give the cursor of the last row on the last page too.
      let isLast = ["lastid", "endcursor", "after", "cursor", "aftercursor"].contains(name)
      let expression =
        isLast
        ? answer.condition.map { "select(\($0)) | \(fact.expression)" } ?? fact.expression : fact.expression
      return .next(expression, for: item, second: value)
    }
    return nil
  }

  static func cursor(
    in answer: ListAnswer, _ names: [(name: String, items: [String])]
  ) -> ListAnswer.Fact? {
    if let fact = continuation(in: answer) { return fact }
    for (name, _) in names {
      if let fact = answer.facts.first(where: { self.name(of: $0) == name && $0.cursor != nil }) {
        return fact
      }
    }
    return nil
  }

  /// The name of a member; that of `next.after` is `nextafter`.
  private static func name(of fact: ListAnswer.Fact) -> String {
    let plain = fact.path.suffix(2).map(ListAnswer.plain)
    if plain.count == 2, plain[0] == "next", plain[1] != "next" { return plain.joined() }
    // A text is no number of rows: Airtable.
    return fact.name == "offset" && fact.value.string != nil ? "nextoffset" : fact.name
  }

  /// The member of `continue` that MediaWiki wants back, whose name is that of the query item.
  private static func continuation(in answer: ListAnswer) -> ListAnswer.Fact? {
    answer.facts.first { fact in
      fact.path.count == 2 && fact.path[0] == "continue" && fact.path[1] != "continue" && fact.cursor != nil
    }
  }

  /// The names of the query item, those first that are spelled as the member is.
  private static func spelled(_ items: [String], as path: [String], in answer: ListAnswer) -> [String] {
    // Notion calls a list so, and OpenAI another one without this cursor.
    if items.contains("start_cursor"), answer.fact(["object"], where: { $0.value.string == "list" }) != nil {
      return items.reversed()
    }
    if items.contains("after_id"), answer.fact(["firstid"], where: { _ in true }) != nil,
      answer.fact(["object"], where: { _ in true }) == nil
    {
      return items.reversed()
    }
    let isSnake = path.last?.contains("_") == true
    return items.filter { isCamel($0) != isSnake } + items.filter { isCamel($0) == isSnake }
  }

  private static func isCamel(_ name: String) -> Bool { name != name.lowercased() }
}
