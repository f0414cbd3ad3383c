// The rate limits of the services: how many calls each client has made within the last second, hour or day.

/// So many calls within so many seconds.
struct CallLimit: Sendable {
  let count: Int
  let seconds: Int
}

/// The calls of each client, counted over rolling windows in the sky's time; a refused call does not count.
struct CallCounter: Sendable {
  /// At this many clients, the one whose last call is oldest is dropped.
  private static let clientLimit = 1000

  private var calls: [String: [SkyTime]] = [:]

  /// Counts a call, unless one of the limits is reached: then the seconds to wait.
  mutating func call(by client: String, _ limits: [CallLimit], at now: SkyTime) -> Int? {
    var recent = recent(client, limits, now)
    let wait = Self.wait(recent, limits, now)
    if wait == nil { recent.append(now) }
    if calls[client] == nil, calls.count >= Self.clientLimit,
      let oldest = calls.min(by: { ($0.value.last ?? now, $0.key) < ($1.value.last ?? now, $1.key) })
    {
      calls[oldest.key] = nil
    }
    calls[client] = recent
    return wait
  }

  /// How many calls count now, how many are left, and the seconds until the next may be made: 0 for at once.
  func use(of client: String, _ limits: [CallLimit], at now: SkyTime) -> (calls: Int, left: Int, wait: Int) {
    let recent = recent(client, limits, now)
    let left = limits.map { limit in limit.count - recent.count { Self.isWithin(limit.seconds, $0, now) } }
    return (recent.count, max(0, left.min() ?? 0), Self.wait(recent, limits, now) ?? 0)
  }

  private func recent(_ client: String, _ limits: [CallLimit], _ now: SkyTime) -> [SkyTime] {
    let longest = limits.map(\.seconds).max() ?? 0
    return (calls[client] ?? []).filter { Self.isWithin(longest, $0, now) }
  }

  /// A call later than now was counted before the clock was set back; it delays nothing.
  private static func isWithin(_ seconds: Int, _ call: SkyTime, _ now: SkyTime) -> Bool {
    call <= now && call.milliseconds > now.milliseconds - Int64(seconds) * 1000
  }

  private static func wait(_ recent: [SkyTime], _ limits: [CallLimit], _ now: SkyTime) -> Int? {
    limits.compactMap { limit in
      let calls = recent.filter { isWithin(limit.seconds, $0, now) }
      guard calls.count >= limit.count else { return nil }
      // The call after whose end of the window one more is allowed.
      let last = calls[calls.count - limit.count].milliseconds
      return max(1, Int((last + Int64(limit.seconds) * 1000 - now.milliseconds + 999) / 1000))
    }.max()
  }
}
