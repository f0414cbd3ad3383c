import Fetch
import JSON
import Engine
import Language

/// `launch_library`: rocket launches, as Launch Library 2 of The Space Devs lists them.
let launchLibrary = NodeSpec(
  "launch_library", "poll the launches of Launch Library 2",
  details: """
    A row is a launch as the service has it; its shape differs with `version` and `mode` (pipelines/lib/launch.jq reads \
    all of them). Pages are followed until there are `limit` launches, each once, though launches move from page to page \
    meanwhile. A page that is emptier than it says fails the poll.

    Without a key the service takes 15 requests an hour from one address, of all programs together; a poll that these \
    cannot pay waits. How many are left, and what a key may, the service is asked itself: before the first poll of a run, \
    unless that is known from the last hour, and when it refuses one. What was answered less than `cache` ago is used again, so that a restart costs nothing, and stands \
    in where the service is out of order.

    With `detail: true` each launch is asked for by itself, which brings its videos, and costs a request each: as many \
    as the budget has left; a launch for which nothing is left keeps what was last known of it.
    """,
  options: AnyOption.list(
    LaunchLibraryOptions.list, LaunchLibraryOptions.version, LaunchLibraryOptions.limit,
    LaunchLibraryOptions.skip,
    LaunchLibraryOptions.provider, LaunchLibraryOptions.status, LaunchLibraryOptions.location,
    LaunchLibraryOptions.search, LaunchLibraryOptions.from, LaunchLibraryOptions.until,
    LaunchLibraryOptions.order,
    LaunchLibraryOptions.mode, LaunchLibraryOptions.detail, LaunchLibraryOptions.key,
    LaunchLibraryOptions.cache,
    LaunchLibraryOptions.url),
  shorthand: "list",
  examples: [
    .init("the next launches", "launch_library: { list: upcoming, limit: 40 }"),
    .init(
      "those of one provider, with their videos",
      "launch_library: { provider: SpaceX, limit: 10, detail: true, key: '${LL2_KEY:-}' }"),
    .init(
      "what flew in a year, newest first",
      "launch_library: { list: previous, from: 2025-01-01, until: 2026-01-01, order: -net, limit: 1000, mode: list }"
    ),
    .init("the second page of them", "launch_library: { list: upcoming, limit: 20, skip: 20 }"),
    .init(
      "those that are go, from some places, by the oldest version, anew each time",
      "launch_library: { status: [1], location: [12, 27], search: Relay, version: 2.0.0, cache: 0s, url: 'https://lldev.thespacedevs.com' }"
    ),
  ],
  check: { options, checker in
    WebOptions.check(
      options[LaunchLibraryOptions.url], at: options.place(of: LaunchLibraryOptions.url), checker)
  },
  .poll { options, context in try LaunchLibrarySource(options, context) })

private enum LaunchLibraryOptions {
  enum List: String, CaseIterable, Sendable { case upcoming, previous, all }
  enum Version: String, CaseIterable, Sendable {
    case v200 = "2.0.0"
    case v220 = "2.2.0"
    case v230 = "2.3.0"
  }
  enum Mode: String, CaseIterable, Sendable { case list, normal, detailed }
  enum Order: String, CaseIterable, Sendable {
    case net
    case netDescending = "-net"
    case updated = "last_updated"
    case updatedDescending = "-last_updated"
    case name
  }

  static let list = Option(
    "list", .choice(of: List.self), default: "upcoming",
    "which launches: those to come, those that were, or all")
  static let version = Option(
    "version", .choice(of: Version.self), default: "2.3.0", "the version of the service")
  static let limit = Option("limit", .integer(1...10_000), default: "100", "how many launches, at most")
  static let skip = Option(
    "skip", .integer(0...1_000_000), default: "0", "how many launches are left out at the start of the list")
  static let provider = Option.optional(
    "provider", .text, "who launches, as the service names it; several with commas", example: "SpaceX")
  static let status = Option(
    "status", .list(of: .integer(1...99)), default: "[]",
    "only these: 1 go, 2 to be determined, 3 success, 8 to be confirmed, …",
    example: "[1, 8]")
  static let location = Option(
    "location", .list(of: .integer(1...9999)), default: "[]", "only from these places, by their numbers",
    example: "[12, 27]")
  static let search = Option.optional(
    "search", .text, "words in names of launches, missions, rockets or pads")
  static let from = Option.optional("from", .time, "only launches from this time on", example: "2026-01-01")
  static let until = Option.optional("until", .time, "only launches before this time", example: "2027-01-01")
  static let order = Option("order", .choice(of: Order.self), default: "net", "in which order")
  static let mode = Option(
    "mode", .choice(of: Mode.self), default: "normal", "how much is told of each launch")
  static let detail = Option(
    "detail", .boolean, default: "false", "whether each launch is asked for by itself, videos and all")
  static let key = Option.optional(
    "key", .secret, "the service's key, where there is one", example: "${LL2_KEY}")
  static let cache = Option(
    "cache", .duration(allowingZero: true), default: "6h", "how old an answer may be that is used again")
  static let url = Option(
    "url", .text, default: "https://ll.thespacedevs.com", "where the service is")
}

private final class LaunchLibrarySource: PollSource {
  private static let pageSize = 100

  private let options: Options
  private let context: SourceContext
  private let fetch: WebFetch
  private let limit: Int
  /// Whether the service was asked in this run what its budget is.
  private var hasAskedBudget = false
  private let throttle: Address
  /// The address of the list without its query, and of one launch without its id.
  private let list: Address
  private let one: Address

