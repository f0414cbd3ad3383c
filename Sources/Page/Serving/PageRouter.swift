import Engine
import JSON

/// The router: the answer of each address.
///
/// It has no state. What a reader can change is a cookie, when a source is polled, and the end of dead letters.
package struct PageRouter: Sendable {
  let hub: PageHub
  let guarding: PageGuard
  private let probes: PageProbes?
  private let documents: PageDocuments
  private static let unitsCookie = "flow_units"

  package init(_ hub: PageHub, _ guarding: PageGuard, _ probes: PageProbes? = nil) {
    self.probes = probes
    self.hub = hub
    self.guarding = guarding
    documents = PageDocuments(hub, hasPictures: guarding.hasPictures)
  }

  package func answer(_ request: PageRequest) -> PageAnswer {
    var answer = guarding.refusal(of: request) ?? route(request)
    answer.headers += guarding.headers
    if !answer.headers.contains(where: { $0.name == "Cache-Control" }) {
      answer.headers.append(("Cache-Control", "no-cache"))
    }
    return answer
  }

  private func route(_ request: PageRequest) -> PageAnswer {
    if let probes, request.isRead, PageProbes.paths.contains(request.path) {
      return probes.answer(at: request.path, listsProblems: guarding.token == nil)
    }
    // Segments are compared whole, so that `..` is a name like any other, which nothing has.
    let segments = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(
      String.init)
    switch (request.method, segments) {
    case ("POST", ["settings"]): return settings(request)
    case ("POST", let path) where path.count == 2 && path[0] == "p": return poll(path[1], request)
    case ("POST", let path) where path.count == 3 && path[0] == "p":
      return request.field("key").map { acknowledge($0, by: path[2], of: path[1]) }
        ?? resolve(path[2], of: path[1], request)
    case ("POST", _): return missing
    case (_, [""]): return PageAnswer(documents.overview())
    case (_, let path) where path.first == "p" && (2...3).contains(path.count):
      let key = request.query.first { $0.name == "why" }?.value
      return pipeline(path.count == 2 ? .pipeline(path[1]) : .node(path[2], of: path[1]), why: key)
    case (_, let path) where path.prefix(2) == ["live", "p"] && [2, 4].contains(path.count):
      return updates(
        of: path.count == 2 ? .overview : path[3].isEmpty ? .pipeline(path[2]) : .node(path[3], of: path[2]))
    case (_, ["favicon.ico"]): return PageAsset.icon.answer
    case (_, let path) where path.count == 2 && path[0] == "assets":
      return PageAsset.all.first { $0.name == path[1] }?.answer ?? missing
    case (_, let path) where path.count == 3 && path[0] == "v":
      return view(path[1], path[2], request)
    case (_, let path) where path.count == 4 && path[0] == "v":
      guard let view = hub.view(at: [path[1], path[2]]), let row = view.snapshot.rows[path[3]] else {
        return missing
      }
      return PageAnswer(documents.page(of: row, in: view, query(request).units))
    case (_, let path)
    where path.count == 5 && path[0] == "v"
      && [RowFragments.screenshots.after, RowFragments.screenshots.before].contains(path[4]):
      let row = hub.view(at: [path[1], path[2]])?.snapshot.rows[path[3]]
      return row?.screenshot(path[4]).map { PageAnswer(200, "image/png", $0) } ?? missing
    case (_, let path) where path.count == 3 && path[0] == "live":
      guard let view = hub.view(at: [path[1], path[2]]) else { return missing }
      return PageAnswer(updates(of: view, request))
    default: return missing
    }
  }

  private var missing: PageAnswer {
    PageAnswer(404, documents.failure("Not found", "There is nothing at this address. The row may be gone."))
  }

  private func pipeline(_ page: PipelineDocuments.Page, why key: String?) -> PageAnswer {
    documents.page(about: page, why: key).map { PageAnswer($0) } ?? missing
  }

  private func updates(of page: PipelineDocuments.Page) -> PageAnswer {
    hub.run.map { PageAnswer(StatusUpdates(page, PipelineDocuments(hub, $0))) } ?? missing
  }

  /// Polls a source of a pipeline, and shows the pipeline.
  private func poll(_ pipeline: String, _ request: PageRequest) -> PageAnswer {
    guard let source = request.field("source"), hub.run?.monitor.poll(source, of: pipeline) == true else {
      return PageAnswer(
        409,
        documents.failure("Not possible", "This source cannot be polled now: it has ended, or is not polled.")
      )
    }
    return .redirect(to: back(of: request) ?? Link(path: ["p", pipeline]))
  }

  /// Retries or drops dead letters of a node, and shows the node.
  private func resolve(_ sink: String, of pipeline: String, _ request: PageRequest) -> PageAnswer {
    let number = request.field("number")
    guard let way = request.field("way").flatMap({ DeadLetterEnd(rawValue: $0) }),
      number == nil || number.flatMap({ Int64($0) }) != nil,
      hub.run?.monitor.resolve(number.flatMap { Int64($0) }.map { [$0] }, of: sink, in: pipeline, by: way)
        == true
    else {
      return PageAnswer(
        409,
        documents.failure(
          "Not possible", "Dead letters can be retried and dropped here while their pipeline runs."))
    }
    return .redirect(to: Link(path: ["p", pipeline, sink]))
  }

  /// Ends the repetition of a key, and shows the sink.
  private func acknowledge(_ key: String, by sink: String, of pipeline: String) -> PageAnswer {
    guard hub.run?.monitor.acknowledge(key, in: pipeline) == true else {
      return PageAnswer(
        409,
        documents.failure(
          "Not acknowledged",
          "Nothing is repeated with this key any more, or it could not be committed, or not in time; reload the page to see."
        ))
    }
    return .redirect(to: Link(path: ["p", pipeline, sink]))
  }

  private func query(_ request: PageRequest) -> PageQuery {
    var query = PageQuery(request.query)
    query.units = request.cookie(Self.unitsCookie).flatMap { PageForm.Units(rawValue: $0) }
    return query
  }

  private func view(_ pipeline: String, _ name: String, _ request: PageRequest) -> PageAnswer {
    let query = query(request)
    if let view = hub.view(at: [pipeline, name]) { return PageAnswer(documents.page(of: view, query)) }
    guard let dot = name.lastIndex(of: "."), let view = hub.view(at: [pipeline, String(name[..<dot])]),
      let format = PageExport.Format(rawValue: String(name[name.index(after: dot)...]))
    else { return missing }
    let export = PageExport(view, now: hub.now(), origin: "http://\(request.headers["host"] ?? "")")
    return PageAnswer(200, format.type, export.bytes(format, query))
  }

  private func updates(of view: PageView, _ request: PageRequest) -> PageUpdates {
    let query = query(request)
    let row = request.query.first { $0.name == "row" }?.value
    // What the browser sends when it reconnects is newer than what the page was made with.
    let since = request.headers["last-event-id"] ?? request.query.first { $0.name == "since" }?.value
    return PageUpdates(view, query, row: row, since: since, documents)
  }

  /// The view, or the row of one, that a form goes back to.
  private func back(of request: PageRequest) -> Link? {
    let path = (request.field("back") ?? "").split(separator: "/").map(String.init)
    return hub.view(at: Array(path.prefix(2))).map {
      Link(path: ["v"] + $0.path + path.dropFirst(2).prefix(1))
    }
  }

  /// Stores a reader's choice in a cookie.
  private func settings(_ request: PageRequest) -> PageAnswer {
    guard let units = request.field("units").flatMap({ PageForm.Units(rawValue: $0) }) else {
      return PageAnswer(400, documents.failure("Not possible", "There is no such setting."))
    }
    let link = back(of: request) ?? Link(path: [])
    let cookie = "\(Self.unitsCookie)=\(units.rawValue); Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict"
    return .redirect(to: link, [("Set-Cookie", cookie)])
  }
}

/// The updates of a page about pipelines: those of its parts that differ from what the tab has.
///
/// They have no ids: a tab that reconnects gets each part as it is then.
package struct StatusUpdates: PageFeed {
  private let documents: PipelineDocuments
  private let page: PipelineDocuments.Page
  private var sent: [String: [UInt8]] = [:]
  private var isFirst = true

  init(_ page: PipelineDocuments.Page, _ documents: PipelineDocuments) {
    (self.page, self.documents) = (page, documents)
  }

  package func join(_ notify: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let run = documents.run
    let number = run.join(page.pipeline, notify)
    return { run.leave(number) }
  }

  package mutating func next() -> [UInt8] {
    defer { isFirst = false }
    var parts: [(String, Value)] = []
    for part in documents.parts(of: page) where sent[part.id] != part.html.bytes {
      sent[part.id] = part.html.bytes
      parts.append((part.id, .string(part.html.string)))
    }
    let event =
      parts.isEmpty ? [] : Array("event: parts\ndata: ".utf8) + Value.record(parts).json + Array("\n\n".utf8)
    return isFirst ? Array("retry: 1000\n\n".utf8) + event : event
  }
}
