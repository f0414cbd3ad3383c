import JSON
import Language
import Reactive

/// The lists of a pipeline's polled sources, each a source or an entry of one: when they were seen last, and which of them
/// fail. A failed poll sends nothing into the line, so whatever shows rows learns it here.
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
}
