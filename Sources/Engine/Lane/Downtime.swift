import Reactive

/// The time, in all, for which the connection of a source has been known to be down.
struct Downtime: Sendable {
  private var past = Duration.zero
  private var since: Instant?

  var isDown: Bool { since != nil }

  /// Notes whether it is down; returns whether it was before.
  mutating func note(isDown: Bool, at now: Instant) -> Bool {
    let before = since
    if let since, !isDown { past += now - since }
    since = isDown ? since ?? now : nil
    return before != nil
  }

  func total(at now: Instant) -> Duration { past + (since.map { now - $0 } ?? .zero) }
}

/// The connections of a pipeline's sources, and what waits for one that is down.
struct Connections: Sendable {
  var downtimes: [String: Downtime] = [:]
  var bells: [@Sendable () -> Void] = []
}

extension Lane {
  /// Notes whether the connection of a source is down; from any thread.
  func noteConnection(of source: String, isDown: Bool) {
    let now = scheduler.now
    let bells = connections.withLock { connections in
      let wasDown = connections.downtimes[source, default: Downtime()].note(isDown: isDown, at: now)
      return wasDown && !isDown ? connections.bells : []
    }
    for bell in bells { bell() }
  }
}

extension StepContext {
  /// For how long, in this run, the connection of a source has been known to be down, and whether it is now.
  public func downtime(of source: String) -> (total: Duration, isDown: Bool) {
    let now = lane.ofPipeline.scheduler.now
    let downtime = lane.ofPipeline.connections.withLock { $0.downtimes[source] }
    return downtime.map { ($0.total(at: now), $0.isDown) } ?? (.zero, false)
  }

  /// Rings when a connection that was down is there again.
  public func onReconnection(_ bell: @escaping @Sendable () -> Void) {
    lane.ofPipeline.connections.withLock { $0.bells.append(bell) }
  }
}
