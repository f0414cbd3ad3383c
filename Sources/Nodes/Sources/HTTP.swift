import Delivery
import Decode
import Fetch
import JSON
import Engine
import Language
import System

/// `http`: polls an address; the rows of its responses are the events.
package let http = NodeSpec(
  "http", "poll an address: a JSON API, a table, a feed, a page or a text; or read a stream of events",
  reference: .init(
    PackageResources.http_source_md,
    sharing: ["each": EachOptions.details, "browser": BrowserOptions.details]),
  options: AnyOption.list(
    HTTPOptions.url, Decoding.option, HTTPOptions.rows, HTTPOptions.method, HTTPOptions.query,
    HTTPOptions.headers, EachOptions.each, EachOptions.whenGone, EachOptions.concurrency, HTTPOptions.hosts,
    HTTPOptions.anyHost, EachOptions.note,
    WebOptions.bearer, WebOptions.basic, WebOptions.allowHosts, HTTPOptions.body, HTTPOptions.next,
    HTTPOptions.cursor, HTTPOptions.page,
    HTTPOptions.offset, HTTPOptions.maxPages, HTTPOptions.limit, HTTPOptions.order, HTTPOptions.moves,
    HTTPOptions.total, HTTPOptions.cache, HTTPOptions.timeout, HTTPOptions.stream, HTTPOptions.heartbeat,
    BrowserOptions.browser, WebOptions.maxSize),
  shorthand: "url",
  check: { options, checker in
    HTTPOptions.checkAddress(options, checker)
    HTTPOptions.checkStream(options, checker)
    BrowserOptions.refuse(HTTPOptions.method, options, checker)
    BrowserOptions.refuse(HTTPOptions.body, options, checker)
    BrowserOptions.refuse(HTTPOptions.stream, options, checker)
    let own = "a browser sends its own; language and user_agent change some"
    BrowserOptions.refuse(HTTPOptions.headers, options, checker, own)
    BrowserOptions.check(options, checker)
    EachOptions.check(options, checker)
    let ways = [
      options.isGiven(HTTPOptions.next), options.isGiven(HTTPOptions.page),
      options.isGiven(HTTPOptions.offset),
    ]
    if ways.count(where: \.self) > 1 {
      checker.report("pages are found in one way: next, page or offset", at: options.place)
    }
    if options.isGiven(HTTPOptions.body), options[HTTPOptions.method] == .get {
      checker.report(
        "a GET request has no body", at: options.place(of: HTTPOptions.body), hint: "add method: post")
    }
    if options.isGiven(HTTPOptions.cursor), !options.isGiven(HTTPOptions.next) {
      checker.report(
        "cursor is the query item for what next gives, and there is no next",
        at: options.place(of: HTTPOptions.cursor), hint: "for example next: .next_cursor")
    }
    if options.isGiven(HTTPOptions.moves), options[HTTPOptions.order] == nil {
      checker.report(
        "moves says that rows change their position in an order, and there is no order",
        at: options.place(of: HTTPOptions.moves), hint: "for example order: .date")
    }
  },
  coverage: { options, rows, _ in options.listLimit.coverage(of: rows) },
  .each(
    EachOptions.lists,
    .pollOrStream(
      isStream: { $0[HTTPOptions.stream] != nil },
      poll: { options, context in try HTTPSource(options, context) },
      stream: { options, context in try HTTPStream(options, context) }))
).keepingAnswers().keepingPosition { options in
  options[HTTPOptions.stream].map { $0 == .sse || options.isGiven(EachOptions.note) } ?? false
}

enum HTTPOptions {
  enum Stream: String, CaseIterable, Sendable { case sse, lines }
  enum Method: String, CaseIterable, Sendable { case get, post }

