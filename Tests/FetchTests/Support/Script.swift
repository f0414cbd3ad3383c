import Foundation
import Reactive
import Store

@testable import Fetch

/// A transport that answers as a test says, after a time that passes by a virtual clock.
final class Script: Transport {
  typealias Outcome = Result<TransferResponse, TransferError>

  /// When what was asked.
  struct Call: Sendable {
    let at: Duration
    let order: TransferOrder
  }

  private let clock: VirtualScheduler
  private let answer: @Sendable (TransferOrder, Int) -> (outcome: Outcome, after: Duration)
  private let log = Locked<[Call]>([])

  /// `answer` gets the order and its number, from one.
  init(
    on clock: VirtualScheduler,
    _ answer: @escaping @Sendable (TransferOrder, Int) -> (outcome: Outcome, after: Duration)
  ) {
    self.clock = clock
    self.answer = answer
  }

  var calls: [Call] { log.withLock { $0 } }

  func start(
    _ order: TransferOrder, completion: @escaping @Sendable (Outcome) -> Void
  ) -> Subscription {
    let number = log.withLock { log in
      log.append(Call(at: clock.now - Instant(), order: order))
      return log.count
    }
    let (outcome, delay) = answer(order, number)
    return clock.schedule(after: delay) { completion(outcome) }
  }
}

extension Result where Success == TransferResponse, Failure == TransferError {
  static func answer(_ body: String, _ status: Int = 200, _ headers: [(String, String)] = []) -> Self {
    .success(TransferResponse(status: status, headers: Headers(headers), body: Array(body.utf8)))
  }

  static func failed(_ kind: FetchError.Kind) -> Self { .failure(TransferError(kind, "it broke")) }
}

/// A client in virtual time over a script, and what came of its fetches.
final class Play: Sendable {
  static let start = 1_800_000_000.0

  let clock: VirtualScheduler
  let script: Script
  let client: Client
  private let outcomes = Locked<[(at: Duration, result: Result<Response, FetchError>)]>([])
  private let notices = Locked<[String]>([])

  /// Answers take a tenth of a second; without chance every wait is the longest.
  init(
    _ budgets: [String: SiteBudget] = [:], file: sending WebFile,
    clock: VirtualScheduler = VirtualScheduler(),
    patience: Duration = .seconds(120), cacheBytes: Int = 1 << 20, latency: Duration = .milliseconds(100),
    secrets: [String] = [], longestBudgetWait: Duration? = nil,
    _ answer: @escaping @Sendable (TransferOrder, Int) -> Script.Outcome
  ) {
    self.clock = clock
    script = Script(on: clock) { (answer($0, $1), latency) }
    let retry = RetryPolicy(
      backoff: Backoff(initial: .seconds(1), factor: 2, cap: .seconds(30), attempts: 3, random: { 0 }),
      patience: patience)
    client = Client(
      script, file: file, on: clock, wallClock: { Play.start + (clock.now - Instant()).inSeconds },
      .init(
        budgets: budgets, retry: retry, cacheBytes: cacheBytes, secrets: secrets,
        longestBudgetWait: longestBudgetWait))
  }

  var times: [Duration] { script.calls.map(\.at) }
  var told: [String] { notices.withLock { $0 } }
  var results: [Result<Response, FetchError>] { outcomes.withLock { $0.map(\.result) } }
  var ends: [Duration] { outcomes.withLock { $0.map(\.at) } }

  @discardableResult
  func start(_ request: Request) -> Subscription {
    client.start(request, notice: { [self] notice in notices.withLock { $0.append("\(notice)") } }) {
      [self] result in
      outcomes.withLock { $0.append((clock.now - Instant(), result)) }
    }
  }

  /// Fetches, with as much time as it takes.
  func fetch(_ request: Request) throws -> Response {
    let before = results.count
    start(request)
    while results.count == before { if !clock.step() { throw StuckError() } }
    return try results[before].get()
  }
}

struct StuckError: Error {}

extension VirtualScheduler {
  /// Lets a second pass; false where nothing waits any more.
  fileprivate func step() -> Bool {
    if pending == 0 { return false }
    advance(by: .seconds(1))
    return true
  }
}
