import Engine
import Reactive

/// A trace of a pipeline: what has passed its nodes since a reader opened its page, as marbles and as the latest events.
///
/// Written once a second from a bounded tap, which never delays the pipeline: of many events it misses some.
package final class PageTrace: Sendable {
  /// Ten minutes in columns of five seconds, as time passes for readers.
  package static let columns = 120
  package static let columnSeconds = 5.0
  /// The latest events of a node, and how much is shown of each.
  private static let kept = (events: 12, bytes: 4096)

  /// An event that passed a node.
  package struct Passed: Sendable, Equatable {
    package let at: Double
    package let source: String
    /// JSON, cut where it is long.
    package let json: String
  }

  private struct State {
    var lanes: MarbleLanes
    var latest: [String: [Passed]] = [:]
    var seen: Instant
    var hasMissed = false
  }

  package let nodes: [String]
  let tap: EventTap
  private let numbers: [String: Int]
  private let state: Locked<State>

  init(_ nodes: [String], speed: Double, at now: Instant) {
    self.nodes = nodes
    numbers = Dictionary(nodes.enumerated().map { ($1, $0) }) { first, _ in first }
    tap = EventTap(
      EventTap.Limits(events: 16384, bytes: 4 << 20, eventsPerSecond: 10_000, bytesPerSecond: 4 << 20))
    state = Locked(
      State(
        lanes: MarbleLanes(nodes, step: Self.columnSeconds * speed, columns: Self.columns), seen: now))
  }

  var lastSeen: Instant { state.withLock { $0.seen } }

  func seen(at now: Instant) { state.withLock { $0.seen = now } }

  /// Takes what the tap has recorded.
  package func gather() {
    let (events, missed) = tap.take()
    if events.isEmpty, missed == 0 { return }
    state.withLock { state in
      if missed > 0 { state.hasMissed = true }
      for event in events {
        guard let lane = numbers[event.node] else { continue }
        state.lanes.note(lane, at: event.at, isEndOfPoll: event.isEndOfPoll)
        guard let json = event.json else { continue }
        let text = String(decoding: json.prefix(Self.kept.bytes), as: UTF8.self)
        let passed = Passed(
          at: event.at, source: event.source, json: json.count > Self.kept.bytes ? text + "…" : text)
        var latest = state.latest[event.node] ?? []
        if latest.count == Self.kept.events { latest.removeFirst() }
        latest.append(passed)
        state.latest[event.node] = latest
      }
    }
  }

  /// The lanes as they are.
  package var lanes: MarbleLanes { state.withLock { $0.lanes } }

  /// Whether more has passed than was recorded.
  package var hasMissed: Bool { state.withLock { $0.hasMissed } }

  /// The latest events of a node, the newest first.
  package func latest(_ node: String) -> [Passed] { state.withLock { ($0.latest[node] ?? []).reversed() } }
}
