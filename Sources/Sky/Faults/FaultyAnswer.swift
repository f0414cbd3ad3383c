/// Answers as faults make them.
enum FaultyAnswer {
  /// What is answered instead; nil where the service is asked.
  static func instead(_ kinds: Set<SkyFaults.Kind>, _ request: SkyRequest, at now: SkyTime) -> SkyAnswer? {
    if kinds.contains(.reset) {
      var answer = SkyAnswer(status: 500, body: [])
      answer.delivery = .reset
      return answer
    }
    if kinds.contains(.outage) { return outage(at: now) }
    if kinds.contains(.tooMany) { return refusal(SkyPart(path: request.path)) }
    if kinds.contains(.html) {
      return SkyAnswer(
        headers: [("Content-Type", "text/html; charset=utf-8")],
        body: Array("<!doctype html><title>One moment</title><p>Checking that you are no machine.</p>\n".utf8)
      )
    }
    return nil
  }

  /// What becomes of an answer on its way.
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
    return SkyAnswer(
      status: status, headers: [("Content-Type", "text/html")],
      body: Array("<html><head><title>\(status)</title></head><body><h1>\(status)</h1></body></html>\n".utf8))
  }

  /// In the words of each service; only this one says how long to wait.
  private static func refusal(_ part: SkyPart) -> SkyAnswer {
    let (type, text, headers): (String, String, [(name: String, value: String)]) =
      switch part {
      case .launchLibrary:
        (
          "application/json", #"{"detail": "Request was throttled. Expected available in 60 seconds."}"#,
          [("Retry-After", "60")]
        )
      case .spaceX: ("text/plain; charset=utf-8", "Too Many Requests", [])
      case .apod:
        (
          "application/json",
          #"{"error":{"code":"OVER_RATE_LIMIT","message":"You have exceeded your rate limit. Try again later or contact us at https://api.nasa.gov:443/contact/ for assistance"}}"#,
          []
        )
      }
    return SkyAnswer(status: 429, headers: [("Content-Type", type)] + headers, body: Array(text.utf8))
  }
}
