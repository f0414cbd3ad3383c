import Connectors
import Delivery
import Engine
import Fetch
import JSON
import Language
import Reactive
import Store
import System

/// `flow new --from`: looks at what an address or a file contains, twice for an address, and writes a pipeline for it.
struct NewFromAddress {
  /// The time between the two requests.
  static let pause = Duration.seconds(3)

  /// Whether `--from` names an address, and not a pipeline, a file or a database.
  static func isAddress(_ text: String) -> Bool { text.has("://") && !isDatabase(text) }

  static func isDatabase(_ text: String) -> Bool { FoundTable.isDatabase(text) }

  /// Whether it names a file that is no pipeline.
  static func isData(_ text: String) -> Bool {
    InstalledPipelines.isFile(text) && !InstalledPipelines.isPipeline(splitPath(text).name)
  }

  /// The name for `https://example.org/stations.json?x=1` is stations.
  static func name(of address: String) -> String {
    let rest = address.split(separator: "?")[0].split(separator: "/")
    let last = rest.count > 2 ? rest.last : rest.last?.split(separator: ":").first
    guard let last, last.contains(where: \.isLetter) else { return "my-pipeline" }
    return NewCommand.name(of: String(last))
  }

  let name: String
  /// Writes a line for a person as soon as it is known.
  let report: (String) -> Void

  // MARK: - Files

  /// The pipeline for a file, which is read at each poll.
  func pipeline(forFile path: String) throws -> String {
    let text = FoundFormat.Text(file: path, try readFile(path, limit: TransferLimits().bodyBytes))
    let format = try FoundFormat(of: text)
    report("\(path): \(format.name)")
    var options = [(name: "command", yaml: "[cat, \(FlowYAML.quoted(path))]")]
    if let decode = format.decode { options.append(("decode", decode)) }
    var source = PipelineDraft.Source("exec", options, every: "1m")
    source.form = format.form
    let sketch = PipelineDraft(name: name, of: source, response: try format.value(of: text))
    show(sketch)
    return sketch.text
  }

  /// The pipeline for a table of a database: the one that is named as the pipeline, or the first.
  func pipeline(forDatabase address: String) throws -> String {
    guard let table = try FoundTable(at: address, preferring: name) else {
      throw Sentence("\(FoundTable.shown(address)): there is no table in it")
    }
    report("\(table.database): the table \(table.name)")
    var source = PipelineDraft.Source(
      "sql", [("url", FlowYAML.quoted(table.url)), ("query", FlowYAML.quoted(table.query))], every: "1m")
    source.key = table.key
    let sketch = PipelineDraft(name: name, of: source, response: table.rows)
    if !table.others.isEmpty {
      show([("others", "\(table.others.joined(separator: ", ")): flow new TABLE --from … is for one of them")]
      )
    }
    show(sketch)
    return sketch.text
  }

  // MARK: - Addresses

  /// The pipeline for an address; throws a sentence about what went wrong.
  func pipeline(for new: NewRequest, isOnce: Bool) throws -> String {
    var request = new.request
    request.expectation = .anything
    request.isTriedOnce = true
    request.limits.whole = .seconds(60)
    // As http asks for JSON; a page or a table comes where there is none.
    if !request.headers.contains(where: { $0.name.lowercased() == "accept" }) {
      request.headers.append(Header("Accept", "application/json, */*;q=0.5"))
    }
    let client = try Self.client()
    guard let response = try first(request, by: client, isAuthorized: new.isAuthorized) else {
      return streaming(new)
    }
    let text = FoundFormat.Text(response)
    if let flaw = FoundPage.flaw(title: response.pageTitle) {
      throw Sentence("\(request): \(request.masked(flaw))")
    }
    let format: FoundFormat
    do { format = try FoundFormat(of: text) } catch {
      if FoundPage.isShell(response.bytes, text: ""), let text = rendered(new, isOnce: isOnce) { return text }
      throw Sentence("\(request): this cannot be read: \(request.masked("\(error)"))")
    }
    report("\(request.masked("\(request.address)")): \(format.name)")
    var source = PipelineDraft.Source(
      "http", new.options + (format.decode.map { [(name: "decode", yaml: $0)] } ?? []), every: "15m")
    source.form = format.form
    let value = try format.value(of: text)
    if FoundPage.isShell(
      response.bytes, text: format.form == .text ? value.element(0)?.member("text")?.string : nil)
    {
      if let text = rendered(new, isOnce: isOnce) { return text }
      report(
        "it has hardly any text of its own, which a script would add: with browser: true it is read as Chromium shows "
          + "it, with browser: { response: '/api/*' } by the JSON that it requests (flow docs http)")
    }
    let paging = FoundPaging(
      of: format.decode == nil ? value : .null, to: request, link: response.headers.link("next"),
      second: isOnce
        ? nil : { try format.value(of: FoundFormat.Text(fetch($0, by: client, isAuthorized: true))) })
    (source.paging, source.pages) = (paging.options, paging.findings)
    var sketch = PipelineDraft(name: name, of: source, response: value)
    show(sketch)
    if !isOnce {
      MonotonicClock.sleep(until: MonotonicClock.now + Self.pause)
      do {
        let later = FoundFormat.Text(try fetch(request, by: client, isAuthorized: true))
        sketch.compare(with: try format.value(of: later), after: DurationText.format(Self.pause))
        if let found = sketch.findings.last { show([found]) }
      } catch {
        show([
          (
            "two polls",
            "the second one failed, so what always changes is not known: \(request.masked("\(error)"))"
          )
        ])
      }
    }
    showRest(of: new)
    return sketch.text
  }

