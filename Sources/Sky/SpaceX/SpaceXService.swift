// The API of r/SpaceX as api.spacexdata.com answered. Its data has not changed since October 2022, and does not here.

import JSON
import Reactive
import System

/// The SpaceX API: launches, rockets, cores and so on at `/v4/…`, `/v5/launches`, `/latest/…`.
public final class SpaceXService: SkyService {
  /// For how many seconds the service caches an answer.
  private static let ages = [
    "launches": 20, "cores": 300, "capsules": 300, "crew": 300, "dragons": 86400, "landpads": 300,
    "launchpads": 300, "payloads": 300, "rockets": 86400, "ships": 300, "starlink": 3600, "history": 300,
    "company": 86400, "roadster": 300,
  ]
  /// The fields that `$text` searches.
  private static let texts = [
    "launches": ["name", "details"], "cores": ["serial", "last_update"],
    "capsules": ["serial", "last_update"],
    "landpads": ["name", "full_name", "details"], "launchpads": ["name", "full_name", "details"],
    "payloads": ["name"], "rockets": ["name"], "ships": ["name"],
  ]
  private static let limit = CallLimit(count: 50, seconds: 1)

  private let world = SpaceXWorld.all
  private let cache = SpaceXCache()
  private let calls = Locked(CallCounter())

  public init() {}

  public func answer(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer? {
    var parts = request.path.split(separator: "/").map(String.init)
    guard let version = parts.first, ["v4", "v5", "latest"].contains(version) else { return nil }
    parts.removeFirst()
    if calls.withLock({ $0.call(by: request.client, [Self.limit], at: now) }) != nil {
      return Self.plain(429, "Too Many Requests")
    }
    // Launches have a version 5; for the other collections 4 is the latest.
    guard let name = parts.first, let age = Self.ages[name], version != "v5" || name == "launches",
      parts.count <= 2
    else { return Self.plain(404, "Not Found") }
    let place = parts.count == 2 ? parts[1] : nil
    let isRead = request.method == "GET" || request.method == "HEAD"
    let isQuery = request.method == "POST" && place == "query"
    if !isRead && !isQuery {
      return Self.plain(["POST", "PATCH", "PUT", "DELETE"].contains(request.method) ? 401 : 404, nil)
    }
    if let single = world.single[name] {
      return place == nil ? answer(single, age: age, request, at: now) : Self.plain(404, "Not Found")
    }
    let isVersion4 = version == "v4" && name == "launches"
    let all = isVersion4 ? world.launchesOfVersion4 : world.collections[name] ?? []
    do {
      guard let value = isQuery ? try page(request.body, of: all, name) : entry(place, of: all, name) else {
        return Self.plain(404, "Not Found")
      }
      return answer(value, age: age, request, at: now)
    } catch {
      return Self.plain(400, error.message)
    }
  }

  // MARK: Entries

  private func entry(_ place: String?, of all: [Value], _ name: String) -> Value? {
    guard let place else { return .array(all) }
    if name == "launches" {
      func isUpcoming(_ launch: Value) -> Bool { launch.member("upcoming")?.bool == true }
      switch place {
      case "past": return .array(all.filter { !isUpcoming($0) })
      case "upcoming": return .array(all.filter(isUpcoming))
      case "latest": return all.last { !isUpcoming($0) }
      case "next": return all.first(where: isUpcoming)
      default: break
      }
    }
    return all.first { $0.member("id")?.string == place }
  }

  private func page(_ body: [UInt8], of all: [Value], _ name: String) throws(SpaceXProblem) -> Value {
    let asked: Value
    do {
      asked = try body.isEmpty ? .emptyObject : Value.parse(body)
    } catch {
      throw SpaceXProblem(message: "invalid JSON, only supports object and array")
    }
    return try SpaceXQuery.page(asked, of: all, texts: Self.texts[name] ?? [], world: world.index)
  }

  // MARK: Answers

  private func answer(_ value: Value, age: Int, _ request: SkyRequest, at now: SkyTime) -> SkyAnswer {
    let text = String(decoding: value.json, as: UTF8.self)
    let body = Array(text.replacing(SpaceXWorld.origin, by: request.origin).utf8)
    let tag = Self.tag(body)
    let isHit = cache.has("\(request.method) \(request.path) \(Self.tag(request.body))", for: age, at: now)
    let headers: [(name: String, value: String)] = [
      ("Content-Type", "application/json; charset=utf-8"), ("ETag", tag), ("Cache-Control", "max-age=\(age)"),
      ("Access-Control-Allow-Origin", "*"), ("spacex-api-cache", isHit ? "HIT" : "MISS"),
      ("spacex-api-cache-online", "true"),
      ("spacex-api-response-time", isHit ? "2ms" : "24ms"),
    ]
    if request.method != "POST", request[header: "if-none-match"]?.hasTag(tag) == true {
      return SkyAnswer(status: 304, headers: headers.filter { $0.name != "Content-Type" }, body: [])
    }
    return SkyAnswer(headers: headers, body: body)
  }

  private static func plain(_ status: Int, _ text: String?) -> SkyAnswer {
    .text(
      status, text ?? (status == 401 ? "Unauthorized" : "Not Found"), type: "text/plain; charset=utf-8",
      headers: [
        ("Cache-Control", "no-store"), ("Access-Control-Allow-Origin", "*"),
        ("spacex-api-cache-online", "true"),
      ])
  }

  /// An entity tag: the length of the body and its hash.
  private static func tag(_ body: [UInt8]) -> String {
    "\"\(String(body.count, radix: 16))-\(StableHash(body).digits)\""
  }
}

/// Which answers the service has in its cache; a header reports it.
private final class SpaceXCache: Sendable {
  private static let limit = 500

  private let ends = Locked<[String: SkyTime]>([:])

  /// Whether an answer is in the cache; if not, it is from now on.
  func has(_ name: String, for seconds: Int, at now: SkyTime) -> Bool {
    ends.withLock { ends in
      if let end = ends[name], now < end, now >= end + Double(-seconds) { return true }
      if ends.count >= Self.limit { ends.removeAll() }
      ends[name] = now + Double(seconds)
      return false
    }
  }
}
