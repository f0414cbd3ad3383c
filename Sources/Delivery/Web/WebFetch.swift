import System
import Fetch
import JSON
import Engine
import Language

/// Fetches for one source, and reports once what is unusual about it.
package final class WebFetch {
  private let access: WebAccess
  private let context: SourceContext
  /// Whether a stale response is in use, which has been reported.
  private var isStale = false
  /// Whether that was reported by itself.
  private var isReported = true
  /// The age of the oldest stale response of the current poll.
  private var oldest: Double?
  /// When the first of the current poll's responses that are from the cache was given, in seconds since 1970.
  private var answeredAt: Double?
  /// The closures that store the responses of the current poll, once the source has accepted it.
  private var unkept: [@Sendable () -> Void] = []
  /// Whether the service has refused a request because there were too many, even if a stale response was used.
  package private(set) var wasRefused = false
  /// The picture of the current poll's page.
  private var picture: KeptPicture?
  /// The progress of the poll, as shown.
  private var shown = ""
  /// Whether the poll repeats one that has failed.
  private var isRepetition = false

  package init(_ context: SourceContext) throws {
    guard let access = context.world[WebAccess.self] else { throw Sentence.noNetwork }
    self.access = access
    self.context = context
  }

  /// Shows the progress of the poll to a caller that waits for it.
  package func show(_ text: String) {
    shown = text
    context.progress(PollProgress(text))
  }

  /// The response to a request, from the service or the cache.
  package func answer(_ request: Request) async throws -> Response {
    try await answer(request, isLookup: false)
  }

  /// The response to a request for more about a row that the poll has found: an old one is better than none.
  package func lookUp(_ request: Request) async throws -> Response {
    try await answer(request, isLookup: true)
  }

  private func answer(_ request: Request, isLookup: Bool) async throws -> Response {
    if shown.isEmpty { show("asking \(request.address.site)") }
    let (log, progress, shown, now) = (context.log, context.progress, shown, context.world.wallClock)
    let answer = try await fetched(request, isLookup: isLookup) { notice in
      switch notice {
      case .waitingForBudget(let site, let until, _), .waitingAsAsked(let site, let until, _):
        log.notice("\(notice)")
        progress(PollProgress(shown, wait: "waiting for the budget of \(site), next call", until: until))
      case .retrying(let error, let wait):
        // A wait that could be taken for the end is reported.
        if wait >= .seconds(10) { log.notice("\(notice)") } else { log.detail("\(notice)") }
        let until = now() + wait.inSeconds
        progress(PollProgress(shown, wait: "\(error.message), next try", until: until, isRetry: true))
      case .notStored: log.warning("\(notice)")
      }
    }
    if isLookup { return answer }
    note(answer)
    if answer.freshness == .stale {
      if answer.staleBecause?.status == 429 { wasRefused = true }
      oldest = max(oldest ?? 0, answer.age)
      if access.showsOld == nil { reportStale(answer) }
    }
    return answer
  }

  /// The answer to a request that is not necessary: nil where it fails, would wait, or is older than all others.
  package func extra(_ request: Request) async throws -> Response? {
    var request = request
    request.whenUnpaid = .fail
    request.isTriedOnce = true
    do {
      let answer = try await fetched(request) { _ in }
      note(answer)
      return answer.freshness == .stale && oldest == nil ? nil : answer
    } catch let error as FetchError where error.kind != .cancelled {
      context.log.detail("\(error)")
      return nil
    }
  }

  /// Notes what the poll is made of, and logs at detail level where it came from.
  private func note(_ answer: Response) {
    if let keep = answer.keep { unkept.append(keep) }
    picture = answer.picture ?? picture
    if answer.isFromCache, answer.freshness == .fresh {
      let time = context.world.wallClock() - answer.age
      answeredAt = min(answeredAt ?? time, time)
    }
    let age = DurationText.format(.seconds(answer.age.rounded()))
    switch answer.freshness {
    case .fresh where answer.isFromCache:
      context.log.detail("\(answer.address): using the cached response of \(age) ago")
    case .fresh:
      context.log.detail("\(answer.address): answered\(answer.remark.map { "; \($0)" } ?? "")")
    case .revalidated: context.log.detail("\(answer.address): not modified")
    case .stale: break
    }
  }

  private func fetched(
    _ request: Request, isLookup: Bool = false, notice: @escaping @Sendable (FetchNotice) -> Void
  ) async throws -> Response {
    var request = access.adapted(request)
    if isRepetition {
      request.isRepetition = true
      request.whenUnpaid = .fail
    }
    if !isLookup {
      request.isKeptLater = true
      // A failed poll is one: what there was before it says nothing of the present.
      if !context.usesOldAnswers, access.showsOld == nil { request.cache?.staleAge = .zero }
    }
    do {
      return try await access.client().response(to: request, stop: context.stop, notice: notice)
    } catch let error as FetchError {
      if error.status == 429 { wasRefused = true }
      throw error
    }
  }

  /// Requests the service's own count of the budget, which is free of charge; a failure is ignored.
  ///
  /// Skipped if the last such report is younger than `age` seconds, or without a budget.
  package func askBudget(_ request: Request, ifOlderThan age: Double, _ read: (Value) -> BudgetReport?) async
  {
    wasRefused = false
    var request = request
    request.isFree = true
    request.isTriedOnce = true
    request.cache = nil
    request.limits.whole = .seconds(20)
    do {
      let client = try access.client()
      guard let known = try client.ageOfLimit(of: request), known > age else { return }
      let answer = try await client.response(to: request, stop: context.stop)
      guard let report = read(answer.value) else {
        throw WrongAnswer(request, "not a budget: \(answer.value.description.prefix(80))")
      }
      try client.learn(report, of: request)
      context.log.detail(
        "\(request.address.site) reports \(report.remaining) of \(report.limit) calls left")
    } catch {
      context.log.detail("\(error)")
    }
  }

  private func reportStale(_ answer: Response) {
    if isStale { return }
    isStale = true
    let reason = answer.staleBecause.map { "\($0)" } ?? "there is no newer response"
    let age = DurationText.format(.seconds(answer.age.rounded()))
    let message = "\(reason); using the response of \(age) ago until there is a new one"
    isReported = context.noteFlaw()
    if isReported { context.log.warning(message) } else { context.log.detail(message) }
  }

  /// The answers of a poll so far.
  package struct Answers {
    fileprivate var answeredAt: Double?
    fileprivate var unkept: [@Sendable () -> Void]
  }

  /// Begins to ask for the list again; returns the answers before.
  package func beginPass() -> Answers {
    defer { (answeredAt, unkept) = (nil, []) }
    return Answers(answeredAt: answeredAt, unkept: unkept)
  }

  /// Ends it: the poll is made of the answers since, of those before, or of both.
  ///
  /// Answers that it is not made of are not kept either, if they are those since: a later poll would mix them with others.
  package func endPass(after before: Answers, keeping isKept: Bool, both isBoth: Bool) {
    unkept = before.unkept + (isKept ? unkept : [])
    if !isKept {
      answeredAt = before.answeredAt
    } else if isBoth, let time = before.answeredAt {
      answeredAt = min(answeredAt ?? time, time)
    }
  }

  /// Begins a poll: what one before has used, which may have failed on a later page, says nothing of this one.
  package func begin(_ poll: PollRequest) {
    isRepetition = poll.isRepetition
    (oldest, answeredAt, picture, unkept) = (nil, nil, nil, [])
    shown = ""
  }

  /// Ends a poll whose rows the source has accepted, and keeps the responses that it is made of as the last good ones.
  package func accept(_ rows: [Value], coverage: Coverage = .complete, memory: Value? = nil) -> PollAnswer {
    for keep in unkept { keep() }
    unkept = []
    var notes: [(String, Value)] = access.isSimulated ? [("simulated", .bool(true))] : []
    if let picture {
      notes.append((Poll.screenshot, .string(picture.path)))
      if let before = picture.before { notes.append((Poll.screenshotBefore, .string(before))) }
    }
    if let oldest {
      notes += [("stale", .bool(true)), ("age", .number(oldest.rounded()))]
      access.showsOld?(context.name, context.entry, oldest)
    } else {
      if isStale, isReported { context.log.notice("there is a new response again") }
      isStale = false
    }
    return PollAnswer(rows, notes: .record(notes), at: answeredAt, coverage: coverage, memory: memory)
  }
}

/// A JSON response that is not what it should be.
package struct WrongAnswer: Error, CustomStringConvertible {
  package let description: String

  package init(_ request: Request, _ what: String) { description = "\(request): \(what)" }
}

extension FetchError: PollFailure {
  public var isWait: Bool { kind == .budget && retryAt != nil }
}