  static let url = Option.required(
    "url", .addressTemplate(with: [LastPoll.variable], ofEvent: false), "the address",
    example: "https://example.org/items.json")
  static let rows = Option(
    "rows", .expression, default: RowsPath.defaultRows,
    "an expression over the response; its outputs are the rows", example: ".results[]")
  static let method = Option("method", .choice(of: Method.self), default: "get", "the method of the request")
  static let query = Option(
    "query", .mapping(of: .textTemplate(with: [LastPoll.variable]).withoutShellVariables), default: "{}",
    "items of the query string", example: "{ sort: date }")
  static let headers = Option(
    "headers", .mapping(of: .textTemplate(with: [LastPoll.variable]).withoutShellVariables), default: "{}",
    "headers of the request", example: "{ X-Client: flow }")
  static let hosts = Option(
    "hosts", .list(of: .text), default: "[]", "the hosts that an entry may choose", example: "[a.example.org]"
  )
  static let anyHost = Option("any_host", .boolean, default: "false", "whether an entry may choose any host")
  static let body = Option.optional(
    "body", .valueTemplate(with: [LastPoll.variable]), "the body of the request, as JSON",
    example: "{ open: true }")
  static let next = Option.optional(
    "next", .expression, "the address of the next page, from the response (default: the Link header)",
    example: ".next")
  static let cursor = Option.optional(
    "cursor", .text, "the query item for what `next` gives, where that is no address", example: "cursor")
  static let page = Option.optional(
    "page", .text, "the query item for the number of the page, from 1", example: "page")
  static let offset = Option.optional(
    "offset", .text, "the query item for the number of rows to skip, from 0", example: "offset")
  static let maxPages = Option(
    "max_pages", .integer(1...10_000), default: "100", "the most pages of a poll; one more is an error")
  static let limit = Option.optional(
    "limit", .integer(1...1_000_000), "the most rows of a poll", example: "50")
  static let order = Option.optional(
    "order", .order, "the member by which the service sorts the list; descending with a minus sign",
    example: ".date")
  static let moves = Option(
    "moves", .boolean, default: "false", "whether rows can move up or down in this order between polls")
  static let total = Option.optional(
    "total", .expression, "the number of rows of the whole list, from the response", example: ".count")
  static let cache = Option(
    "cache", .duration(allowingZero: true), default: "0s", "how long a response is reused")
  static let timeout = Option("timeout", .duration, default: "5m", "the time limit of a request")
  static let stream = Option.optional(
    "stream", OptionType<Stream>.choice(),
    "one connection that goes on instead of polls: `sse` for server-sent events, `lines` for lines without end",
    example: "sse")
  static let heartbeat = Option(
    "heartbeat", .duration, default: "2m",
    "how long a stream may be silent, comments included, before it is connected again")
}

extension Options {
  fileprivate var listLimit: ListLimit {
    ListLimit(
      rows: self[HTTPOptions.limit] ?? .max, order: self[HTTPOptions.order], moves: self[HTTPOptions.moves])
  }
}

private final class HTTPSource: SuspendingPollSource {
  private let options: Options
  private let log: NodeLog
  private let fetch: WebFetch
  private let list: ListReader
  private let context: SourceContext
  private let requests: HTTPRequests
  private let last: LastPoll
  private let decoding: Decoding
  private let columns: PolledColumns
  private let rows: Evaluation
  /// The beginning of `rows`, where it is given.
  private let rowsPath: RowsPath?
  private let next: Evaluation?
  private let total: Evaluation?
  private let limit: ListLimit
  private let unread: UnreadRows
  /// Whether it was reported that the end of a truncated list is not known.
  private var hasReportedEnd = false

  init(_ options: Options, _ context: SourceContext) throws {
    self.options = options
    log = context.log
    limit = options.listLimit
    total = options[HTTPOptions.total].map { context.evaluation($0) }
    unread = UnreadRows(options, context.log)
    fetch = try WebFetch(context)
    list = ListReader(fetch, log, of: "rows")
    rows = context.evaluation(options[HTTPOptions.rows])
    rowsPath = options.isGiven(HTTPOptions.rows) ? RowsPath(options[HTTPOptions.rows].text) : nil
    next = options[HTTPOptions.next].map { context.evaluation($0) }
    self.context = context
    requests = try HTTPRequests(options, context)
    last = LastPoll(options, context)
    decoding = context.decoding(options)
    columns = PolledColumns(context.position)
  }

