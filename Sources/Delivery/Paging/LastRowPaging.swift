import JSON
import Language

/// Pages behind the id of the last row, as in `{"object": "list", "has_more": true, "data": […]}` (Stripe).
enum LastRowPaging {
  static func find(in answer: ListAnswer) -> Paging? {
    guard answer.isFlagged, let condition = answer.condition else { return nil }
    // Others that say so have cursors, or pages.
    let isList = answer.fact(["object"]) { $0.value.string == "list" } != nil
    guard isList, let id = answer.rows.last?.member("id")?.string else { return nil }
    return .next(
      "select(\(condition)) | \(jqPath(answer.path))[-1].id", for: answer.item(["starting_after", "after"]),
      second: id)
  }
}
