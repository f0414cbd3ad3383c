import JSON
import Language
import Reactive

/// The lists of a pipeline's polled sources: when each was seen last, and which of them fail.
///
/// A list is a source, or an entry of one. A failed poll sends nothing into the line, so whatever shows rows learns it here.
public final class PolledLists: Sendable {
  private struct State: Sendable {
    var lastGood: [String: Double] = [:]
    var failing: Set<String> = []
    var watchers: [@Sendable () -> Void] = []
  }

  private let state = Locked(State())

  /// Notes the outcome of a poll, from any thread.
  func note(_ outcome: PollOutcome) {
    let name = Poll.list(of: outcome.outage.source, outcome.outage.entry)
    let watchers = state.withLock { state in
      switch outcome.result {
      case .good:
        state.lastGood[name] = outcome.at
        return state.failing.remove(name) == nil ? [] : state.watchers
      case .failed: return state.failing.insert(name).inserted ? state.watchers : []
      case .gone:
        (state.lastGood[name], _) = (nil, state.failing.remove(name))
        return []
      case .listed: return []
      }
    }
    for watcher in watchers { watcher() }
  }

  /// The lists whose last poll failed.
  public var failing: Set<String> { state.withLock { $0.failing } }

  /// When a list had its last good poll in this run, in seconds since 1970.
  public func lastGood(_ list: String) -> Double? { state.withLock { $0.lastGood[list] } }

  /// When any list of a source had one.
  public func lastGood(of source: String) -> Double? {
    state.withLock { state in
      state.lastGood.filter { $0.key == source || $0.key.hasPrefix("\(source)[") }.values.max()
    }
  }

  /// Has `changed` called, from any thread, when a list begins to fail, or is well again.
  public func watch(_ changed: @escaping @Sendable () -> Void) {
    state.withLock { $0.watchers.append(changed) }
  }

  func end() { state.withLock { $0.watchers = [] } }
}

extension SinkContext {
  /// So many periods without a good poll make what a source has shown too old.
  private static let periods = 3.0

  /// When what a poll has shown at that time is too old; nil where its source has no schedule.
  public func expiry(of time: Double, from source: String) -> Double? {
    guard let period = plan?.schedules[source]?.period(at: time), period > 0 else { return nil }
    return time + Self.periods * period
  }

  /// Whether a source of the sink has had a good poll that is not too old, and until when that is so, from any thread; nil
  /// while it is too early to know, and altogether where a source has no schedule.
  public var freshness: (@Sendable () -> (isFresh: Bool?, until: Double))? {
    guard let plan, let sink = plan.sinks.first(where: { $0.name == name }) else { return nil }
    let (sources, start) = (plan.sources(of: sink.from).sorted(), lane.world.wallClock())
    guard !sources.isEmpty, sources.allSatisfy({ expiry(of: start, from: $0) != nil }) else { return nil }
    return { [self] in
      let now = lane.world.wallClock()
      let good = sources.compactMap { source in
        lane.lists.lastGood(of: source).flatMap { expiry(of: $0, from: source) }
      }
      if let until = good.max(), now < until { return (true, until) }
      let patience = sources.compactMap { expiry(of: start, from: $0) }.max() ?? now
      return (good.isEmpty && now < patience ? nil : false, now < patience ? patience : .infinity)
    }
  }
}

extension Plan {
  /// The sources whose events reach these sources and streams.
  fileprivate func sources(of names: [String]) -> Set<String> {
    names.reduce(into: []) { found, name in
      if let stream = streams.first(where: { $0.name == name }) {
        found.formUnion(sources(of: stream.from))
      } else {
        found.insert(name)
      }
    }
  }
}
