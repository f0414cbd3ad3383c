import JSON
import Language
import Reactive

/// The feed of a pipeline's own errors, for the source `errors`: outages of its sources, and what nodes log as an error.
///
/// It never blocks, as errors come from the lane itself: where the mailbox of the source is full, messages are dropped,
/// and counted there. Outcomes of polls are none of them: they wait here, and each batch that comes through brings them.
final class ErrorFeed: Sendable {
  private struct State {
    var downstream: (any Observer<SourceBatch>)?
    var isClosed = false
    var nodes: Set<String>
    /// The other sources that have not ended.
    var left: Int
    /// The outcomes of polls that the lane has not taken yet.
    var outcomes: [PollOutcome] = []
    /// The kind of the failure that was the last outcome of each source and entry; nil where that was good.
    var last: [Outages.ID: FailureKind?] = [:]
    /// At this number, only the last outcome of each source and entry is kept.
    var most = ErrorFeed.mostOutcomes
  }

  private static let mostOutcomes = 1000

  let source: String
  private let world: World
  private let state: Locked<State>

  /// - Parameter isEndless: Whether errors may come as long as the run lasts, whatever sources there are.
  init(
    _ source: String, besides others: [String], and nodes: [String], in world: World, isEndless: Bool = false
  ) {
    self.source = source
    self.world = world
    // Without others nothing can fail: what reads errors does not feed them.
    let isClosed = others.isEmpty && !isEndless
    state = Locked(State(isClosed: isClosed, nodes: Set(others + nodes), left: others.count))
  }

  /// The other sources, and the steps and sinks that have outages too: outages of what is none of them are over.
  var nodes: Set<String> { state.withLock { $0.nodes } }

  func watch(_ nodes: Set<String>) {
    state.withLock { $0.nodes = nodes }
    wake()
  }

  /// A log that also sends its errors as events, without those of which `note` has the outcome.
  func errorFeedingLog(_ log: Log) -> Log {
    Log(level: .detail) { [weak self] entry in
      log.write(entry, entry.level)
      if entry.level <= .warning, !entry.isAboutPolls { self?.send(entry) }
    }
  }

  func open(to downstream: any Observer<SourceBatch>) {
    let isClosed = state.withLock { state in
      state.downstream = downstream
      return state.isClosed
    }
    // The lane may have outages of sources that are no more.
    wake()
    if isClosed { close() }
  }

  func send(_ entry: Log.Entry) {
    func masked(_ text: String) -> Value { .string(self.masked(text)) }
    send([
      .record([
        ("type", .string(entry.level == .error ? "failed" : "warning")), ("node", .string(entry.node)),
        ("at", .string(timestamp(world.wallClock()))), ("message", masked(entry.message)),
        ("details", .array(entry.details.map(masked))),
      ])
    ])
  }

  private func send(_ values: [Value]) {
    guard let downstream = state.withLock({ $0.downstream }) else { return }
    downstream.next(SourceBatch(values, Poll(source: source, at: world.wallClock()), endsPoll: false))
  }

  private func masked(_ text: String) -> String { world[Secrets.self]?.masked(text) ?? text }

  // MARK: - Outcomes of polls

  /// Notes the outcome of a poll or of an attempt to connect, from any thread; of several that are the same the first.
  func note(_ outcome: PollOutcome) {
    var outcome = outcome
    if case .failed(let kind, let reason) = outcome.result {
      outcome.result = .failed(kind, reason: masked(reason))
    }
    let isFirst = state.withLock { [outcome] state in
      switch outcome.result {
      case .good, .failed:
        let kind = outcome.result.kind
        if state.last.updateValue(kind, forKey: outcome.outage) == .some(kind) { return false }
      case .gone: state.last[outcome.outage] = nil
      case .listed: break
      }
      state.outcomes.append(outcome)
      if state.outcomes.count >= state.most {
        var seen: Set<Outages.ID> = []
        state.outcomes = state.outcomes.reversed().filter { seen.insert($0.outage).inserted }.reversed()
        state.most = max(Self.mostOutcomes, 2 * state.outcomes.count)
      }
      return state.outcomes.count == 1
    }
    if isFirst { wake() }
  }

  /// Where the mailbox is full, a batch within it brings the outcomes.
  private func wake() { send([]) }

  /// The outcomes since the last call, for the lane.
  func takeOutcomes() -> [PollOutcome] {
    state.withLock { state in
      defer { state.outcomes = [] }
      return state.outcomes
    }
  }

  /// Notes the end of another source, on the lane: when all have ended, nothing can fail any more.
  func noteEnd() {
    let isLast = state.withLock { state in
      state.left -= 1
      return state.left == 0
    }
    if isLast { close() }
  }

  /// Ends the source where no other one could.
  func stop() {
    if state.withLock({ $0.left <= 0 }) { close() }
  }

  private func close() {
    state.withLock { $0.isClosed = true }
    takeDownstream()?.complete()
  }

  /// Releases what it feeds, which holds it, when the run has ended: one that is aborted hears of no ends of sources.
  func release() { _ = takeDownstream() }

  private func takeDownstream() -> (any Observer<SourceBatch>)? {
    state.withLock { state in
      defer { state.downstream = nil }
      return state.downstream
    }
  }
}