  init(_ options: Options, _ context: SourceContext) throws {
    self.options = options
    self.context = context
    fetch = try WebFetch(context)
    limit = options[LaunchLibraryOptions.limit]
    let version = options[LaunchLibraryOptions.version]
    let root = try Address(options[LaunchLibraryOptions.url]).appending(path: version.rawValue)
    throttle = root.appending(path: "api-throttle/")
    let base = root.appending(path: version == .v230 ? "launches" : "launch")
    one = base
    // The service wants the slash at the end, and sends everybody there who forgets it.
    list =
      switch options[LaunchLibraryOptions.list] {
      case .upcoming: base.appending(path: "upcoming/")
      case .previous: base.appending(path: "previous/")
      case .all: base.appending(path: "/")
      }
  }

  func poll(_ poll: PollRequest) throws -> PollAnswer {
    if !hasAskedBudget { askBudget(ifOlderThan: 3600) }
    hasAskedBudget = true
    defer { if fetch.wasRefused { askBudget(ifOlderThan: -1) } }
    return try launches()
  }

  /// How many calls are left can be asked without a call; what others have used from the same address is known then,
  /// and what a key may.
  private func askBudget(ifOlderThan age: Double) {
    fetch.askBudget(request(throttle), ifOlderThan: age) { BudgetReport(throttle: $0) }
  }

  private func launches() throws -> PollAnswer {
    var launches: [Value] = []
    var seen: Set<Value> = []
    var read = 0
    let skipped = options[LaunchLibraryOptions.skip]
    var next: Request? = request(list(at: skipped))
    while let request = next, launches.count < limit {
      let page = try page(request)
      read += page.launches.count
      for launch in page.launches where launches.count < limit {
        if seen.insert(launch.member("id") ?? .null).inserted { launches.append(launch) }
      }
      if let link = page.next {
        next = try request.following(link)
      } else {
        next = nil
        // While pages shift a launch may be missed, and one or two may come twice; no more than that.
        if read < page.count - skipped - 2 {
          let all = page.count - skipped
          throw WrongAnswer(request, "the list has \(all) launches, of which only \(read) came")
        }
      }
      let progress = "\(launches.count) of \(min(limit, page.count - skipped)) launches"
      fetch.show(progress)
      if next != nil { context.log.detail(progress) }
    }
    if options[LaunchLibraryOptions.detail] {
      for index in launches.indices {
        launches[index] = try detailed(launches[index])
        fetch.show("details of \(index + 1) of \(launches.count) launches")
      }
    }
    return PollAnswer(launches, notes: fetch.notes())
  }

  private struct Page {
    let count: Int
    let launches: [Value]
    let next: String?
  }

  private func page(_ request: Request) throws -> Page {
    let value = try fetch.answer(request).value
    guard let launches = value.member("results")?.items, launches.allSatisfy({ $0.member("id") != nil }),
      let count = value.member("count")?.double.flatMap({ Int(exactly: $0) })
    else { throw WrongAnswer(request, "this is no list of launches: \(value.description.prefix(80))") }
    let next = value.member("next")?.string
    if next != nil, launches.isEmpty { throw WrongAnswer(request, "a page is empty, and more are to follow") }
    return Page(count: count, launches: launches, next: next)
  }

  private func list(at offset: Int) -> Address {
    var address =
      list
      .setting("limit", to: "\(min(limit, Self.pageSize))")
      .setting("offset", to: offset == 0 ? nil : "\(offset)")
      .setting("ordering", to: options[LaunchLibraryOptions.order].rawValue)
      .setting("mode", to: options[LaunchLibraryOptions.mode].rawValue)
      .setting("lsp__name", to: options[LaunchLibraryOptions.provider])
      .setting("search", to: options[LaunchLibraryOptions.search])
      .setting("net__gte", to: options[LaunchLibraryOptions.from].map { timestamp($0) })
      .setting("net__lt", to: options[LaunchLibraryOptions.until].map { timestamp($0) })
    for (name, numbers) in [
      ("status__ids", options[LaunchLibraryOptions.status]),
      ("location__ids", options[LaunchLibraryOptions.location]),
    ] where !numbers.isEmpty {
      address = address.setting(name, to: numbers.map { "\($0)" }.joined(separator: ","))
    }
    return address
  }

  private func request(_ address: Address) -> Request {
    var request = Request(address)
    request.headers = [Header("Accept", "application/json")]
    if let key = options[LaunchLibraryOptions.key], !key.isEmpty {
      request.headers.append(Header("Authorization", "Token \(key)", isSecret: true))
    }
    // A little less than it says: a poll every six hours must not find its last answer just young enough.
    request.cache = CacheRule(maximumAge: options[LaunchLibraryOptions.cache] * 0.95)
    return request
  }

  /// The launch with all that is told of it alone.
  private func detailed(_ launch: Value) throws -> Value {
    guard let id = launch.member("id")?.string else { return launch }
    var request = request(one.appending(path: id).appending(path: "/"))
    request.whenUnpaid = .fail
    do {
      let detail = try fetch.answer(request).value
      guard detail.member("id")?.string == id else {
        throw WrongAnswer(request, "this is not the launch: \(detail.description.prefix(80))")
      }
      return detail
    } catch let error as FetchError where error.kind == .budget {
      context.log.detail("\(error)")
      return launch
    }
  }
}
