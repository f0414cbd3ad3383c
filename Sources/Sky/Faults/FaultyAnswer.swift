// Which requests meet a fault, and the answers of faults.

/// The faults that a request meets.
///
/// They follow from the seed, from the request and how often it was made before, and, for an outage, from the time.
struct FaultDraw {
  /// The length of an outage, in milliseconds of the sky's time.
  static let outage: Int64 = 20 * 60 * 1000
  /// The length of a glitch, from the first request that meets it: one poll with its retries.
  static let glitch = 20.0 * 60
  /// How long the fault `wait` asks to wait, in seconds.
  static let wait = 150
  /// There is at most one glitch in this time, so that the polls before and after it are sound.
  private static let glitchPeriod = 2 * 86400

  let seed: UInt64
  let faults: SkyFaults

  /// The faults of the nth equal request.
  func kinds(_ request: SkyRequest, _ number: Int, at now: SkyTime) -> Set<SkyFaults.Kind> {
    var random = SkyRandom(seed, "fault " + Self.key(request), number)
    var found: Set<SkyFaults.Kind> = []
    for kind in SkyFaults.Kind.allCases {
      // Each fault is drawn, so that one more or less does not change the others.
      let share = Double.random(in: 0..<1, using: &random)
      switch kind {
      case .outage, .down: if isOut(kind, SkyPart(path: request.path), at: now) { found.insert(kind) }
      case .apod, .past, .empty, .partial, .withdrawn, .absent: break
      default: if share < faults.rate(kind) { found.insert(kind) }
      }
    }
    return found
  }

  /// By how many rows a list shifts: one is repeated or missed.
  func shift(_ request: SkyRequest, _ number: Int) -> Int {
    var random = SkyRandom(seed, "shift " + Self.key(request), number)
    return random.happens(0.5) ? 1 : -1
  }

  /// The number that orders launches of the same date.
  func ties(_ request: SkyRequest, _ number: Int) -> UInt64 {
    var random = SkyRandom(seed, "ties " + Self.key(request), number)
    return random.next()
  }

  /// The glitch that begins with the first request after `onset`, and the number of its period.
  func glitch(at now: SkyTime) -> (kind: SkyFaults.Kind, onset: SkyTime, period: Int)? {
    let period = now.seconds / Self.glitchPeriod
    var random = SkyRandom(seed, "glitch", period)
    let onset = SkyTime(seconds: period * Self.glitchPeriod + Int.random(in: 0..<4 * 3600, using: &random))
    let drawn = SkyFaults.Kind.glitches.filter { random.happens(faults.rate($0)) }
    return drawn.randomElement(using: &random).map { ($0, onset, period) }
  }

  /// The key under which equal requests are counted.
  static func key(_ request: SkyRequest) -> String {
    request.method + " " + request.path + request.query.map { "&\($0.name)=\($0.value)" }.joined()
  }

  private func isOut(_ kind: SkyFaults.Kind, _ part: SkyPart, at now: SkyTime) -> Bool {
    var random = SkyRandom(seed, "\(kind) \(part)", Int(now.milliseconds / Self.outage))
    return random.happens(faults.rate(kind))
  }
}

/// The service of a path: each refuses in its own words.
enum SkyPart: Sendable {
  case launchLibrary, spaceX, apod

  /// Whether the path is that of a list of launches that is alive.
  static func isLaunchList(_ path: String) -> Bool {
    ["/2.3.0/launches/", "/2.3.0/launches/upcoming/", "/2.3.0/launches/previous/"].contains(path)
  }

  init(path: String) {
    self =
      path.hasPrefix("/planetary")
      ? .apod : path.hasPrefix("/v4") || path.hasPrefix("/v5") ? .spaceX : .launchLibrary
  }
}

/// The answers of faults.
enum FaultyAnswer {
  /// The answer that replaces the one of the service, if any.
  static func instead(_ kinds: Set<SkyFaults.Kind>, _ request: SkyRequest, at now: SkyTime) -> SkyAnswer? {
    if kinds.contains(.reset) || kinds.contains(.down) {
      var answer = SkyAnswer(status: 500, body: [])
      answer.delivery = .reset
      return answer
    }
    if kinds.contains(.outage) { return outage(at: now) }
    if kinds.contains(.wait) {
      return .text(
        429, "Too many requests.\n", type: "text/plain", headers: [("Retry-After", "\(FaultDraw.wait)")])
    }
    if kinds.contains(.blank) { return .text(200, "", type: "application/json") }
    if kinds.contains(.tooMany) { return refusal(SkyPart(path: request.path)) }
    if kinds.contains(.html) {
      return .text(
        200, "<!doctype html><title>One moment</title><p>Checking that you are no machine.</p>\n",
        type: "text/html; charset=utf-8")
    }
    if kinds.contains(.notFound) {
      return .text(
        404, "<html><head><title>404 Not Found</title></head><body><h1>404 Not Found</h1></body></html>\n",
        type: "text/html")
    }
    if kinds.contains(.null) { return .text(200, "null", type: "application/json") }
    return nil
  }

  /// Applies the faults of delivery.
  static func change(_ answer: inout SkyAnswer, _ kinds: Set<SkyFaults.Kind>) {
    if kinds.contains(.type) {
      answer.headers.removeAll { $0.name.lowercased() == "content-type" }
      answer.headers.append(("Content-Type", "text/plain; charset=utf-8"))
    }
    if kinds.contains(.truncate), answer.body.count > 1 {
      answer.delivery = .truncated
    } else if kinds.contains(.drip) {
      answer.delivery = .drip
    }
  }

  private static func outage(at now: SkyTime) -> SkyAnswer {
    let status = [500, 502, 503, 504][Int(now.milliseconds / FaultDraw.outage % 4)]
    return .text(
      status, "<html><head><title>\(status)</title></head><body><h1>\(status)</h1></body></html>\n",
      type: "text/html")
  }

  /// A refusal in the words of the service; only Launch Library says how long to wait.
  private static func refusal(_ part: SkyPart) -> SkyAnswer {
    switch part {
    case .launchLibrary:
      .text(
        429, #"{"detail": "Request was throttled. Expected available in 60 seconds."}"#,
        type: "application/json", headers: [("Retry-After", "60")])
    case .spaceX: SpaceXService.plain(429, "Too Many Requests")
    case .apod: APODService.tooMany
    }
  }
}
