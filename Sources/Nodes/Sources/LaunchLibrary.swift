import Delivery
import Fetch
import JSON
import Engine
import Language

/// `launch_library`: rocket launches, as Launch Library 2 of The Space Devs lists them.
package let launchLibrary = NodeSpec(
  "launch_library", "poll the launches of Launch Library 2",
  reference: .init(PackageResources.launch_library_md),
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
  check: { options, checker in
    WebOptions.check(
      options[LaunchLibraryOptions.url], at: options.place(of: LaunchLibraryOptions.url), checker)
  },
  coverage: { options, rows, recorded in
    if options[LaunchLibraryOptions.skip] > 0 { return .partial }
    var limit = options.launchLimit
    limit.rows = min(limit.rows, recorded ?? .max)
    return limit.coverage(of: rows)
  },
  .poll { options, context in try LaunchLibrarySource(options, context) }
).keepingAnswers()

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
    "which launches: upcoming, previous or all")
  static let version = Option(
    "version", .choice(of: Version.self), default: "2.3.0", "the version of the service")
  static let limit = Option("limit", .integer(1...10_000), default: "100", "the most launches of a poll")
  static let skip = Option(
    "skip", .integer(0...1_000_000), default: "0", "how many launches to skip at the start of the list")
  static let provider = Option.optional(
    "provider", .text, "the launch provider, as the service names it; separate several with commas",
    example: "SpaceX")
  static let status = Option(
    "status", .list(of: .integer(1...99)), default: "[]",
    "only launches with these: 1 go, 2 to be determined, 3 success, 8 to be confirmed, …",
    example: "[1, 8]")
  static let location = Option(
    "location", .list(of: .integer(1...9999)), default: "[]",
    "only launches from these locations, by their numbers",
    example: "[12, 27]")
  static let search = Option.optional(
    "search", .text, "words in names of launches, missions, rockets or pads")
  static let from = Option.optional("from", .time, "only launches from this time on", example: "2026-01-01")
  static let until = Option.optional("until", .time, "only launches before this time", example: "2027-01-01")
  static let order = Option("order", .choice(of: Order.self), default: "net", "the order of the list")
  static let mode = Option(
    "mode", .choice(of: Mode.self), default: "normal", "how detailed each launch is")
  static let detail = Option(
    "detail", .boolean, default: "false", "whether to request each launch by itself, which adds its videos")
  static let key = Option.optional(
    "key", .secret, "your key for the service", example: "${LL2_KEY}")
  static let cache = Option(
    "cache", .duration(allowingZero: true), default: "6h", "how long a response is reused")
  static let url = Option(
    "url", .text, default: "https://ll.thespacedevs.com", "the base URL of the service")
}

extension Options {
  /// The limit of a list of launches; any launch can move in it.
  fileprivate var launchLimit: ListLimit {
    let order = self[LaunchLibraryOptions.order].rawValue
    let member = order.hasPrefix("-") ? "-.\(order.dropFirst())" : ".\(order)"
    return ListLimit(rows: self[LaunchLibraryOptions.limit], order: RowOrder(member), moves: true)
  }
}

private final class LaunchLibrarySource: SuspendingPollSource {
  private static let largestPage = 100

  private let options: Options
  private let context: SourceContext
  private let fetch: WebFetch
  private let reader: ListReader
  private let limit: ListLimit
  private let skipped: Int
  /// The most launches of a page.
  private let pageSize: Int
  /// Whether launches at the same position are ordered by their id; not where the service has refused that.
  private var breaksTies = true
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
    reader = ListReader(fetch, context.log, of: "launches")
    limit = options.launchLimit
    skipped = options[LaunchLibraryOptions.skip]
    pageSize = min(limit.rows, Self.largestPage)
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

  func poll(_ poll: PollRequest) async throws -> PollAnswer {
    fetch.begin(poll)
    if !hasAskedBudget { await askBudget(ifOlderThan: 3600) }
    hasAskedBudget = true
    let answer: Result<PollAnswer, any Error>
    do { answer = .success(try await launches()) } catch { answer = .failure(error) }
    if fetch.wasRefused { await askBudget(ifOlderThan: -1) }
    return try answer.get()
  }

  /// How many calls are left can be asked without a call; what others have used from the same address is known then,
  /// and what a key may.
  private func askBudget(ifOlderThan age: Double) async {
    await fetch.askBudget(request(throttle), ifOlderThan: age) { BudgetReport(throttle: $0) }
  }

