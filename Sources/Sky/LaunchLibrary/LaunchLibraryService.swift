// Launch Library 2 as ll.thespacedevs.com answers it.

import JSON
import Reactive
import System

/// Launch Library 2, versions 2.0.0, 2.2.0 and 2.3.0: launches, and the entries to which they refer.
///
/// The host `lldev.thespacedevs.com` has what developers get there: a third of all launches, as they were at the
/// beginning of the week, and no limit.
public final class LaunchLibraryService: SkyService {
  static let limit = CallLimit(count: 15, seconds: 3600)
  /// The limit of a key; the service has several, by price.
  static let limitWithKey = CallLimit(count: 300, seconds: 3600)

  private let world: LaunchWorld
  private let calls = Locked(CallCounter())
  private let pages = LaunchPages()

  public init(_ world: LaunchWorld) { self.world = world }

  /// The target of a path.
  private enum Target {
    enum List { case upcoming, previous, all }
    case list(List)
    case one(List, id: String)
    case things(LaunchReference.Kind, id: String?)
    case terms(LaunchTerms, id: String?)
    case throttle
  }

  public func answer(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer? {
    let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 3, let version = LaunchShape.Version(rawValue: parts[1]) else { return nil }
    guard let target = Self.target(parts.dropFirst(2).filter { !$0.isEmpty }, version) else {
      return Self.html(404, "<h1>Not Found</h1><p>The requested resource was not found on this server.</p>")
    }
    if parts.last != "" {
      let query = Self.query(request.query)
      return SkyAnswer(
        status: 301,
        headers: [("Location", request.path + "/" + query), ("Content-Type", "text/html; charset=utf-8")],
        body: [])
    }
    guard ["GET", "HEAD", "OPTIONS"].contains(request.method) else {
      return Self.json(405, Self.detail("Method \"\(request.method)\" not allowed."), request)
    }
    let hasKey = request[header: "authorization"]?.lowercased().hasPrefix("token ") == true
    let client = hasKey ? request[header: "authorization"] ?? request.client : request.client
    let limit = hasKey ? Self.limitWithKey : Self.limit
    if case .throttle = target { return throttleState(of: client, limit, request, now) }
    let isForDevelopers = request.isForDevelopers
    let now = isForDevelopers ? Self.beginningOfWeek(now) : now
    if !isForDevelopers, let wait = calls.withLock({ $0.call(by: client, [limit], at: now) }) {
      let text = "Request was throttled. Expected available in \(wait) second\(wait == 1 ? "" : "s")."
      var answer = Self.json(429, Self.detail(text), request)
      answer.headers.append(("Retry-After", "\(wait)"))
      return answer
    }
    switch target {
    case .list(let list): return page(list, version, request, now)
    case .one(let list, let id): return one(id, list, version, request, now)
    case .things(let kind, let id):
      let things = LaunchReference.all(kind, of: launches(.all, request, now))
      let shape = shape(version, .detailed, request)
      return entries(things.map { ($0.id, $0) }, id, request, write: shape.write)
    case .terms(let terms, let id): return entries(terms.values(version), id, request) { $0 }
    case .throttle: return nil
    }
  }

  private static func target(_ parts: [String], _ version: LaunchShape.Version) -> Target? {
    if parts == ["api-throttle"] { return .throttle }
    guard parts.first == version.folder else { return others(parts, version) }
    let list: Target.List =
      switch parts.dropFirst().first {
      case "upcoming": .upcoming
      case "previous": .previous
      default: .all
      }
    let rest = parts.dropFirst(list == .all ? 1 : 2)
    guard let id = rest.first else { return .list(list) }
    return rest.count == 1 ? .one(list, id: id) : nil
  }

  /// Targets other than launches.
  private static func others(_ parts: [String], _ version: LaunchShape.Version) -> Target? {
    func id(behind folder: String?) -> String?? {
      guard let words = folder?.split(separator: "/").map(String.init), parts.starts(with: words),
        parts.count <= words.count + 1
      else { return nil }
      return .some(parts.count > words.count ? parts[words.count] : nil)
    }
    for kind in LaunchReference.Kind.allCases {
      if let id = id(behind: kind.folder(version)) { return .things(kind, id: id) }
    }
    for terms in LaunchTerms.allCases {
      if let id = id(behind: terms.folder(version)) { return .terms(terms, id: id) }
    }
    return nil
  }

  /// The Monday before; 1970 began on a Thursday.
  private static func beginningOfWeek(_ now: SkyTime) -> SkyTime {
    let (day, week) = (86400, 7 * 86400)
    return SkyTime(seconds: (now.seconds - 4 * day) / week * week + 4 * day)
  }

  // MARK: - Answers

  private func launches(_ list: Target.List, _ request: SkyRequest, _ now: SkyTime) -> [LaunchState] {
    let found =
      switch list {
      case .upcoming: world.upcoming(at: now)
      case .previous: world.launches(at: now).filter { $0.net < now }
      case .all: world.launches(at: now)
      }
    return request.isForDevelopers ? found.filter(\.isForDevelopers) : found
  }

  private func shape(
    _ version: LaunchShape.Version, _ mode: LaunchShape.Mode, _ request: SkyRequest
  ) -> LaunchShape {
    LaunchShape(version: version, mode: mode, origin: request.origin, linkSuffix: Self.linkSuffix(request))
  }

  /// A page of a list, or the entry with an id.
  private func entries<Entry>(
    _ all: [(id: Int, entry: Entry)], _ id: String?, _ request: SkyRequest, write: (Entry) -> Value
  ) -> SkyAnswer {
    if let id {
      guard let found = all.first(where: { "\($0.id)" == id }) else {
        return Self.json(404, Self.detail("Not found."), request)
      }
      return Self.json(200, write(found.entry), request)
    }
    let paging = LaunchPaging(request, count: all.count)
    return Self.json(200, paging.envelope(all[paging.rows].map { write($0.entry) }), request)
  }

  private func page(
    _ list: Target.List, _ version: LaunchShape.Version, _ request: SkyRequest, _ now: SkyTime
  ) -> SkyAnswer {
    let query: LaunchQuery
    do throws(LaunchQuery.Wrong) {
      query = try LaunchQuery(request, version, defaultOrder: list == .previous ? "-net" : "net")
    } catch {
      return Self.json(400, .record([error.parameter: .array([.string(error.message)])]), request)
    }
    var found: [LaunchState] =
      switch request.listFaults.glitch {
      case .past: world.earliest
      case .empty: []
      default: query.select(launches(list, request, now))
      }
    if list == .upcoming, request[parameter: "hide_recent_previous"].flatMap(LaunchQuery.flag) == true {
      found.removeAll { $0.net < now }
    }
    let mode = request[parameter: "mode"].flatMap(LaunchShape.Mode.init) ?? .normal
    let shape = shape(version, mode, request)
    let paging = LaunchPaging(request, count: found.count)
    var rows = Array(found[paging.rows])
    if request.listFaults.isTwice, rows.count > 1 {
      var other = rows[1]
      other.apply(LaunchChange(at: now, edit: .net(other.net + 86400, other.precision)))
      rows += [rows[0], other]
    }
    return Self.json(200, paging.envelope(rows.map { pages.write($0, as: shape) }), request)
  }

  private func one(
    _ id: String, _ list: Target.List, _ version: LaunchShape.Version, _ request: SkyRequest, _ now: SkyTime
  ) -> SkyAnswer {
    guard let launch = world.launch(id, at: now), list != .upcoming || launch.leavesUpcoming > now,
      list != .previous || launch.net < now, !request.isForDevelopers || launch.isForDevelopers
    else { return Self.json(404, Self.detail("Not found."), request) }
    return Self.json(200, pages.write(launch, as: shape(version, .detailed, request)), request)
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
      ]), request)
  }

  // MARK: - Writing

  private static func linkSuffix(_ request: SkyRequest) -> String {
    request[parameter: "format"] == "json" ? "?format=json" : ""
  }

  private static func detail(_ text: String) -> Value { .record(["detail": .string(text)]) }

  static func query(_ parameters: [(name: String, value: String)]) -> String {
    if parameters.isEmpty { return "" }
    func encoded(_ text: String) -> String { percentEncoded(text, keeping: isUnreserved) }
    return "?" + parameters.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
  }

  /// JSON, or an HTML page for a browser.
  private static func json(_ status: Int, _ body: Value, _ request: SkyRequest) -> SkyAnswer {
    let accept = request[header: "accept"] ?? ""
    if accept.hasPrefix("text/html"), request[parameter: "format"] != "json" {
      let text = Writer(.pretty).text(body)
      return html(status, "<h1>Launch Library 2, simulated</h1><pre>\(text.htmlEscaped)</pre>")
    }
    return SkyAnswer(
      status: status,
      headers: [("Content-Type", "application/json"), ("Vary", "Accept"), ("Allow", "GET, HEAD, OPTIONS")],
      body: body.json)
  }

  private static func html(_ status: Int, _ body: String) -> SkyAnswer {
    SkyAnswer(
      status: status, headers: [("Content-Type", "text/html; charset=utf-8"), ("Vary", "Accept")],
      body: Array("<!doctype html><title>Launch Library 2</title>\(body)\n".utf8))
  }
}

extension SkyRequest {
  /// Whether it was sent to the host for developers.
  fileprivate var isForDevelopers: Bool {
    let host = self[header: "host"] ?? origin.split(separator: "/").last.map(String.init) ?? ""
    return host.hasPrefix("lldev.")
  }
}

extension LaunchState {
  fileprivate var isForDevelopers: Bool { number % 3 == 0 }
}
