import Language

/// Pages by the usual query items, where the answer states more rows than it has and names no way to them; only the
/// second page shows whether the service knows the item.
enum UnnamedPaging {
  private static let offsets = ["offset", "start", "skip", "startIndex", "from"]

  static func find(in answer: ListAnswer) -> Paging? {
    var paging = usual(answer)
    paging?.isGuess = true
    return paging
  }

  private static func usual(_ answer: ListAnswer) -> Paging? {
    guard answer.isFlagged || answer.stated != nil else { return nil }
    let total = answer.stated.map { [(name: "total", yaml: Paging.yaml($0.expression))] } ?? []
    let hasLimit =
      answer.query.contains("limit") || answer.fact(["limit"], where: { $0.number != nil }) != nil
    if let offset = offsets.first(where: answer.query.contains) ?? (hasLimit ? "offset" : nil),
      !answer.query.contains("page")
    {
      return Paging(
        .item(name: offset, value: "\(answer.rows.count)"), [("offset", offset)] + total)
    }
    return Paging(.item(name: "page", value: "2"), [("page", "page")] + total)
  }
}
