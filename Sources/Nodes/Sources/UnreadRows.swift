import Delivery
import Engine
import Language

/// The rows of a list that its answer speaks of and does not have, in a source that does not read on.
///
/// Only what can mean nothing else makes a poll truncated; a number of rows that is larger than the list may be
/// about something else, and is only reported. Each is reported once.
final class UnreadRows {
  private let log: NodeLog
  private let limit: Int?
  private let isPosted: Bool
  private let isCounted: Bool
  private var hasReported = false
  private var hasReportedCount = false
  /// A sentence about what the present poll has not seen, for the status.
  private(set) var hint: String?

  init(_ options: Options, _ log: NodeLog) {
    self.log = log
    limit = options[HTTPOptions.limit]
    isPosted = options[HTTPOptions.method] == .post
    isCounted = options.isWritten(HTTPOptions.total)
  }

  func begin() { hint = nil }

  /// Looks at an answer behind which nothing more is read; whether it says that its list goes on.
  func look(_ answer: ListAnswer?) -> Bool {
    guard let answer else { return false }
    guard let evidence = answer.evidence else {
      if let stated = answer.stated, limit == nil, !isCounted { report(stated, of: answer.rows.count) }
      return false
    }
    if let limit, answer.rows.count >= limit { return true }
    let way = way(to: answer)
    hint = "only the first \(rows(answer.rows.count)) are read, as \(evidence): \(way)"
    if !hasReported {
      hasReported = true
      log.notice(
        "the list goes on behind its \(rows(answer.rows.count)), as \(evidence), and the rest is not read, so that no "
          + "missing row counts as removed: \(way); next: null says that this is the whole list")
    }
    return true
  }

  /// The options that read the rest, as far as the answer shows them.
  private func way(to answer: ListAnswer) -> String {
    guard let paging = answer.paging, !isPosted || paging.step == .link else {
      return "flow docs http says how to read the rest (next, cursor, page, offset)"
    }
    return paging.isGuess ? "\(paging.line) may read the rest" : "\(paging.line) reads the rest"
  }

  private func report(_ stated: (expression: String, count: Int), of count: Int) {
    if hasReportedCount { return }
    hasReportedCount = true
    log.warning(
      "the answer states \(rows(stated.count)) (\(stated.expression)) and has \(count): if it is a part of the list, "
        + "total: \(stated.expression) lets no missing row count as removed; if the number means something else, "
        + "total: null")
  }

  private func rows(_ count: Int) -> String { "\(count) row\(count == 1 ? "" : "s")" }
}
