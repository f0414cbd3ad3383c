// NASA's Astronomy Picture of the Day as api.nasa.gov answers it.

import JSON
import Reactive

/// The pictures of the day, by ranges of days or random ones: `/planetary/apod`.
public final class APODService: SkyService {
  private static let fields = ["count", "start_date", "end_date", "thumbs"]
  private static let allowed =
    "Allowed request fields for apod method are " + fields.map { "'\($0)'" }.joined(separator: ", ")

  private static let limits = [CallLimit(count: 1000, seconds: 3600)]
  private static let demoLimits = [
    CallLimit(count: 30, seconds: 3600), CallLimit(count: 50, seconds: 24 * 3600),
  ]

  private let seed: UInt64
  private let calendar: APODCalendar
  private let calls = Locked(CallCounter())

  /// With `badDay`, the service fails on one day of each month, and on each range that contains it.
  public init(seed: UInt64, badDay: Bool = false) {
    self.seed = seed
    calendar = APODCalendar(seed: seed, hasBadDays: badDay)
  }

  public func answer(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer? {
    guard request.path == "/planetary/apod" || request.path == "/planetary/apod/" else { return nil }
    guard let key = request[parameter: "api_key"], !key.isEmpty else {
      return Self.refusal(
        403, "API_KEY_MISSING", "No api_key was supplied. Get one at https://api.nasa.gov:443")
    }
    // The demonstration key is counted for each client by itself.
    let isDemo = key == "DEMO_KEY"
    let limits = isDemo ? Self.demoLimits : Self.limits
    let client = isDemo ? "DEMO_KEY \(request.client)" : key
    let (wait, left) = calls.withLock { calls in
      (calls.call(by: client, limits, at: now), calls.use(of: client, limits, at: now).left)
    }
    var answer: SkyAnswer
    if let seconds = wait {
      answer = Self.tooMany
      answer.headers.append(("Retry-After", "\(seconds)"))
    } else {
      do {
        answer = Self.json(try value(request, at: now))
      } catch {
        answer = Self.abort(error)
      }
    }
    answer.headers += [
      ("X-RateLimit-Limit", "\(limits[0].count)"), ("X-RateLimit-Remaining", "\(left)"),
    ]
    return answer
  }

  private func value(_ request: SkyRequest, at now: SkyTime) throws(APODProblem) -> Value {
    for (name, _) in request.query where name != "api_key" && !Self.fields.contains(name) {
      throw APODProblem(message: "Bad Request: incorrect field passed. \(Self.allowed)")
    }
    let (start, end) = (request[parameter: "start_date"], request[parameter: "end_date"])
    let found: [SkyDate] =
      switch (start, end, request[parameter: "count"]) {
      case (let start?, let end, nil): try days(start, end, at: now)
      case (nil, nil, let count?): try someDays(count, at: now)
      default: throw APODProblem(message: "Bad Request: invalid field combination passed. \(Self.allowed)")
      }
    return .array(
      found.map { date in
        APODDay(seed: seed, date: date, at: now, in: calendar).value(
          origin: request.origin, hasThumbnail: request[parameter: "thumbs"] != nil)
      })
  }

  private func days(_ start: String, _ end: String?, at now: SkyTime) throws(APODProblem) -> [SkyDate] {
    let first = try date(start, at: now)
    let last = try end.map { end throws(APODProblem) in try date(end, at: now) } ?? now.date
    if first > last { throw APODProblem(message: "start_date cannot be after end_date") }
    var days: [SkyDate] = []
    for number in first.days...last.days where calendar.has(SkyDate(days: number), at: now) {
      if calendar.isBad(SkyDate(days: number)) {
        throw APODProblem(status: 500, message: "Internal Service Error")
      }
      days.append(SkyDate(days: number))
    }
    return days
  }

  /// Random days, which follow from the time; bad days are left out.
  private func someDays(_ text: String, at now: SkyTime) throws(APODProblem) -> [SkyDate] {
    guard let count = Int(text) else {
      throw APODProblem(message: "invalid literal for int() with base 10: '\(text)'")
    }
    guard (1...100).contains(count) else {
      throw APODProblem(message: "Count must be positive and cannot exceed 100")
    }
    var random = SkyRandom(seed, "apod count", Int(now.milliseconds))
    let last = calendar.latest(at: now).days
    let possible = last - APODCalendar.first.days + 1
    var days: [SkyDate] = []
    var seen: Set<SkyDate> = []
    // In the first months of the service there are fewer days than may be asked for.
    for _ in 0..<count * 20 where days.count < count && seen.count < possible {
      let date = SkyDate(days: Int.random(in: APODCalendar.first.days...last, using: &random))
      guard seen.insert(date).inserted, calendar.has(date, at: now), !calendar.isBad(date) else { continue }
      days.append(date)
    }
    return days
  }

  private func date(_ text: String, at now: SkyTime) throws(APODProblem) -> SkyDate {
    guard let date = SkyDate(text) else {
      throw APODProblem(message: "time data '\(text)' does not match format '%Y-%m-%d'")
    }
    guard date >= APODCalendar.first, date <= now.date else {
      throw APODProblem(
        message: "Date must be between \(APODCalendar.first.american) and \(now.date.american).")
    }
    return date
  }

  // MARK: Answers

  /// An error of the service itself.
  private static func abort(_ problem: APODProblem) -> SkyAnswer {
    json(
      .record(["code": .number(problem.status), "msg": .string(problem.message), "service_version": "v1"]),
      status: problem.status)
  }

  /// An error of the gateway in front of it, which has another shape.
  private static func refusal(_ status: Int, _ code: String, _ message: String) -> SkyAnswer {
    json(.record(["error": .record(["code": .string(code), "message": .string(message)])]), status: status)
  }

  static var tooMany: SkyAnswer {
    refusal(
      429, "OVER_RATE_LIMIT",
      "You have exceeded your rate limit. Try again later or contact us at https://api.nasa.gov:443/contact/ for assistance"
    )
  }

  private static func json(_ value: Value, status: Int = 200) -> SkyAnswer {
    SkyAnswer(
      status: status, headers: [("Content-Type", "application/json"), ("Access-Control-Allow-Origin", "*")],
      body: value.json + [0x0a])
  }
}