  private func launches() async throws -> PollAnswer {
    var (launches, coverage) = try await reader.read { isSecond, ask in
      // With another size of its first page, no page of the second pass is one of the first from the cache.
      try await pass(by: isSecond ? (pageSize + 1) / 2 : pageSize, hasTies: isSecond, ask)
    }
    if options[LaunchLibraryOptions.detail] {
      for index in launches.indices {
        launches[index] = try await detailed(launches[index])
        fetch.show("details of \(index + 1) of \(launches.count) launches")
      }
    }
    if skipped > 0 { coverage = .partial }
    return fetch.accept(launches, coverage: coverage)
  }

  /// One pass over the pages; nil where a page cannot be had, which only a second pass may lack.
  ///
  /// The first page has `size` launches. With `hasTies` the service may change the order of launches at one position.
  private func pass(by size: Int, hasTies: Bool, _ ask: ListReader.Ask) async throws -> ListReading? {
    var reading = ListReading(limit) { $0.member("id") ?? .null }
    var asked: Set<Address> = []
    var next: Request? = request(list(at: skipped, by: size))
    var overlap = ListReading.Overlap.none
    while let wanted = next, !reading.isFull {
      guard asked.insert(wanted.address).inserted else {
        throw WrongAnswer(wanted, "the pages form a cycle: this one was read before")
      }
      guard let (answer, request) = try await answer(to: wanted, isFirst: asked.count == 1, ask) else {
        return nil
      }
      let page = try Page(answer, request)
      reading.add(
        ListReading.Page(
          rows: page.launches, total: max(0, page.count - skipped), overlap: overlap,
          hasNext: page.next != nil, age: answer.age))
      (next, overlap) =
        try page.next.map { try following($0, request, page, hasTies: hasTies || !breaksTies) } ?? (
          nil, .none
        )
      let progress = "\(reading.rows.count) of \(min(limit.rows, page.count - skipped)) launches"
      fetch.show(progress)
      if next != nil { context.log.detail(progress) }
    }
    return reading
  }

  /// The answer to a request, or to the same without a tie-breaker, which the service may refuse.
  private func answer(
    to request: Request, isFirst: Bool, _ ask: ListReader.Ask
  ) async throws -> (Response, Request)? {
    do {
      return try await ask(request).map { ($0, request) }
    } catch let error as FetchError where error.status == 400 && isFirst && breaksTies {
      var plain = request
      plain.address = request.address.setting("ordering", to: options[LaunchLibraryOptions.order].rawValue)
      guard let answer = try await ask(plain) else { return nil }
      breaksTies = false
      context.log.notice(
        "\(request.address.site) refuses to order launches at the same position by their id; the list is read without"
      )
      return (answer, plain)
    }
  }

  /// The request for the next page, and what it has in common with this one.
  private func following(
    _ link: String, _ request: Request, _ page: Page, hasTies: Bool
  ) throws -> (Request?, ListReading.Overlap) {
    var next = try request.following(link)
    let offset = next.address.query.first { $0.name == "offset" }?.value.flatMap { Int($0) }
    guard let offset, offset > skipped, page.launches.count > 1 else { return (next, .none) }
    var (count, overlap) = (1, ListReading.Overlap.row)
    let positions = page.launches.map { limit.order?.position(of: $0) }
    if hasTies, let last = positions.last ?? nil, let start = positions.lastIndex(where: { $0 != last }),
      start > 0, let before = positions[start]
    {
      (count, overlap) = (positions.count - start, .ties(before: before, at: last))
    }
    next.address = next.address.setting("limit", to: "\(pageSize)").setting("offset", to: "\(offset - count)")
    return (next, overlap)
  }

  private struct Page {
    let count: Int
    let launches: [Value]
    let next: String?

    init(_ answer: Response, _ request: Request) throws {
      let value = answer.value
      guard let launches = value.member("results")?.items, launches.allSatisfy({ $0.member("id") != nil }),
        let count = Int(member: value.member("count"))
      else { throw WrongAnswer(request, "this is no list of launches: \(value.description.prefix(80))") }
      self.launches = launches
      self.count = count
      next = value.member("next")?.string
      if next != nil, launches.isEmpty {
        throw WrongAnswer(request, "a page is empty, and more pages follow")
      }
    }
  }

  private func list(at offset: Int, by size: Int) -> Address {
    var address =
      list
      .setting("limit", to: "\(size)")
      .setting("offset", to: offset == 0 ? nil : "\(offset)")
      .setting("ordering", to: options[LaunchLibraryOptions.order].rawValue + (breaksTies ? ",id" : ""))
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

  /// The launch with what only its own record contains.
  private func detailed(_ launch: Value) async throws -> Value {
    guard let id = launch.member("id")?.string else { return launch }
    var request = request(one.appending(path: id).appending(path: "/"))
    request.whenUnpaid = .fail
    do {
      let detail = try await fetch.lookUp(request).value
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
