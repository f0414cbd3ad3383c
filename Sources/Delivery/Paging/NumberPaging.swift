import Language

/// Pages by number where the answer says which one it is, as in `{"page": 1, "pages": 3, "total": 60}`, or from 0 as in
/// `{"number": 0, "totalPages": 3}` (Spring Data).
enum NumberPaging {
  private static let counts = [
    "totalpages", "pages", "pagecount", "numpages", "nbpages", "lastpage", "maxpage", "pagestotal",
    "numberofpages", "totalpagecount", "pagetotal",
  ]
  private static let numbers = [
    "page", "currentpage", "pagenumber", "pageno", "pagenum", "pageindex", "number",
  ]

  static func find(in answer: ListAnswer) -> Paging? {
    let pages = answer.fact(counts) { $0.number != nil }
    let current = answer.fact(numbers) { fact in
      fact.number.map { $0 < 2 } == true
        // A member of that name may be anything else.
        && (fact.name != "number" || pages.map { $0.path.dropLast() == fact.path.dropLast() } == true)
    }
    guard let current, let number = current.number else { return nil }
    // Some count from 0 and give the number of the page that is shown, from 1.
    let item = answer.item(items(for: current))
    if number == 1, let stated = answer.stated {
      return Paging(
        .item(name: item, value: "2"),
        [("page", FlowYAML.quoted(item)), ("total", Paging.yaml(stated.expression))])
    }
    let one = current.expression
    if let pages, let count = pages.number {
      guard count > number + (number == 0 ? 1 : 0) else { return nil }
      let next = "\(one) + 1"
      let condition = number == 0 ? "\(next) < \(pages.expression)" : "\(one) < \(pages.expression)"
      return .next("select(\(condition)) | \(next)", for: item, second: "\(number + 1)")
    }
    guard answer.isFlagged, let condition = answer.condition else {
      guard number == 0, let stated = answer.stated else { return nil }
      let condition = "(\(one) + 1) * \(answer.rows.count) < \(stated.expression)"
      return .next("select(\(condition)) | \(one) + 1", for: item, second: "1")
    }
    return .next("select(\(condition)) | \(one) + 1", for: item, second: "\(number + 1)")
  }

  private static func items(for fact: ListAnswer.Fact) -> [String] {
    let own = fact.path.last ?? "page"
    return ["page", "currentpage", "number"].contains(fact.name) ? ["page", own] : [own, "page"]
  }
}
