import Fetch
import JSON
import Pipeline

/// Fetches for one source, and says once what is unusual about it.
final class WebFetch {
  private let access: WebAccess
  private let context: SourceContext
  /// Whether old answers stand in at present, which was told.
  private var isStale = false
  /// What the poll that is under way must be told with.
  private var oldest: Double?
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
  func answer(_ request: Request) throws -> Answer {
    if shown.isEmpty { show("asking \(request.address.site)") }
    var request = request
    request.refresh = request.refresh || access.refreshes
    let (log, progress, shown, now) = (context.log, context.progress, shown, context.world.wallClock)
    let answer = try access.client().fetch(request, stop: context.stop) { notice in
      switch notice {
      case .waitingForBudget(let site, let until, _):
        log.notice("\(notice)")
        progress(PollProgress(shown, wait: "waiting for the budget of \(site), next call", until: until))
      case .retrying(let error, let wait):
        log.detail("\(notice)")
        let until = now() + wait.inSeconds
        progress(PollProgress(shown, wait: "\(error.message), next try", until: until))
      case .notKept: log.warning("\(notice)")
      }
    }
    if answer.freshness == .stale {
      oldest = max(oldest ?? 0, answer.age)
      tellStale(answer)
    }
    return answer
  }

  private func tellStale(_ answer: Answer) {
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
    if let oldest {
      return .record([("stale", .bool(true)), ("age", .number(oldest.rounded()))])
    }
    if isStale { context.log.notice("there is news again") }
    isStale = false
    return .emptyObject
  }
}

/// An answer that is JSON, and not what it should be.
struct WrongAnswer: Error, CustomStringConvertible {
  let description: String

  init(_ request: Request, _ what: String) { description = "\(request): \(what)" }
}
