import Fetch
import JSON
import Engine
import Language

/// `http`: the rows that a JSON API answers with.
let http = NodeSpec(
  "http", "poll any JSON API over HTTP",
  details: """
    Each poll asks once, or a page after the other, and its rows are the outputs of `rows` over what is answered. A poll \
    is whole or it fails: whatever is not JSON, is cut short or fails on a page fails all of it, and nothing is taken \
    for removed. Without `rows`, so does an answer that is no list of rows: null, an object that reports an error, and \
    202, 204 or 205, which come without the rows. With `rows` the expression decides. 206 fails wherever the request \
    has no Range header.

    Pages end where `next` gives null, false or an empty text. Anything else that is no text fails the poll, and so \
    does a page that leads to one before it.

    A request that fails is tried again a few times. After that, and where a server is out of order, what was answered \
    last stands in, with $meta.stale and $meta.age, and that is said once. An answer with an ETag or a date of change is \
    asked for only if it has changed.

    Headers go to the address alone: they follow a redirect, `next` or a Link header to another scheme, host or port \
    only where `allow_hosts` names the host. Values of the environment are shown as *** in messages and recordings.
    """,
  options: AnyOption.list(
    HTTPOptions.url, HTTPOptions.rows, HTTPOptions.method, HTTPOptions.query, WebOptions.headers,
    WebOptions.bearer, WebOptions.basic, WebOptions.allowHosts, HTTPOptions.body, HTTPOptions.next,
    HTTPOptions.page,
    HTTPOptions.offset, HTTPOptions.maxPages, HTTPOptions.cache, HTTPOptions.timeout, WebOptions.maxSize),
  shorthand: "url",
  examples: [
    .init("a list", "http: https://example.org/launches.json"),
    .init(
      "rows within an object, pages that the answer links",
      "http: { url: https://example.org/items, rows: '.results[]', next: .next, cache: 10m }"),
    .init(
      "pages by number, with a key from the environment",
      "http: { url: https://example.org/items, page: page, bearer: '${TOKEN:-}', query: { sort: date } }"),
    .init(
      "a question by POST, row by row from an offset",
      """
      http: { url: https://example.org/query, method: post, body: { open: true }, rows: '.docs[]', offset: skip, \
      max_pages: 5, timeout: 30s, allow_hosts: [cdn.example.org], max_size: 8MiB, headers: { X-Client: flow }, basic: '${USER_AND_PASSWORD:-}' }
      """),
  ],
  check: { options, checker in
    WebOptions.check(options[HTTPOptions.url], at: options.place(of: HTTPOptions.url), checker)
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
  },
  .poll { options, context in try HTTPSource(options, context) })

private enum HTTPOptions {
  enum Method: String, CaseIterable, Sendable { case get, post }

  static let url = Option.required("url", .text, "the address", example: "https://example.org/items.json")
  static let rows = Option(
    "rows", .expression, default: #"if type == "array" then .[] else . end"#,
    "its outputs over an answer are the rows", example: ".results[]")
  static let method = Option("method", .choice(of: Method.self), default: "get", "how it is asked")
  static let query = Option(
    "query", .mapping(of: .text), default: "{}", "items of the address's query", example: "{ sort: date }")
  static let body = Option.optional("body", .value, "what is posted, as JSON", example: "{ open: true }")
  static let next = Option.optional(
    "next", .expression, "the address of the next page, of an answer; without it, what the Link header says",
    example: ".next")
  static let page = Option.optional(
    "page", .text, "the item of the query that counts pages, from 1", example: "page")
  static let offset = Option.optional(
    "offset", .text, "the item of the query that counts rows, from 0", example: "offset")
  static let maxPages = Option(
    "max_pages", .integer(1...10_000), default: "100", "how many pages a poll may have; one more is an error")
  static let cache = Option(
    "cache", .duration(allowingZero: true), default: "0s", "how old an answer may be that is used again")
  static let timeout = Option("timeout", .duration, default: "5m", "how long an answer may take")
}

private final class HTTPSource: PollSource {
  private let options: Options
  private let fetch: WebFetch
  private let request: Request
  private let rows: Evaluation
  private let next: Evaluation?

  init(_ options: Options, _ context: SourceContext) throws {
    self.options = options
    fetch = try WebFetch(context)
    rows = context.evaluation(options[HTTPOptions.rows])
    next = options[HTTPOptions.next].map { context.evaluation($0) }
    var address = try Address(options[HTTPOptions.url])
    for item in options[HTTPOptions.query] { address = address.setting(item.name, to: item.value) }
    var request = Request(address)
    WebOptions.apply(options, to: &request)
    if options[HTTPOptions.method] == .post {
      request.method = .post
      request.isRepeatable = true
      if let body = options[HTTPOptions.body] {
        request.body = body.json
        request.headers.append(Header("Content-Type", "application/json"))
      }
    }
    request.cache = CacheRule(maximumAge: options[HTTPOptions.cache])
    request.limits.whole = options[HTTPOptions.timeout]
    self.request = request
  }

  func poll(_ poll: PollRequest) throws -> PollAnswer {
    var all: [Value] = []
    var page: Request? = request
    var number = 0
    var seen: Set<String> = []
    while let request = page {
      if number == options[HTTPOptions.maxPages] {
        throw WrongAnswer(
          self.request, "there are more than \(number) pages; raise max_pages, or ask for less")
      }
      number += 1
      let paged = paged(request, number, offset: all.count)
      guard seen.insert(paged.address.text).inserted else {
        throw WrongAnswer(
          self.request, "page \(number) is one of the pages before it: the pages go in a circle")
      }
      let answer = try fetch.answer(paged)
      if !options.isGiven(HTTPOptions.rows) { try checkList(answer, of: paged) }
      let event = Event(answer.value, poll.poll())
      let before = all.count
      try rows.each(event) { all.append($0) }
      page = try following(request, answer, event, isEmpty: all.count == before)
      fetch.show("\(all.count) rows in \(number) page\(number == 1 ? "" : "s")")
    }
    return PollAnswer(all, notes: fetch.notes())
  }

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
    if options[HTTPOptions.page] != nil || options[HTTPOptions.offset] != nil {
      return isEmpty ? nil : request
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

  /// Refuses what the default `rows` would take for a row though it is none.
  private func checkList(_ answer: Response, of request: Request) throws {
    if [202, 204, 205].contains(answer.status) {
      throw WrongAnswer(
        request, "answered \(answer.status), which is no list of rows; rows says what they are")
    }
    if answer.value.kind == .null {
      throw WrongAnswer(request, "answered null, which is no list of rows; rows says what they are")
    }
    if let words = answer.value.reportedError {
      throw WrongAnswer(
        request, "answered an error: \(request.masked(words)); if this is a row, write rows: .")
    }
  }
}
