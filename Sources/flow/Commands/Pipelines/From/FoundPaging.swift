import Delivery
import Fetch
import JSON
import Language

/// The pages of the list that an answer begins: the options that read them, tried by a request for the second page.
///
/// Where the answer is a part of its list and no way to the rest is known, the option `limit` makes each poll a truncated one,
/// which removes nothing.
struct FoundPaging {
  private(set) var options: [(name: String, yaml: String)] = []
  private(set) var findings: [(label: String, text: String)] = []

  private static let mostPages = 100

  private let answer: ListAnswer?

  /// - Parameter second: Requests another address and reads its answer; nil where that must not be tried.
  init(of value: Value, to request: Request, link: String?, second: ((Request) throws -> Value)?) {
    let place = ResponseRows(in: value)
    let path = place.flatMap { $0.isObject ? nil : $0.path }
    answer = path.flatMap { ListAnswer(value, path: $0, query: request.address.query.map(\.name)) }
    if let answer, let stated = answer.stated {
      findings.append(
        ("list", "the answer states \(stated.count) rows (\(stated.expression)) and has \(answer.rows.count)")
      )
    }
    if link != nil {
      findings.append(("next page", "in the header Link, which http follows by itself"))
      limitPages()
    } else if let paging = answer?.paging {
      take(paging, request, second)
    }
  }

  private mutating func take(_ paging: Paging, _ request: Request, _ second: ((Request) throws -> Value)?) {
    guard case .item(let name, let place) = paging.step else {
      accept(paging, paging.options.first?.yaml ?? "")
      return
    }
    if request.method != .get {
      return cut("pages by \(name) are not tried, as the request is a \(request.method.rawValue)")
    }
    guard let second else { return accept(paging, "\(paging.line); not tried") }
    var next = request
    next.address = next.address.setting(name, to: place)
    let shown = request.masked("\(name)=\(place.prefix(40))")
    let rows: [Value]
    do {
      rows = ListAnswer(try second(next), path: answer?.path ?? [], query: [])?.rows ?? []
    } catch {
      return cut("the second page, \(shown), failed: \(request.masked("\(error)"))")
    }
    if rows.isEmpty { return cut("the second page, \(shown), has no rows") }
    let known = Set(answer?.rows ?? [])
    if rows.allSatisfy(known.contains) {
      return cut("the second page, \(shown), has the same rows, so the service does not know \(name)")
    }
    accept(paging, "\(paging.line); \(shown) has other rows")
  }

  private mutating func accept(_ paging: Paging, _ text: String) {
    options = paging.options.map { ($0.name, $0.yaml) }
    findings.append(("next page", text))
    limitPages()
  }

  /// Limits a list that has more pages than a poll reads.
  private mutating func limitPages() {
    guard let answer, let stated = answer.stated, !answer.rows.isEmpty else { return }
    let pages = (stated.count + answer.rows.count - 1) / answer.rows.count
    if pages <= Self.mostPages { return }
    options.append(("limit", "\(answer.rows.count)"))
    findings.append(
      (
        "limit",
        "the list has \(pages) pages, of which a poll reads the first; a larger limit reads more, up to max_pages (100)"
      ))
  }

  /// Takes the answer for the beginning of a list, where it says that it is.
  private mutating func cut(_ reason: String) {
    guard let answer, answer.stated != nil || answer.evidence != nil else { return }
    options = [("limit", "\(answer.rows.count)")]
    if let stated = answer.stated { options.append(("total", Paging.yaml(stated.expression))) }
    findings.append(
      (
        "limit",
        "\(reason): a poll has these \(answer.rows.count) rows alone, and no row that is missing counts as "
          + "removed; flow docs http has next, cursor, page and offset"
      ))
  }
}
