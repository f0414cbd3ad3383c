import Decode
import System
import Fetch
import JSON
import Engine
import Language
import Reactive

/// The answer to a lookup.
package struct LookupAnswer: Sendable, Equatable {
  /// The JSON, or the list of what was decoded; null if the server has nothing.
  package var value: Value
  /// Whether it was in the cache, and is young enough.
  package var isCached = false
  /// The age in seconds of an old response, which is used because the server fails.
  package var age: Double?
  /// How the server fails.
  package var failure: String?

  package init(_ value: Value, age: Double? = nil) { (self.value, self.age) = (value, age) }

  fileprivate init(_ response: Response, _ value: Value) {
    self.value = value
    isCached = response.isFromCache && response.freshness == .fresh
    if response.freshness == .stale {
      (age, failure) = (response.age, response.staleBecause.map { "\($0)" })
    }
  }
}

/// The network access of a step, which does not block; in tests and replays, its replacement.
package final class Lookups: Sendable {
  private enum Way: Sendable {
    case network(WebAccess)
    case canned([String: Value])
    case replayed(LookupReplay)
  }

  /// The size from which on a text is decoded beside the transfers.
  private static let large = 1 << 16

  private let way: Way
  private let decoding: Decoding
  private let decoder: SerialScheduler?
  private let log: NodeLog
  private let step: String
  private let disk: any Disk
  /// Where responses are recorded, if they are.
  private let recording: LookupRecording?
  /// The time up to which waiting for the budget was last reported; many lookups wait for the same budget.
  private let toldUntil = Locked(0.0)
  private let postponed = Locked<(reason: String, until: Double)?>(nil)

  package init(_ context: StepContext, _ decoding: Decoding) throws {
    let world = context.lane.world
    var noting = decoding
    noting.notes = DecodeNotes { [log = context.log] in log.warning($0) }
    self.decoding = noting
    decoder = decoding.format == .json ? nil : SerialScheduler(name: "flow-decode")
    (log, step, disk) = (context.log, context.name, world.disk)
    recording = world[LookupRecording.self]
    if let canned = world[CannedAnswers.self] {
      let answers = canned.answers.map { ((try? Address($0.key))?.text ?? $0.key, $0.value) }
      way = .canned(Dictionary(answers) { first, _ in first })
    } else if let replay = world[LookupReplay.self] {
      try replay.begin(on: world.disk, step: context.name, context.log)
      way = .replayed(replay)
    } else if let access = world[WebAccess.self] {
      recording?.begin(on: world.disk, context.log)
      way = .network(access)
    } else {
      throw Sentence(
        "\(context.name): there is no network in virtual time; record lookups with flow run --record, "
          + "so that --replay can use them")
    }
  }

  /// Until when lookups wait for a budget, and why.
  package var wait: (reason: String, until: Double)? { postponed.withLock { $0 } }

  /// Starts a lookup for an event of a poll made at the given time.
  ///
  /// `found` is called once, from any thread and possibly before this returns; `waiting` whenever `wait` has changed.
  package func start(
    _ request: Request, at time: Double, waiting: @escaping @Sendable () -> Void,
    found: @escaping @Sendable (Result<LookupAnswer, any Error>) -> Void
  ) -> Subscription {
    switch way {
    case .canned(let answers):
      found(
        Result {
          guard let answer = answers[request.address.text] else {
            throw Sentence("\(request): the test has no response for it; add one under web")
          }
          return LookupAnswer(try decoded(answer, for: request))
        })
      return Subscription()
    case .replayed(let replay):
      found(replay.found(request, at: time, step: step, on: disk))
      return Subscription()
    case .network(let access):
      do {
        return try access.client().start(access.adapted(request), notice: { [self] in report($0, waiting) }) {
          result in
          switch result {
          case .success(let response): self.decode(response, of: request, found)
          case .failure(let error) where error.status == 404 || error.status == 410:
            found(.success(LookupAnswer(.null)))
          case .failure(let error): found(.failure(error))
          }
        }
      } catch {
        found(.failure(error))
        return Subscription()
      }
    }
  }

  private func decode(
    _ response: Response, of request: Request,
    _ found: @escaping @Sendable (Result<LookupAnswer, any Error>) -> Void
  ) {
    guard let decoder else { return found(.success(LookupAnswer(response, response.value))) }
    let work = { @Sendable [decoding] in
      found(
        Result {
          do throws(Sentence) {
            return LookupAnswer(response, .array(try decoding.checkedValues(of: response)))
          } catch {
            throw WrongAnswer(request, request.masked("\(error)"))
          }
        })
    }
    // Transfers share the thread that this is on.
    if response.bytes.count < Self.large { work() } else { decoder.perform(work) }
  }

  /// The value of a test's response: a text in the format of `decode`, or what is decoded from it.
  private func decoded(_ answer: Value, for request: Request) throws -> Value {
    guard decoder != nil, let text = answer.textBytes else { return answer }
    var decoding = decoding
    decoding.resolve = { link in try? request.address.resolving(link) }
    return .array(try decoding.values(of: text))
  }

  /// Records the last result of a lookup, which no other follows.
  package func record(_ found: Result<LookupAnswer, any Error>, of request: Request, at time: Double) {
    if case .network = way { recording?.add(request, at: time, step: step, found) }
  }

  private func report(_ notice: FetchNotice, _ waiting: () -> Void) {
    switch notice {
    case .waitingForBudget(let site, let until, _), .waitingAsAsked(let site, let until, _):
      let isNews = toldUntil.withLock { told in
        defer { told = max(told, until) }
        return until > told + 1
      }
      postponed.withLock { $0 = ("the budget of \(site)", max(until, $0?.until ?? 0)) }
      waiting()
      if isNews { log.notice("\(notice)") }
    case .retrying: log.detail("\(notice)")
    case .notStored: log.warning("\(notice)")
    }
  }
}