  /// The pipeline for a page that its scripts fill in, as Chromium shows it; nil where that is not possible, which is
  /// reported.
  private func rendered(_ new: NewRequest, isOnce: Bool) -> String? {
    if new.isAuthorized || !new.request.headers.isEmpty || new.request.method != .get {
      report("its scripts fill it in, and Chromium does not send the headers and the body of this request")
      return nil
    }
    do {
      let browser = try RenderedPage.browser()
      report("its scripts fill it in, so Chromium opens it")
      let offers = try RenderedPage(new, named: name, by: browser).offers
      guard let best = offers.first else {
        report(
          "  rows      none: nothing is repeated in it, and it requests no list; flow new --pick is for parts of it"
        )
        return nil
      }
      show(offers.map { ("found", new.request.masked($0.text)) })
      var source = PipelineDraft.Source("http", new.options + best.options, every: "15m")
      source.map = best.map
      source.comments = Self.comments(offers)
      var sketch = PipelineDraft(name: name, of: source, response: best.value)
      show(sketch)
      if !isOnce {
        MonotonicClock.sleep(until: MonotonicClock.now + Self.pause)
        let later = try RenderedPage(new, named: name, by: browser).offers
        if let same = later.first(where: { $0.options.map(\.yaml) == best.options.map(\.yaml) }) {
          sketch.compare(with: same.value, after: DurationText.format(Self.pause))
          if let found = sketch.findings.last { show([found]) }
        }
      }
      showRest(of: new)
      return sketch.text
    } catch {
      report("its scripts fill it in; \(new.request.masked("\(error)"))")
      return nil
    }
  }

  /// The other lists of a page, as lines for the beginning of the file.
  private static func comments(_ offers: [RenderedPage.Offer]) -> [String] {
    let others = offers.dropFirst().prefix(5).map { offer in
      "  \(offer.options.map { "\($0.name): \($0.yaml)" }.joined(separator: ", "))\n    \(offer.text)"
    }
    if others.isEmpty { return ["Its scripts fill the page in; this is read as Chromium shows it."] }
    return [
      "Its scripts fill the page in; this is read as Chromium shows it. Also there, in place of these options:"
    ]
      + others.flatMap { $0.split(separator: "\n").map(String.init) }
  }

  /// The response to the first request; nil where it is a stream of events, whose end is not waited for.
  private func first(_ request: Request, by client: Client, isAuthorized: Bool) throws -> Response? {
    let stream = FoundStream()
    var request = request
    request.receiver = stream
    request.limits.isEndless = true
    do { return try fetch(request, by: client, isAuthorized: isAuthorized, stop: stream.sign) } catch {
      if stream.sign.isSet { return nil }
      throw error
    }
  }

  /// The pipeline for server-sent events.
  private func streaming(_ new: NewRequest) -> String {
    report("\(new.request.masked("\(new.request.address)")): server-sent events")
    var source = PipelineDraft.Source("http", new.options + [("stream", "sse")], every: "")
    source.form = .events
    let sketch = PipelineDraft(name: name, of: source, response: .null)
    show(sketch)
    showRest(of: new)
    return sketch.text
  }

  private func showRest(of new: NewRequest) {
    if !new.omitted.isEmpty {
      show([
        ("left out", "\(new.omitted.joined(separator: ", ")), which are about the browser and the connection")
      ])
    }
    for variable in new.variables {
      report(
        "  \(variable.name) has to be set for flow run: it is \(variable.what), which is not in the file")
    }
  }

  /// The text of a page as it is served; nil where it cannot be had.
  static func page(_ request: Request) -> [UInt8]? {
    var request = request
    (request.expectation, request.isTriedOnce, request.limits.whole) = (.anything, true, .seconds(20))
    return try? client().fetch(request).bytes
  }

  private static func client() throws -> Client {
    let transport = try CurlTransport(
      .init(
        userAgent: "flow/\(VersionCommand.version)",
        proxyEnvironment: ProxyEnvironment { Terminal.environment($0) }))
    return Client(
      transport, file: try WebFile(), on: SerialScheduler(name: "flow-new"), wallClock: World.real.wallClock)
  }

  private func fetch(
    _ request: Request, by client: Client, isAuthorized: Bool, stop: StopSign? = nil
  ) throws -> Response {
    do throws(FetchError) { return try client.fetch(request, stop: stop) } catch {
      guard let status = error.status, [401, 403].contains(status), !isAuthorized else { throw error }
      throw Sentence(
        "\(error)\n  hint: with a token, --bearer NAME, the variable of the environment that has it; "
          + "else --header 'Name: value', or --from-curl 'curl …' as a browser copies it")
    }
  }

  private func show(_ sketch: PipelineDraft) { show(sketch.findings) }

  private func show(_ findings: [(label: String, text: String)]) {
    for finding in findings {
      report(
        "  \(finding.label)\(String(repeating: " ", count: max(1, 10 - finding.label.count)))\(finding.text)")
    }
  }
}
