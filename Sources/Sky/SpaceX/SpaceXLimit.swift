import Synchronization

/// How many requests each client has made in the last second of the sky's time: more than fifty are refused.
final class SpaceXLimit: Sendable {
  static let most = 50
  private static let span: Int64 = 1000
  /// Of more clients than this at a time, all are forgotten, which only the sky's own load would bring about.
  private static let mostClients = 1000

  private let calls = Mutex<[String: [Int64]]>([:])

  /// Counts a request; whether it is one too many, which does not count.
  func isOver(_ client: String, at now: SkyTime) -> Bool {
    let time = now.milliseconds
    return calls.withLock { calls in
      if calls.count > Self.mostClients { calls.removeAll() }
      var recent = (calls[client] ?? []).filter { $0 > time - Self.span && $0 <= time }
      let isOver = recent.count >= Self.most
      if !isOver { recent.append(time) }
      calls[client] = recent
      return isOver
    }
  }
}
