import JSON
import Reactive

/// The rows of those sources that are lists for others.
public final class PolledRows: Sendable {
  private struct Source: Sendable {
    var rows: [Value]?
    var hasEnded = false
    var watchers: [@Sendable () -> Void] = []
  }

  private let sources: Locked<[String: Source]>

  /// The rows of these sources.
  init(of sources: Set<String> = []) {
    self.sources = Locked(Dictionary(uniqueKeysWithValues: sources.map { ($0, Source()) }))
  }

  /// The rows of the last poll of a source; nil before it.
  public func rows(of source: String) -> (rows: [Value]?, hasEnded: Bool) {
    sources.withLock { ($0[source]?.rows, $0[source]?.hasEnded ?? true) }
  }

  /// Has `changed` called at each poll of a source, from any thread.
  public func watch(_ source: String, _ changed: @escaping @Sendable () -> Void) {
    sources.withLock { $0[source]?.watchers.append(changed) }
  }

  /// Notes the rows of a poll, unless some of its list may be missing.
  func note(_ answer: PollAnswer, of source: String) {
    let rows = answer.coverage == .partial ? nil : answer.rows
    let watchers = sources.withLock { sources in
      if let rows { sources[source]?.rows = rows }
      return rows == nil ? [] : sources[source]?.watchers ?? []
    }
    for watcher in watchers { watcher() }
  }

  func noteEnd(of source: String) {
    let watchers = sources.withLock { sources in
      sources[source]?.hasEnded = true
      return sources[source]?.watchers ?? []
    }
    for watcher in watchers { watcher() }
  }
}
