// Launch Library 2 as ll.thespacedevs.com answers it.

import JSON
import Reactive
import System

/// The lists of launches of Launch Library 2, and single launches: version 2.3.0 of a world that is alive, 2.2.0 and
/// 2.0.0 recorded at its start.
public final class LaunchLibraryService: SkyService {
  static let limit = CallLimit(count: 15, seconds: 3600)
  /// The limit of a key; the service has several, by price.
  static let limitWithKey = CallLimit(count: 300, seconds: 3600)
  /// The folder of launches in the paths of each version.
  static let folders = ["2.0.0": "launch", "2.2.0": "launch", "2.3.0": "launches"]

  private let world: LaunchWorld
  private let calls = Locked(CallCounter())
  private let pages = LaunchPages()

  public init(_ world: LaunchWorld) { self.world = world }

  public func answer(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer? {
    let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 3, let folder = Self.folders[parts[1]] else { return nil }
    let rest = parts.dropFirst(2).filter { !$0.isEmpty }
    let isThrottle = rest == ["api-throttle"]
    guard isThrottle || rest.first == folder && rest.count <= 2 else { return Self.notFound }
    if parts.last != "" {
      return SkyAnswer(
        status: 301, headers: [("Location", request.path + "/" + Self.query(request.query))], body: [])
    }
    guard ["GET", "HEAD", "OPTIONS"].contains(request.method) else {
      return Self.json(405, Self.detail("Method \"\(request.method)\" not allowed."))
    }
    let key = request[header: "authorization"].flatMap { $0.lowercased().hasPrefix("token ") ? $0 : nil }
    let (client, limit) = key.map { ($0, Self.limitWithKey) } ?? (request.client, Self.limit)
    if isThrottle { return throttleState(of: client, limit, request, now) }
    if let wait = calls.withLock({ $0.call(by: client, [limit], at: now) }) {
      let text = "Request was throttled. Expected available in \(wait) second\(wait == 1 ? "" : "s")."
      var answer = Self.json(429, Self.detail(text))
      answer.headers.append(("Retry-After", "\(wait)"))
      return answer
    }
    let place = rest.count == 2 ? rest[1] : ""
    if let recorded = RecordedLaunch.all[parts[1]] {
      return Self.answer(place, request) { list in
        recorded.filter { list == .all || (list == .upcoming ? $0.isUpcoming : $0.isPrevious) }
      } one: { id in
        recorded.first { $0.id == id }
      } write: {
        $0.value($1, origin: request.origin)
      }
    }
    return Self.answer(place, request) { list in
      switch (request.listFaults.glitch, list) {
      case (.past, _): world.earliest
      case (.empty, _): []
      case (_, .upcoming): world.upcoming(at: now)
      case (_, .previous): world.launches(at: now).filter { $0.net < now }
      case (_, .all): world.launches(at: now)
      }
    } one: {
      world.launch($0, at: now)
    } write: {
      pages.write($0, as: LaunchShape(mode: $1, origin: request.origin))
    }
  }

  // MARK: - Answers

  private enum List: String { case upcoming, previous, all = "" }

  /// A page of a list, or the launch with an id.
  private static func answer<Launch: ListedLaunch>(
    _ place: String, _ request: SkyRequest, list: (List) -> [Launch], one: (String) -> Launch?,
    write: (Launch, LaunchMode) -> Value
  ) -> SkyAnswer {
    guard let kind = List(rawValue: place) else {
      return one(place).map { json(200, write($0, .detailed)) } ?? notFound
    }
    let query: LaunchQuery
    do throws(LaunchQuery.InvalidParameter) {
      query = try LaunchQuery(request, defaultOrder: kind == .previous ? "-net" : "net")
    } catch {
      return json(400, .record([error.parameter: .array([.string(error.message)])]))
    }
    let found = query.select(list(kind))
    let paging = LaunchPaging(request, count: found.count)
    let rows = found[paging.rows]
    let mode = request[parameter: "mode"].flatMap(LaunchMode.init) ?? .normal
    var results = rows.map { write($0, mode) }
    if request.listFaults.isTwice, let second = rows.dropFirst().first {
      results += [results[0], results[1].adding(["net": .moment(second.net + 86400)])]
    }
    return json(200, paging.envelope(results))
  }

  private func throttleState(of client: String, _ limit: CallLimit, _ request: SkyRequest, _ now: SkyTime)
    -> SkyAnswer
  {
    let use = calls.withLock { $0.use(of: client, [limit], at: now) }
    return Self.json(
      200,
      .record([
        "your_request_limit": .count(limit.count), "limit_frequency_secs": .count(limit.seconds),
        "current_use": .count(use.calls), "next_use_secs": .count(use.wait), "ident": .string(request.client),
      ]))
  }

  // MARK: - Writing

  private static let notFound = json(404, detail("Not found."))

  private static func detail(_ text: String) -> Value { .record(["detail": .string(text)]) }

  static func query(_ parameters: [(name: String, value: String)]) -> String {
    if parameters.isEmpty { return "" }
    func encoded(_ text: String) -> String { percentEncoded(text, keeping: isUnreserved) }
    return "?" + parameters.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
  }

  private static func json(_ status: Int, _ body: Value) -> SkyAnswer {
    SkyAnswer(status: status, headers: [("Content-Type", "application/json")], body: body.json)
  }
}
