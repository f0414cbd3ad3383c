import Delivery
import Fetch
import JSON
import Engine
import Language

/// `apod`: NASA's Astronomy Picture of the Day.
package let apod = NodeSpec(
  "apod", "poll NASA's astronomy pictures of the day",
  reference: .init(PackageResources.apod_md),
  options: AnyOption.list(
    APODOptions.days, APODOptions.from, APODOptions.until, APODOptions.random, APODOptions.thumbs,
    APODOptions.key,
    APODOptions.cache, APODOptions.url),
  shorthand: "days",
  check: { options, checker in
    WebOptions.check(options[APODOptions.url], at: options.place(of: APODOptions.url), checker)
    let ways = [
      options.isGiven(APODOptions.days), options.isGiven(APODOptions.from),
      options.isGiven(APODOptions.random),
    ]
    if ways.count(where: \.self) > 1 {
      checker.report("days, from and until, and random exclude each other", at: options.place)
    }
    guard let until = options[APODOptions.until] else { return }
    guard let from = options[APODOptions.from] else {
      checker.report("until needs a from", at: options.place(of: APODOptions.until))
      return
    }
    if until < from {
      checker.report("until is before from", at: options.place(of: APODOptions.until))
    } else if until - from >= 200 * 86400 {
      checker.report("a range has 200 days at most", at: options.place(of: APODOptions.until))
    }
  },
  .poll { options, context in try APODSource(options, context) }
).keepingAnswers()

private enum APODOptions {
  static let days = Option.optional(
    "days", OptionType<Int>.integer(1...200), "how many days, up to today (default: 30)",
    example: "7")
  static let usualDays = 30
  static let from = Option.optional("from", .time, "the first day of a range", example: "2026-01-01")
  static let until = Option.optional(
    "until", .time, "the last day of the range (default: today)", example: "2026-01-31")
  static let random = Option.optional(
    "random", OptionType<Int>.integer(1...100), "this many random days, different at each poll", example: "5"
  )
  static let thumbs = Option("thumbs", .boolean, default: "false", "whether videos have a thumbnail_url")
  static let key = Option(
    "key", .secret, default: "DEMO_KEY", "the key of api.nasa.gov", example: "${NASA_KEY}")
  static let cache = Option(
    "cache", .duration(allowingZero: true), default: "1h", "how long a response is reused")
  static let url = Option("url", .text, default: "https://api.nasa.gov", "the base URL of the service")
}

private final class APODSource: SuspendingPollSource {
  /// Days per request: the service reads a web page for each.
  private static let window = 30
  private static let day = 86400

  private let options: Options
  private let context: SourceContext
  private let fetch: WebFetch
  private let address: Address

  init(_ options: Options, _ context: SourceContext) throws {
    self.options = options
    self.context = context
    fetch = try WebFetch(context)
    var address = try Address(options[APODOptions.url]).appending(path: "planetary").appending(
      path: "apod"
    )
    .setting("api_key", to: options[APODOptions.key], isSecret: true)
    if options[APODOptions.thumbs] { address = address.setting("thumbs", to: "true") }
    self.address = address
  }

  func poll(_ poll: PollRequest) async throws -> PollAnswer {
    fetch.begin(poll)
    if let count = options[APODOptions.random] {
      let rows = try await rows(address.setting("count", to: "\(count)"), isCached: false)
      return fetch.accept(rows)
    }
    let today = Int(poll.at) / Self.day
    let last = options[APODOptions.until].map { Int($0) / Self.day } ?? today
    let first =
      options[APODOptions.from].map { Int($0) / Self.day } ?? last
      - (options[APODOptions.days] ?? APODOptions.usualDays) + 1
    var all: [Value] = []
    var bad: [String] = []
    for start in stride(from: first, through: last, by: Self.window) {
      let end = min(start + Self.window - 1, last)
      all += try await range(start, end, today: today, isPart: false, &bad)
      fetch.show("\(end - first + 1) of \(last - first + 1) days")
    }
    if !bad.isEmpty { context.log.warning("the service fails on \(bad.joined(separator: ", ")); left out") }
    return fetch.accept(all, coverage: bad.isEmpty ? .complete : .partial)
  }

  /// The days of a range; where the service fails on it, of its halves, down to the days that it fails on.
  private func range(_ first: Int, _ last: Int, today: Int, isPart: Bool, _ bad: inout [String]) async throws
    -> [Value]
  {
    if first > today { return [] }
    var address = address.setting("start_date", to: date(first))
    // Without an end it is up to the last there is, which may be of yesterday, or of tomorrow where it is day already.
    if last < today { address = address.setting("end_date", to: date(last)) }
    do {
      return try await rows(address, isCached: true, isPart: isPart)
    } catch let error as FetchError where Self.isNoPicture(error) {
      return []
    } catch let error as FetchError where first >= today && Self.isOutOfRange(error) {
      // Today is not there yet.
      return []
    } catch let error as FetchError where error.status == 500 {
      if first == last {
        bad.append(date(first))
        return []
      }
      let middle = (first + last) / 2
      return try await range(first, middle, today: today, isPart: true, &bad)
        + range(middle + 1, last, today: today, isPart: true, &bad)
    }
  }

  /// Whether the service itself says that there is no picture; any other 404 is that of a wrong address or a proxy.
  private static func isNoPicture(_ error: FetchError) -> Bool { hasError(error, 404, "No data") }

  /// Whether the service says that a day is not one of its own, as today may be before it has begun there.
  private static func isOutOfRange(_ error: FetchError) -> Bool { hasError(error, 400, "Date must be") }

  private static func hasError(_ error: FetchError, _ code: Double, _ message: String) -> Bool {
    guard let body = error.serverValue, error.status.map(Double.init) == code else { return false }
    return body.member("code")?.double == code && body.member("msg")?.string?.hasPrefix(message) == true
  }

  private func rows(_ address: Address, isCached: Bool, isPart: Bool = false) async throws -> [Value] {
    var request = Request(address)
    // Of a part of what has failed, failure is what is looked for.
    request.isTriedOnce = isPart
    if isCached { request.cache = CacheRule(maximumAge: options[APODOptions.cache] * 0.95) }
    let value = try await fetch.answer(request).value
    let rows = value.items ?? [value]
    guard rows.allSatisfy({ $0.member("date")?.string != nil }) else {
      throw WrongAnswer(request, "these are no pictures: \(value.description.prefix(80))")
    }
    return rows
  }

  private func date(_ day: Int) -> String { String(timestamp(Double(day * Self.day)).prefix(10)) }
}
