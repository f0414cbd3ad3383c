import Language

/// Pages by the number of rows before them, as in `{"startAt": 0, "maxResults": 50, "total": 200}` (Jira), or from 1 as in
/// `{"startIndex": 1, "totalResults": 200}` (SCIM).
enum OffsetPaging {
  private static let names = [
    "offset", "start", "startat", "skip", "from", "startindex", "firstresult", "startposition",
    "resultoffset",
  ]

  static func find(in answer: ListAnswer) -> Paging? {
    guard answer.isFlagged || answer.stated != nil else { return nil }
    if let stated = answer.stated, let searched = searched(answer, stated) { return searched }
    guard let fact = answer.fact(names, where: { $0.number.map { $0 < 2 } == true }), let own = fact.path.last
    else { return nil }
    // Crossref and Open Library repeat the query of their search engine, and take another one.
    let isEcho = fact.path.dropLast().last == "query"
    let other = answer.fact(["offset"]) { $0.value.isNull }.map { _ in "offset" }
    let item = answer.item([isEcho ? "offset" : other ?? own, own, "offset"])
    if fact.number == 1 {
      let next = "\(fact.expression) + (\(jqPath(answer.path)) | length)"
      guard let stated = answer.stated else { return nil }
      return .next(
        "select(\(next) <= \(stated.expression)) | \(next)", for: item, second: "\(1 + answer.rows.count)")
    }
    let total = answer.stated.map { [(name: "total", yaml: Paging.yaml($0.expression))] } ?? []
    return Paging(
      .item(name: item, value: "\(answer.rows.count)"), [("offset", FlowYAML.quoted(item))] + total)
  }

  /// Elasticsearch names no offset in its answer.
  private static func searched(_ answer: ListAnswer, _ stated: (expression: String, count: Int)) -> Paging? {
    guard answer.path == ["hits", "hits"] else { return nil }
    return Paging(
      .item(name: "from", value: "\(answer.rows.count)"),
      [("offset", "from"), ("total", Paging.yaml(stated.expression))])
  }
}
