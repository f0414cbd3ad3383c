import Fetch
import JSON
import Pipeline
import Reactive

/// The way to the network for a step, which must not wait for an answer; in a rehearsal, what stands for it.
final class Lookups: Sendable {
  private enum Way: Sendable {
    case network(WebAccess)
    case canned([String: Value])
  }

  private let way: Way
  private let log: NodeLog
  /// Until when the budget was last said to be waited for; many lookups wait for the same.
  private let toldUntil = Locked(0.0)

  init(_ context: StepContext) throws {
    log = context.log
    if let canned = context.lane.world[CannedAnswers.self] {
      let answers = canned.answers.map { ((try? Address($0.key))?.text ?? $0.key, $0.value) }
      way = .canned(Dictionary(answers) { first, _ in first })
    } else if let access = context.lane.world[WebAccess.self] {
      way = .network(access)
    } else {
      throw NoNetworkForStep(step: context.name)
    }
  }

  /// Asks; `found` is called once, from any thread and maybe at once, with null where there is nothing.
  func start(
    _ request: Request, found: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> Subscription {
    switch way {
    case .canned(let answers):
      found(
        answers[request.address.text].map { .success($0) }
          ?? .failure(StepError("\(request): there is no answer; a test gives one under web")))
      return Subscription()
    case .network(let access):
      var request = request
      request.refresh = access.refreshes
      do {
        return try access.client().start(request, notice: tell) { result in
          switch result {
          case .success(let answer): found(.success(answer.value))
          case .failure(let error) where error.status == 404 || error.status == 410: found(.success(.null))
          case .failure(let error): found(.failure(error))
          }
        }
      } catch {
        found(.failure(error))
        return Subscription()
      }
    }
  }

  private var tell: @Sendable (FetchNotice) -> Void {
    { [self] notice in
      switch notice {
      case .waitingForBudget(_, let until, _):
        let isNews = toldUntil.withLock { told in
          defer { told = max(told, until) }
          return until > told + 1
        }
        if isNews { log.notice("\(notice)") }
      case .retrying: log.detail("\(notice)")
      case .notKept: log.warning("\(notice)")
      }
    }
  }
}

/// A step that asks the network stands in a pipeline that has none.
private struct NoNetworkForStep: Error, CustomStringConvertible {
  let step: String
  var description: String { "\(step): there is no network in virtual time, where recordings are replayed" }
}
