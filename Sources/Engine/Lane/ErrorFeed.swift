import JSON
import Language
import Reactive

/// The feed of a pipeline's own errors, for the source `errors`: what nodes log as an error, and recoveries.
///
/// It never blocks, as errors come from the lane itself: where the mailbox of the source is full, they are dropped, and
/// counted there.
final class ErrorFeed: Sendable {
  private struct State {
    var downstream: (any Observer<SourceBatch>)?
    var isClosed = false
    /// The other sources that have not ended.
    var left: Int
  }

  private let source: String
  private let world: World
  private let state: Locked<State>

  init(_ source: String, besides others: Int, in world: World) {
    self.source = source
    self.world = world
    state = Locked(State(left: others))
  }

  /// A log that also sends its errors as events.
  func errorFeedingLog(_ log: Log) -> Log {
    Log(level: .detail) { [weak self] entry in
      log.write(entry, entry.level)
      if entry.level <= .warning || entry.isRecovery { self?.send(entry) }
    }
  }

  func open(to downstream: any Observer<SourceBatch>) {
    let isClosed = state.withLock { state in
      state.downstream = downstream
      return state.isClosed
    }
    if isClosed { close() }
  }

  private func send(_ entry: Log.Entry) {
    guard let downstream = state.withLock({ $0.downstream }) else { return }
    let now = world.wallClock()
    let secrets = world[Secrets.self]
    func masked(_ text: String) -> Value { .string(secrets?.masked(text) ?? text) }
    let value = Value.record([
      ("type", .string(entry.isRecovery ? "recovered" : entry.level == .error ? "failed" : "warning")),
      ("node", .string(entry.node)),
      ("at", .string(timestamp(now))), ("message", masked(entry.message)),
      ("details", .array(entry.details.map(masked))),
    ])
    downstream.next(SourceBatch([value], Poll(source: source, at: now), endsPoll: false))
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
    let downstream = state.withLock { state in
      defer { state.downstream = nil }
      state.isClosed = true
      return state.downstream
    }
    downstream?.complete()
  }
}
