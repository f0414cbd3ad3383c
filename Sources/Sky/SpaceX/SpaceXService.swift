// The API of r/SpaceX as api.spacexdata.com answered. Its data has not changed since October 2022, and does not here.

import JSON
import Reactive

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
  /// For how many origins the entries are kept, whose links begin with it.
  private static let worldLimit = 4

  private let worlds = Locked<[(origin: String, world: SpaceXWorld)]>([])
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
    let world = world(request.origin)
    var value: Value?
    do {
      value = isQuery ? try page(request.body, of: name, version, world) : entry(name, place, world)
    } catch {
      return Self.plain(400, error.message)
    }
    guard var value else { return Self.plain(404, "Not Found") }
    if name == "launches", version == "v4" { value = Self.asVersion4(value, isPage: isQuery) }
    return answer(value, age: age, request, at: now)
  }

  // MARK: Entries

  private func world(_ origin: String) -> SpaceXWorld {
    worlds.withLock { worlds in
      if let known = worlds.first(where: { $0.origin == origin }) { return known.world }
      if worlds.count >= Self.worldLimit { worlds.removeFirst() }
      let world = SpaceXWorld(origin: origin)
      worlds.append((origin, world))
      return world
    }
  }

  private func entry(_ name: String, _ place: String?, _ world: SpaceXWorld) -> Value? {
    if let single = world.single[name] { return place == nil ? single : nil }
    let all = world.collections[name] ?? []
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
    return world.entry(place, of: name)
  }

  private func page(_ body: [UInt8], of name: String, _ version: String, _ world: SpaceXWorld)
    throws(SpaceXProblem)
    -> Value?
  {
    guard let all = world.collections[name] else { return nil }
    var asked = Value.emptyObject
    if !body.isEmpty {
      do {
        asked = try Value.parse(body)
      } catch {
        throw SpaceXProblem(message: "invalid JSON, only supports object and array")
      }
    }
    return try SpaceXQuery.page(
      asked, of: all, texts: Self.texts[name] ?? [],
      crewPath: name == "launches" && version == "v4" ? "crew.crew" : "crew", world: world.index)
  }

  /// Version 4 lists the ids of the crew, without roles.
  private static func asVersion4(_ value: Value, isPage: Bool) -> Value {
    func launch(_ value: Value) -> Value {
      SpaceXPath.changing(value, ["crew"]) { crew in
        crew.items.map { .array($0.map { $0.member("crew") ?? $0 }) } ?? crew
      }
    }
    if isPage { return SpaceXPath.changing(value, ["docs"]) { .array(($0.items ?? []).map(launch)) } }
    return value.items.map { .array($0.map(launch)) } ?? launch(value)
  }

  // MARK: Answers

  private func answer(_ value: Value, age: Int, _ request: SkyRequest, at now: SkyTime) -> SkyAnswer {
    let body = value.json
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

  /// An entity tag: the length of the body and its FNV-1a hash.
  private static func tag(_ body: [UInt8]) -> String {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in body { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "\"\(String(body.count, radix: 16))-\(String(sum, radix: 16))\""
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
