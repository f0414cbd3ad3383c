import JSON
import Language

/// Pages that the answer links, as in `{"next": "https://example.org/items?page=2"}` (Django REST framework),
/// `{"@odata.nextLink": …}` (OData) or `{"links": [{"rel": "next", "href": …}]}` (FHIR, STAC, PayPal).
enum LinkPaging {
  private static let names = [
    "nexturl", "nextlink", "nextpageurl", "nextpageuri", "nextpagelink", "nexthref", "nextpagepath",
    "nexturi", "odatanextlink", "nextrecordsurl", "moretopicsurl", "nextpage",
  ]
  private static let inside = ["href", "url", "uri", "link"]

  static func find(in answer: ListAnswer) -> Paging? {
    // Null is the end of a list that has such links.
    let link =
      link(in: answer, where: \.isLink)
      ?? link(in: answer) { $0.value.isNull && !["nextpage", "nexturi"].contains($0.name) }
    return link.map { Paging(.link, [("next", Paging.yaml($0))]) }
  }

  /// The expression for the address of the next page.
  static func link(in answer: ListAnswer, where isMeant: (ListAnswer.Fact) -> Bool) -> String? {
    for fact in answer.facts {
      if fact.value.kind == .array, let link = link(among: fact) { return link }
      guard isMeant(fact), isNext(fact.path) else { continue }
      let beside = Array(fact.path.dropLast())
      // Confluence has addresses below one that is given beside them.
      if answer.facts.contains(where: { $0.path == beside + ["base"] && $0.isLink }) {
        let link = jqPath(fact.path.suffix(1))
        return "\(jqPath(beside)) | select(\(link)) | .base + \(link)"
      }
      return fact.expression
    }
    return nil
  }

  /// Whether a path is that of the next page: `next`, `next_page_url`, `next.href`.
  private static func isNext(_ path: [String]) -> Bool {
    let plain = path.suffix(2).map(ListAnswer.plain)
    guard let last = plain.last else { return false }
    if last == "next" || names.contains(last) { return true }
    return plain.count == 2 && ["next", "nextpage"].contains(plain[0]) && inside.contains(last)
  }

  /// The link in a list of links by their relations.
  private static func link(among fact: ListAnswer.Fact) -> String? {
    for relation in ["rel", "relation"] {
      let link = fact.value.items?.first { $0.member(relation)?.string == "next" }
      guard let link, let member = inside.first(where: { link.member($0)?.string != nil }) else { continue }
      return "\(fact.expression)[] | select(.\(relation) == \"next\").\(member)"
    }
    return nil
  }
}
