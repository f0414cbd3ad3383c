// How many calls a key has left: so many in an hour, and for the demonstration key in a day, counted over the time
// that has just passed.

import Synchronization

/// The calls of each key in the sky's time.
final class APODQuota: Sendable {
  /// What a call may do: it has been counted, or it may be made again after so many seconds.
  struct Verdict: Sendable {
    var limit: Int
    var remaining: Int
    /// Nil where the call is allowed.
    var retryAfter: Int?
  }

  private static let hour: Int64 = 3_600_000
  /// More clients at a time than this, and the one that has been quiet for longest is forgotten.
  private static let mostClients = 1000

  private let calls = Mutex<[String: [Int64]]>([:])

  /// Counts a call; the demonstration key is counted for each client by itself.
  func call(key: String, client: String, at now: SkyTime) -> Verdict {
    let isDemo = key == "DEMO_KEY"
    let limits: [(count: Int, span: Int64)] =
      isDemo ? [(30, Self.hour), (50, 24 * Self.hour)] : [(1000, Self.hour)]
    let name = isDemo ? "DEMO_KEY \(client)" : key
    let time = now.milliseconds
    return calls.withLock { calls in
      let longest = isDemo ? 24 * Self.hour : Self.hour
      var times = (calls[name] ?? []).filter { $0 > time - longest && $0 <= time }
      var verdict = Verdict(limit: limits[0].count, remaining: .max)
      for (count, span) in limits {
        let recent = times.drop { $0 <= time - span }
        verdict.remaining = min(verdict.remaining, max(0, count - recent.count - 1))
        if recent.count >= count {
          // The call that made it so many falls out of the span then.
          let free = recent[recent.endIndex - count] + span - time
          verdict.retryAfter = max(verdict.retryAfter ?? 1, Int((free + 999) / 1000))
        }
      }
      if verdict.retryAfter == nil { times.append(time) }
      if calls[name] == nil, calls.count >= Self.mostClients,
        let quiet = calls.min(by: { ($0.value.last ?? 0, $0.key) < ($1.value.last ?? 0, $1.key) })?.key
      {
        calls[quiet] = nil
      }
      calls[name] = times
      return verdict
    }
  }
}