  /// The request of a poll, for its entry and after what the last one has noted.
  private func firstRequest(_ poll: PollRequest) throws -> Request {
    var request = try requests.request(poll.templateEvent(context), last: last.value)
    if decoding.format != .json { request.expectation = .anything }
    request.cache = CacheRule(maximumAge: options[HTTPOptions.cache])
    request.limits.whole = options[HTTPOptions.timeout]
    // One of many entries lets others have its turn while its budget is spent.
    if context.entry != nil { request.whenUnpaid = .fail }
    return request
  }

  func poll(_ poll: PollRequest) async throws -> PollAnswer {
    fetch.begin(poll)
    unread.begin()
    let request = try firstRequest(poll)
    let (rows, coverage) = try await list.read { isSecond, ask in
      try await pass(poll, from: request) { request in
        var request = request
        request.refresh = isSecond
        return try await ask(request)
      }
    }
    if coverage == .truncated(nil), unread.hint == nil { reportUnknownEnd(rows.count) }
    var answer = fetch.accept(rows, coverage: coverage, memory: columns.memory)
    // An old answer says nothing new.
    if answer.notes.member("stale") == nil { try last.note(rows, of: poll) }
    answer.last = last.value
    answer.hint = unread.hint
    return answer
  }

  /// One pass over the pages; nil where a page cannot be had, which only a second pass may lack.
  private func pass(
    _ poll: PollRequest, from first: Request, _ ask: ListReader.Ask
  ) async throws -> ListReading? {
    // Equal rows are different ones, unless the list is known to have each once.
    var reading = ListReading(limit, id: nil)
    if total != nil || limit.order != nil { reading = ListReading(limit) { $0 } }
    var page: Request? = first
    var number = 0
    var count = 0
    var seen: Set<String> = []
    while let request = page, !reading.isFull {
      if number == options[HTTPOptions.maxPages] {
        throw WrongAnswer(
          first, "there are more than \(number) pages; raise max_pages, or set limit")
      }
      number += 1
      let paged = paged(request, number, offset: count)
      guard seen.insert(paged.address.text).inserted else {
        throw WrongAnswer(
          first, "page \(number) is one of the pages before it: the pages form a cycle")
      }
      guard var answer = try await ask(paged) else { return nil }
      if decoding.format != .json { answer.value = try decoded(answer, of: paged) }
      if !options.isGiven(HTTPOptions.rows) { try checkList(answer, of: paged) }
      let event = Event(answer.value, poll.poll())
      var rows: [Value] = []
      do {
        try self.rows.each(event) { rows.append($0) }
        if let flaw = rowsPath?.flaw(of: rows, in: answer.value) {
          throw WrongAnswer(paged, paged.masked(flaw))
        }
      } catch let error as ExpressionError {
        guard let flaw = rowsPath?.missing(in: answer.value) else { throw error }
        throw WrongAnswer(paged, paged.masked(flaw))
      }
      count += rows.count
      page = try following(request, answer, event, isEmpty: rows.isEmpty)
      let total = try self.total.map { try rowCount(of: $0, event, paged) }
      if let total, isCounting, count >= total { page = nil }
      var goesOn = false
      if page == nil, !isCounting, !options.isWritten(HTTPOptions.next), let rowsPath {
        goesOn = unread.look(
          ListAnswer(answer.value, path: rowsPath.names, query: paged.address.query.map(\.name)))
      }
      // Where the address itself limits the list, only a next page, or the total, shows where it ends.
      let isUnknown = number == 1 && next == nil && !isCounting && total == nil
      reading.add(
        ListReading.Page(
          rows: rows, total: total, hasNext: page != nil || isUnknown, goesOn: goesOn, age: answer.age,
          isFetched: !answer.isFromCache || answer.freshness == .revalidated))
      fetch.show("\(reading.rows.count) rows in \(number) page\(number == 1 ? "" : "s")")
    }
    return reading
  }

