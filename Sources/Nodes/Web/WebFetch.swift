import System
import Fetch
import JSON
import Engine
import Language

/// Fetches for one source, and says once what is unusual about it.
final class WebFetch {
  private let access: WebAccess
  private let context: SourceContext
  /// Whether old answers stand in at present, which was told.
  private var isStale = false
  /// What the poll that is under way must be told with.
  private var oldest: Double?
  /// Whether the service has refused a request because there were too many, if only by way of an old answer.
  private(set) var wasRefused = false
  /// What the poll has come to, as it is shown.
  private var shown = ""

  init(_ context: SourceContext) throws {
    guard let access = context.world[WebAccess.self] else { throw NoNetwork() }
    self.access = access
    self.context = context
  }

  /// Shows how far the poll is to whoever waits for it.
  func show(_ text: String) {
    shown = text
    context.progress(PollProgress(text))
  }

  /// The answer to a request, from wherever.
  func answer(_ request: Request) throws -> Response {
    if shown.isEmpty { show("asking \(request.address.site)") }
    var request = request
    request.refresh = request.refresh || access.refreshes
    let (log, progress, shown, now) = (context.log, context.progress, shown, context.world.wallClock)
    let answer = try fetched(request) { notice in
      switch notice {
      case .waitingForBudget(let site, let until, _), .waitingAsAsked(let site, let until, _):
        log.notice("\(notice)")
        progress(PollProgress(shown, wait: "waiting for the budget of \(site), next call", until: until))
      case .retrying(let error, let wait):
        log.detail("\(notice)")
        let until = now() + wait.inSeconds
        progress(PollProgress(shown, wait: "\(error.message), next try", until: until))
      case .notStored: log.warning("\(notice)")
      }
    }
    tell(answer)
    if answer.freshness == .stale {
      if answer.staleBecause?.status == 429 { wasRefused = true }
      oldest = max(oldest ?? 0, answer.age)
      tellStale(answer)
    }
    return answer
  }

  /// The answer to a request that is not necessary: nil where it fails, would wait, or is older than all others.
  func extra(_ request: Request) throws -> Response? {
    var request = request
    request.whenUnpaid = .fail
    request.isTriedOnce = true
    do {
      let answer = try fetched(request) { _ in }
      tell(answer)
      return answer.freshness == .stale && oldest == nil ? nil : answer
    } catch let error as FetchError where error.kind != .cancelled {
      context.log.detail("\(error)")
      return nil
    }
  }

  /// For whoever wants to know more: where an answer came from.
  private func tell(_ answer: Response) {
    let age = DurationText.format(.seconds(answer.age.rounded()))
    switch answer.freshness {
    case .fresh where answer.isFromCache:
      context.log.detail("\(answer.address): the answer of \(age) ago is used again")
    case .fresh: context.log.detail("\(answer.address): answered")
    case .revalidated: context.log.detail("\(answer.address): nothing has changed")
    case .stale: break
    }
  }

  private func fetched(
    _ request: Request, notice: @escaping @Sendable (FetchNotice) -> Void
  ) throws -> Response {
    do {
      return try access.client().fetch(request, stop: context.stop, notice: notice)
    } catch let error as FetchError {
      if error.status == 429 { wasRefused = true }
      throw error
    }
  }

  /// Asks a service what it has counted, which costs nothing of what it counts; that it does not say is no failure.
  ///
  /// Not where its word was heard less than `age` seconds ago, or counts for nothing.
  func askBudget(_ request: Request, ifOlderThan age: Double, _ read: (Value) -> BudgetReport?) {
    wasRefused = false
    var request = request
    request.isFree = true
    request.isTriedOnce = true
    request.cache = nil
    request.limits.whole = .seconds(20)
    do {
      let client = try access.client()
      guard let known = try client.ageOfLimit(of: request), known > age else { return }
      let answer = try client.fetch(request, stop: context.stop)
      guard let report = read(answer.value) else {
        throw WrongAnswer(request, "this is no budget: \(answer.value.description.prefix(80))")
      }
      try client.learn(report, of: request)
      context.log.detail(
        "\(request.address.site) says that \(report.remaining) of \(report.limit) calls are left")
    } catch {
      context.log.detail("\(error)")
    }
  }

  private func tellStale(_ answer: Response) {
    if isStale { return }
    isStale = true
    let reason = answer.staleBecause.map { "\($0)" } ?? "there is nothing newer"
    let age = DurationText.format(.seconds(answer.age.rounded()))
    context.log.warning("\(reason); what was answered \(age) ago stands in, until there is news")
  }

  /// Ends a poll: what `$meta` says of it.
  func notes() -> Value {
    defer {
      oldest = nil
      shown = ""
    }
    var notes: [(String, Value)] = access.isSimulated ? [("simulated", .bool(true))] : []
    if let oldest {
      notes += [("stale", .bool(true)), ("age", .number(oldest.rounded()))]
    } else {
      if isStale { context.log.notice("there is news again") }
      isStale = false
    }
    return .record(notes)
  }
}

/// An answer that is JSON, and not what it should be.
struct WrongAnswer: Error, CustomStringConvertible {
  let description: String

  init(_ request: Request, _ what: String) { description = "\(request): \(what)" }
}
