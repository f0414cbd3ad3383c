import Delivery
import Fetch
import JSON
import Engine
import Language

/// `spacex`: polls the SpaceX API of r/SpaceX: launches, rockets and other collections.
package let spacex = NodeSpec(
  "spacex", "poll a collection of the SpaceX API: launches, rockets, cores, …",
  reference: .init(PackageResources.spacex_md),
  options: AnyOption.list(
    SpaceXOptions.collection, SpaceXOptions.version, SpaceXOptions.populate, SpaceXOptions.condition,
    SpaceXOptions.fields, SpaceXOptions.sort, SpaceXOptions.cache, SpaceXOptions.url),
  shorthand: "collection",
  check: { options, checker in
    WebOptions.check(options[SpaceXOptions.url], at: options.place(of: SpaceXOptions.url), checker)
    let plain = options[SpaceXOptions.collection].utf8.allSatisfy { byte in
      (0x61...0x7a).contains(byte) || byte == 0x2f
    }
    if !plain {
      checker.report(
        "not the name of a collection", at: options.place(of: SpaceXOptions.collection),
        hint: "launches, launches/upcoming, launches/past, rockets, cores, payloads, launchpads, …")
    }
  },
  .poll { options, context in try SpaceXSource(options, context) }
).keepingAnswers()

private enum SpaceXOptions {
  enum Version: String, CaseIterable, Sendable { case v4, v5 }

  static let collection = Option(
    "collection", .text, default: "launches", "the collection", example: "rockets")
  static let version = Option(
    "version", .choice(of: Version.self), default: "v4",
    "the version of the API; only launches have more than v4")
  static let populate = Option(
    "populate", .list(of: .text), default: "[]", "members whose ids are replaced with the entries",
    example: "[rocket]")
  static let condition = Option.optional(
    "where", .value, "a MongoDB query; only matching entries are returned", example: "{ upcoming: true }")
  static let fields = Option(
    "fields", .list(of: .text), default: "[]", "the members to return, besides the id",
    example: "[name, date_utc]")
  static let sort = Option.optional(
    "sort", .value, "the order, as in a MongoDB query", example: "{ date_utc: desc }")
  static let cache = Option(
    "cache", .duration(allowingZero: true), default: "1h", "how long a response is reused")
  static let url = Option("url", .text, default: "https://api.spacexdata.com", "the base URL of the service")
}

private final class SpaceXSource: SuspendingPollSource {
  private static let pageSize = 100

  private let options: Options
  private let fetch: WebFetch
  private let list: ListReader
  private let address: Address

  init(_ options: Options, _ context: SourceContext) throws {
    self.options = options
    fetch = try WebFetch(context)
    list = ListReader(fetch, context.log, of: "entries")
    var address = try Address(options[SpaceXOptions.url])
      .appending(path: options[SpaceXOptions.version].rawValue)
    for part in options[SpaceXOptions.collection].split(separator: "/") {
      address = address.appending(path: String(part))
    }
    self.address = address
  }

  private var isQuery: Bool {
    !options[SpaceXOptions.populate].isEmpty || options[SpaceXOptions.condition] != nil
      || !options[SpaceXOptions.fields].isEmpty || options[SpaceXOptions.sort] != nil
  }

  func poll(_ poll: PollRequest) async throws -> PollAnswer {
    fetch.begin(poll)
    let (rows, coverage) = isQuery ? try await queried() : (try await listed(), .complete)
    return fetch.accept(rows, coverage: coverage)
  }

  private func listed() async throws -> [Value] {
    let request = request(address)
    let value = try await fetch.answer(request).value
    // A single entry, such as launches/next, is an object.
    if value.kind == .object, value.member("id") != nil { return [value] }
    guard let rows = value.items, rows.allSatisfy({ $0.kind == .object }) else {
      throw WrongAnswer(request, "not a list of objects: \(value.description.prefix(80))")
    }
    return rows
  }

  private func queried() async throws -> ([Value], Coverage) {
    try await list.read { isSecond, ask in
      try await pass { request in
        var request = request
        request.refresh = isSecond
        return try await ask(request)
      }
    }
  }

  /// One pass over the pages; nil where a page cannot be had, which only a second pass may lack.
  private func pass(_ ask: ListReader.Ask) async throws -> ListReading? {
    var reading = ListReading(.none) { $0.member("id") ?? $0 }
    var read = 0
    var page: Int? = 1
    while let number = page {
      let request = query(number)
      guard let answer = try await ask(request) else { return nil }
      guard let docs = answer.value.member("docs")?.items,
        let total = Int(member: answer.value.member("totalDocs"))
      else {
        throw WrongAnswer(request, "not a page of entries: \(answer.value.description.prefix(80))")
      }
      let hasNext = answer.value.member("hasNextPage")?.isTruthy == true
      read += docs.count
      reading.add(
        ListReading.Page(
          rows: docs, total: total, hasNext: hasNext, age: answer.age,
          isFetched: !answer.isFromCache || answer.freshness == .revalidated))
      fetch.show("\(reading.rows.count) of \(total) entries")
      page = hasNext ? number + 1 : nil
      if hasNext, docs.isEmpty || read >= total {
        throw WrongAnswer(
          request, "the service reports \(total) entries, and more pages after \(read) of them")
      }
    }
    return reading
  }

  private func query(_ page: Int) -> Request {
    var settings: [(String, Value)] = [("limit", .number(Self.pageSize)), ("page", .number(page))]
    let populate = options[SpaceXOptions.populate]
    if !populate.isEmpty { settings.append(("populate", .array(populate.map { .string($0) }))) }
    if let sort = options[SpaceXOptions.sort] { settings.append(("sort", sort)) }
    let fields = options[SpaceXOptions.fields]
    if !fields.isEmpty { settings.append(("select", .record(fields.map { ($0, .number(1)) }))) }
    var request = request(address.appending(path: "query"))
    request.method = .post
    request.isRepeatable = true
    request.headers.append(Header("Content-Type", "application/json"))
    request.body =
      Value.record([
        ("query", options[SpaceXOptions.condition] ?? .emptyObject), ("options", .record(settings)),
      ]).json
    return request
  }

  private func request(_ address: Address) -> Request {
    var request = Request(address)
    request.headers = [Header("Accept", "application/json")]
    request.cache = CacheRule(maximumAge: options[SpaceXOptions.cache] * 0.95)
    return request
  }
}
