import Delivery
import Engine
import Fetch
import JSON
import Language

/// One pass over the pages of a list: its rows, each once, and the evidence that some were missed.
///
/// A list that changes while its pages are read shifts: rows move over the border of two pages, and are read twice or
/// not at all. Four things show it: a page that does not begin where the page before has ended, a row that is read twice,
/// a total that differs between pages, and fewer rows than the total. Without an overlap of pages, one row that leaves
/// the list between two requests and another that enters it can cancel out.
struct ListReading {
  /// The rows that a page has in common with the page before, in a list that has not shifted.
  enum Overlap {
    case none
    /// The last row.
    case row
    /// All rows at the position of the last row, and the one before them, whose position is given too: the service may
    /// return rows at one position in another order each time.
    case ties(before: Value, at: Value)
  }

  struct Page {
    var rows: [Value]
    /// The number of rows of the list, where the service reports it.
    var total: Int?
    var overlap = Overlap.none
    var hasNext: Bool
    /// Whether the service says that the list goes on, and the pipeline does not read on.
    var goesOn = false
    /// The seconds since the service answered it.
    var age = 0.0
    /// Whether the service answered it in this poll.
    var isFetched = true
  }

  /// Pages whose ages differ by more seconds are not of one poll.
  private static let sameTime = 600.0

  let limit: ListLimit
  /// The id by which rows differ; nil where equal rows are different ones, so that nothing can be missed.
  private let id: (@Sendable (Value) -> Value)?
  private(set) var rows: [Value] = []
  /// The number of rows of the list, by the last page.
  private(set) var total: Int?
  private var seen: Set<Value> = []
  /// The last row of the last page.
  private var border: Value?
  private(set) var pages = 0
  private var isShifted = false
  /// Whether the list goes on behind the limit, or behind the pages that are read.
  private var isCut = false
  private var age = 0.0
  private var isFetched = false

  init(_ limit: ListLimit, id: (@Sendable (Value) -> Value)?) {
    self.limit = limit
    self.id = id
  }

  /// Whether it has as many rows as the limit, and needs no more pages.
  var isFull: Bool { rows.count >= limit.rows }

  /// The coverage as this pass shows it; nil where rows may have been missed.
  var coverage: Coverage? {
    if isShifted { return nil }
    if isCut { return .truncated(limit.horizon(of: rows)) }
    return id != nil && rows.count < total ?? 0 ? nil : .complete
  }

  /// Whether another pass may find more: one page cannot shift, and cached pages stay as they are.
  var mayFindMore: Bool { coverage == nil && pages > 1 && isFetched }

  mutating func add(_ page: Page) {
    if id != nil, pages > 0, page.total != total || !fits(page) { isShifted = true }
    pages += 1
    total = page.total
    age = max(age, page.age)
    isFetched = isFetched || page.isFetched
    if page.goesOn { isCut = true }
    border = id.flatMap { page.rows.last.map($0) }
    for (index, row) in page.rows.enumerated() {
      if let id, seen.contains(id(row)) {
        if !isExpectedAgain(row, index, page.overlap) { isShifted = true }
        continue
      }
      if isFull {
        isCut = true
        return
      }
      if let id { seen.insert(id(row)) }
      rows.append(row)
    }
    if isFull, page.hasNext || rows.count < total ?? 0 { isCut = true }
  }

  /// Whether a page begins where the one before it has ended.
  private func fits(_ page: Page) -> Bool {
    switch page.overlap {
    case .none: true
    case .row: page.rows.first.flatMap { id?($0) } == border
    case .ties(let before, let at): page.rows.prefix(2).map { position(of: $0) } == [before, at]
    }
  }

  private func isExpectedAgain(_ row: Value, _ index: Int, _ overlap: Overlap) -> Bool {
    switch overlap {
    case .none: false
    case .row: index == 0
    case .ties(let before, let at): [before, at].contains(position(of: row))
    }
  }

  private func position(of row: Value) -> Value? { limit.order?.position(of: row) }

  /// The rows and their coverage, by another pass over the same list where this one has missed rows.
  ///
  /// Where both have missed some, the poll has the rows of both and is partial; of this one none where it is from the
  /// cache and the other is newer.
  func joined(with other: ListReading?) -> (rows: [Value], coverage: Coverage, passes: Passes) {
    if let coverage { return (rows, coverage, .first) }
    guard let other, let id, other.age <= age + Self.sameTime else { return (rows, .partial, .first) }
    if let coverage = other.coverage { return (other.rows, coverage, .second) }
    if other.age < age - Self.sameTime { return (other.rows, .partial, .second) }
    let both = other.rows + rows.filter { !other.seen.contains(id($0)) }
    return (Array(limit.sorted(both).prefix(limit.rows)), .partial, .both)
  }

  /// The passes whose rows a poll has.
  enum Passes { case first, second, both }
}

/// The reader of a source's list: a pass over its pages, and a second one where the first has missed rows.
final class ListReader {
  typealias Ask = (Request) async throws -> Response?

  private let fetch: WebFetch
  private let log: NodeLog
  /// The rows, as messages call them.
  private let things: String
  /// Whether the last poll was partial, which was reported.
  private var wasPartial = false

  init(_ fetch: WebFetch, _ log: NodeLog, of things: String) {
    self.fetch = fetch
    self.log = log
    self.things = things
  }

  /// Reads the list; `pass` reads its pages, the first or the second time, with the answers of `ask`, and ends with nil
  /// where there is no answer.
  ///
  /// The second pass neither waits for the budget nor fails the poll, and has at most twice as many pages.
  func read(
    _ pass: (_ isSecond: Bool, _ ask: Ask) async throws -> ListReading?
  ) async throws -> (rows: [Value], coverage: Coverage) {
    var isAnswered = false
    // Once the service has answered, no later page of the pass is an old one from the cache.
    func ask(
      _ request: Request, _ answer: (Request) async throws -> Response?
    ) async throws -> Response? {
      var request = request
      if isAnswered { request.refresh = true }
      let answer = try await answer(request)
      if let answer, !answer.isFromCache || answer.freshness == .revalidated { isAnswered = true }
      return answer
    }
    let reading = try await pass(false) { request in try await ask(request) { try await fetch.answer($0) } }
    guard let first = reading else { return ([], .partial) }
    var second: ListReading?
    let before = fetch.beginPass()
    if first.mayFindMore {
      isAnswered = false
      do {
        var left = 2 * first.pages
        second = try await pass(true) { request in
          left -= 1
          return left < 0 ? nil : try await ask(request) { try await fetch.extra($0) }
        }
      } catch let error as WrongAnswer {
        log.detail("\(error)")
      }
    }
    let (rows, coverage, passes) = first.joined(with: second)
    fetch.endPass(after: before, keeping: passes != .first, both: passes != .second)
    report(rows.count, of: (second ?? first).total, coverage)
    return (rows, coverage)
  }

  private func report(_ count: Int, of total: Int?, _ coverage: Coverage) {
    defer { wasPartial = coverage == .partial }
    switch coverage {
    case .complete: return
    case .truncated:
      log.detail("the list is truncated after \(count)\(total.map { " of \($0)" } ?? "") \(things)")
    case .partial:
      let found =
        total.map { $0 > count } == true
        ? "\(count) of \(total ?? 0) \(things) were read" : "the list changed while it was read"
      let message = "\(found); \(things) that are missing do not count as removed"
      if wasPartial { log.detail(message) } else { log.notice(message) }
    }
  }
}
