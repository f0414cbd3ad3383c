/// How many calls each client has made in the last hour of the sky's time, and whether it may make another.
struct LaunchThrottle {
  static let period = 3600
  static let limit = 15
  /// With a key; the service has several, by what is paid.
  static let limitWithKey = 300
  /// Who has not called for the longest time is forgotten first.
  private static let clientLimit = 1000

  private var calls: [String: [SkyTime]] = [:]

  /// Counts a call; the seconds to wait where it is one too many, which does not count.
  mutating func call(by client: String, limit: Int, at now: SkyTime) -> Int? {
    var recent = recent(of: client, at: now)
    if recent.count >= limit { return seconds(until: recent[recent.count - limit], from: now) }
    recent.append(now)
    calls[client] = recent
    if calls.count > Self.clientLimit { forget(at: now) }
    return nil
  }

  /// How many calls count now, and the seconds until another may be made: 0 for at once.
  func use(of client: String, limit: Int, at now: SkyTime) -> (calls: Int, wait: Int) {
    let recent = recent(of: client, at: now)
    let wait = recent.count < limit ? 0 : seconds(until: recent[recent.count - limit], from: now)
    return (recent.count, wait)
  }

  private func recent(of client: String, at now: SkyTime) -> [SkyTime] {
    let first = now.milliseconds - Int64(Self.period) * 1000
    // A clock that was set back is no reason to wait for ever.
    return (calls[client] ?? []).filter { $0.milliseconds > first && $0 <= now }
  }

  private func seconds(until call: SkyTime, from now: SkyTime) -> Int {
    let left = call.milliseconds + Int64(Self.period) * 1000 - now.milliseconds
    return Int((left + 999) / 1000)
  }

  private mutating func forget(at now: SkyTime) {
    calls = calls.filter { ($0.value.last?.milliseconds ?? 0) > now.milliseconds - Int64(Self.period) * 1000 }
    guard calls.count > Self.clientLimit else { return }
    if let oldest = calls.min(by: { ($0.value.last ?? now) < ($1.value.last ?? now) }) {
      calls[oldest.key] = nil
    }
  }
}