  /// The list of values that the decoder finds in an answer that is not JSON.
  private func decoded(_ answer: Response, of request: Request) throws -> Value {
    fetch.show("decoding \(decoding.format.name)")
    let values: [Value]
    do throws(Sentence) { values = try decoding.checkedValues(of: answer, columns) } catch {
      throw WrongAnswer(request, request.masked("\(error)"))
    }
    if values.isEmpty, decoding.format == .html, let page = answer.page, isAboutLoginPage(page) {
      throw WrongAnswer(request, "\(page), in which select finds nothing")
    }
    return .array(values)
  }

  /// The number of rows of the whole list, by an answer.
  private func rowCount(of total: Evaluation, _ event: Event, _ request: Request) throws -> Int {
    let found = try total.first(event) ?? .null
    if let number = found.double.flatMap({ Int(exactly: $0) }), number >= 0 { return number }
    throw WrongAnswer(request, "total gives \(found.description.prefix(80)), which is no number of rows")
  }

  /// Reports once that the rows of a truncated list have no order that is known, and what follows.
  private func reportUnknownEnd(_ count: Int) {
    if hasReportedEnd { return }
    hasReportedEnd = true
    let reason = limit.order.map { "are not sorted by \($0.text)" } ?? "have no order that is known"
    log.notice(
      "limit truncated the list at \(count) rows, which \(reason): changes reports no missing row as removed; "
        + "set order to the member by which the list is sorted, for example order: .date")
  }

  private var isCounting: Bool { options[HTTPOptions.page] != nil || options[HTTPOptions.offset] != nil }

  private func paged(_ request: Request, _ number: Int, offset: Int) -> Request {
    var request = request
    if let name = options[HTTPOptions.page] {
      request.address = request.address.setting(name, to: "\(number)")
    }
    if let name = options[HTTPOptions.offset] {
      request.address = request.address.setting(name, to: "\(offset)")
    }
    return request
  }

  /// The request for the next page; nil after the last.
  private func following(_ request: Request, _ answer: Response, _ event: Event, isEmpty: Bool) throws
    -> Request?
  {
    if isCounting {
      return isEmpty ? nil : request
    }
    if let next, let name = options[HTTPOptions.cursor] {
      guard let place = try self.place(next, event, request) else { return nil }
      var request = request
      request.address = request.address.setting(name, to: place)
      return request
    }
    let link = if let next { try linked(next, event, request) } else { answer.headers.link("next") }
    guard let link, !link.isEmpty else { return nil }
    return try request.following(link)
  }

  /// The text that `next` gives; nil for null and false, as where a service has no more pages.
  private func linked(_ next: Evaluation, _ event: Event, _ request: Request) throws -> String? {
    guard let found = try next.first(event), found.isTruthy else { return nil }
    if let link = found.string { return link }
    throw WrongAnswer(request, "next gives \(found.description.prefix(80)), which is no address of a page")
  }

  /// The text or number that `next` gives for the query item; nil for null, false and an empty text.
  private func place(_ next: Evaluation, _ event: Event, _ request: Request) throws -> String? {
    guard let found = try next.first(event), found.isTruthy else { return nil }
    if let text = found.string { return text.isEmpty ? nil : text }
    if found.kind == .number { return found.description }
    throw WrongAnswer(request, "next gives \(found.description.prefix(80)), which is no text or number")
  }

  /// Refuses what the default `rows` would take for a row though it is none.
  private func checkList(_ answer: Response, of request: Request) throws {
    if [202, 204, 205].contains(answer.status) {
      throw WrongAnswer(
        request, "answered \(answer.status) instead of a list; set rows to say where the rows are")
    }
    if answer.value.kind == .null {
      throw WrongAnswer(request, "answered null instead of a list; set rows to say where the rows are")
    }
    if let words = answer.value.reportedError {
      throw WrongAnswer(
        request, "answered an error: \(request.masked(words)); if this is a row, write rows: .")
    }
  }
}
