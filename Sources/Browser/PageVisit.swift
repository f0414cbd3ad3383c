import Fetch
import JSON
import Reactive
import System

/// A visit to a page: navigation, actions, waits, and the response that is made of what it shows.
struct PageVisit {
  /// How long a page that has loaded gets to come to rest, where the order does not ask for it.
  private static let courtesy = Duration.seconds(5)
  /// How long a cookie banner may take to appear.
  private static let bannerTime = Duration.seconds(1)

  private let page: PageSession
  private let address: Address
  private let limits: TransferLimits
  private let pictures: PagePictures?
  private let waiting: PageWaiting
  private var order: PageOrder { page.order }

  init(_ page: PageSession, to address: Address, _ limits: TransferLimits, pictures: String?) {
    (self.page, self.address, self.limits) = (page, address, limits)
    self.pictures = pictures.map { PagePictures($0, of: page.order.source, page: "\(address)") }
    waiting = PageWaiting(page: page, end: MonotonicClock.now + limits.whole)
  }

  /// Reads the page; an error names its picture, where there is one.
  func response() throws(TransferError) -> TransferResponse {
    do throws(TransferError) {
      var response = try read()
      let usage = page.usage
      response.remark =
        "\(page.requests) requests, \(usage.bytes) bytes"
        + (usage.refused.isEmpty ? "" : ", refused: \(usage.refused.sorted().joined(separator: ", "))")
      if order.picture != nil, response.status < 400 {
        guard pictures != nil else {
          throw TransferError(.failed, "a screenshot is kept with the state, and this run has none")
        }
        response.picture = try picture(of: pictures, until: waiting.deadline)
      }
      return response
    } catch {
      let kept =
        order.picture == nil
        ? nil : try? picture(of: pictures?.ofFailures, until: MonotonicClock.now + .seconds(3))
      throw TransferError(error.kind, error.message + (kept.map { "; a picture of it is \($0.path)" } ?? ""))
    }
  }

  /// Reads the page with all that a pipeline could take of it.
  func survey() throws(TransferError) -> PageSurvey {
    let response = try read()
    let deadline = MonotonicClock.now + PageSession.commandTime
    while page.awaitsData, try page.pump(until: deadline) {}
    let mark = "data-flow-\(String(UInt32.random(in: .min ... .max), radix: 36))"
    let found = try page.evaluate(PageScripts.survey(mark), until: deadline)
    func number(_ name: String) -> Int { found.member(name)?.double.map { Int($0) } ?? 0 }
    let (width, height) = (max(1, number("width")), max(1, min(number("height"), PageSurvey.mostHeight)))
    let clip: [(String, Value)] = [
      ("x", .number(0)), ("y", .number(0)), ("width", .number(width)), ("height", .number(height)),
      ("scale", .number(1)),
    ]
    let picture =
      try page.call(
        "Page.captureScreenshot",
        [
          ("format", .string("webp")), ("quality", .number(80)), ("captureBeyondViewport", .bool(true)),
          ("clip", .record(clip)),
        ], until: deadline
      ).member("data")?.textBytes ?? []
    guard case .bytes(let bytes) = Radix.base64.decode(picture) else {
      throw TransferError(.failed, "the browser has given no picture")
    }
    let data = try page.data.map { received, body throws(TransferError) in
      PageSurvey.Data(address: received.address, body: try made(of: received, body).body)
    }
    return PageSurvey(
      status: response.status, type: page.document?.type ?? "", address: response.address ?? address,
      document: found.member("document")?.textBytes ?? [], mark: mark,
      boxes: (found.member("boxes")?.items ?? []).map { $0.items?.map { Int($0.double ?? 0) } ?? [] },
      width: width, height: height, picture: bytes, data: data, hasBanner: page.hasDismissedBanner)
  }

  private func read() throws(TransferError) -> TransferResponse {
    try navigate()
    if let refused = try refusal() { return refused }
    if !order.actions.isEmpty || order.dismissesBanners || isPlain { try load() }
    if order.dismissesBanners { try dismissBanner() }
    try PageActions(page: page, waiting: waiting).run()
    if let selector = order.selector {
      let deadline = waiting.deadline
      try waiting.wait(for: selector, until: deadline) { () throws(TransferError) in
        try waiting.evaluate(PageScripts.exists(selector), until: deadline).isTruthy
      }
    }
    if order.isIdle, try !waiting.settle(until: waiting.deadline) {
      let open = page.inFlight.values.sorted().prefix(2).joined(separator: ", ")
      throw TransferError(
        .failed,
        "waited \(spoken(order.patience)) for the page to come to rest\(open.isEmpty ? "" : ", still loading \(open)")"
      )
    }
    try waiting.rest(order.pause)
    // A page that has gone on to another document, as a login does.
    if let refused = try refusal() { return refused }
    return try order.response == nil ? shown() : requested()
  }

  /// Whether nothing says when the page is ready.
  private var isPlain: Bool { order.selector == nil && !order.isIdle && order.response == nil }

  // MARK: - Navigation

  /// Goes to the address and waits until its document is read.
  private func navigate() throws(TransferError) {
    let deadline = waiting.deadline
    let number = try page.start("Page.navigate", [("url", .string(address.text))])
    var hasCommitted = false
    while !hasCommitted || !page.isParsed {
      if let answer = page.takeAnswer(to: number) {
        let result = answer.member("result") ?? .null
        let isDownload = result.member("isDownload")?.isTruthy ?? false || page.downloads
        if let failure = result.member("errorText")?.string
          ?? answer.member("error")?.member("message")?.string
        {
          if page.document.map({ $0.status >= 400 || $0.status == 204 }) ?? false { return }
          if isDownload {
            throw TransferError(.failed, "the address is a download, which a page cannot show")
          }
          throw error(failure)
        }
        hasCommitted = true
      }
      if hasCommitted, let failure = page.documentFailure { throw error(failure) }
      if try !page.pump(until: deadline) || MonotonicClock.now >= deadline {
        throw TransferError(
          .timeout(.whole), "the page was not loaded within \(spoken(order.patience))\(waiting.state)")
      }
    }
  }

  /// Waits until all that belongs to the page has loaded, and a little for what its scripts do then.
  private func load() throws(TransferError) {
    let deadline = waiting.deadline
    while !page.isLoaded {
      if try !page.pump(until: deadline) || MonotonicClock.now >= deadline {
        let open = page.inFlight.values.sorted().first.map { ": \($0) has not ended" } ?? ""
        throw TransferError(
          .timeout(.whole), "the page was not loaded within \(spoken(order.patience))\(open)\(waiting.state)")
      }
    }
    _ = try waiting.settle(until: min(deadline, MonotonicClock.now + Self.courtesy))
  }

  private func dismissBanner() throws(TransferError) {
    let deadline = waiting.deadline
    let end = MonotonicClock.now + Self.bannerTime
    while try !page.evaluate(PageScripts.banner, until: deadline).isTruthy {
      if MonotonicClock.now >= end { return }
      try waiting.rest(.milliseconds(200))
    }
    page.hasDismissedBanner = true
    page.disturb()
    _ = try waiting.settle(until: min(deadline, MonotonicClock.now + Self.courtesy))
  }

  /// The error of a navigation that failed, by Chromium's name for it, or by what the proxy knows.
  private func error(_ name: String) -> TransferError {
    let known = page.usage.failures
    let own = known["\(address.host):\(address.port ?? (address.scheme == .https ? 443 : 80))"]
    let reason = own ?? (known.count == 1 ? known.values.first : nil)
    let isOfProxy = ["ERR_TUNNEL", "ERR_EMPTY_RESPONSE", "ERR_PROXY", "ERR_CONNECTION"].contains(
      where: name.has)
    if let reason, isOfProxy { return TransferError(.unreachable, reason) }
    if name.has("ERR_CERT_") || name.has("ERR_SSL_") {
      return TransferError(.encryption, "no secure connection: \(name)")
    }
    switch name {
    case "net::ERR_TOO_MANY_REDIRECTS": return TransferError(.redirect, "redirects without an end")
    case "net::ERR_ABORTED":
      return TransferError(.failed, "the page could not be shown: it was ended by its server")
    default: return TransferError(.interrupted, "the page could not be loaded: \(name)")
    }
  }

  // MARK: - The picture

  /// Takes a picture of the window or of an element, and keeps it.
  private func picture(
    of pictures: PagePictures?, until deadline: Instant
  ) throws(TransferError) -> KeptPicture? {
    guard let pictures else { return nil }
    var parameters: [(String, Value)] = [("format", .string("png"))]
    if let selector = order.picture, !selector.isEmpty {
      let box = try page.evaluate(PageScripts.box(selector), until: deadline)
      if box.isNull { throw TransferError(.failed, "there is no \(selector) to take a picture of") }
      parameters += [("clip", box), ("captureBeyondViewport", .bool(true))]
    }
    let data =
      try page.call("Page.captureScreenshot", parameters, until: deadline).member("data")?.textBytes ?? []
    guard case .bytes(let picture) = Radix.base64.decode(data), !picture.isEmpty else { return nil }
    do throws(FileFailure) { return try pictures.keep(picture) } catch {
      throw TransferError(.failed, "the screenshot cannot be kept: \(error)")
    }
  }

  // MARK: - Responses

  /// The response of a page whose status says that it is not what was asked for.
  private func refusal() throws(TransferError) -> TransferResponse? {
    guard let document = page.document, document.status >= 400 || document.status == 204 else { return nil }
    let text = try? page.evaluate(PageScripts.document, until: MonotonicClock.now + .seconds(2))
    return try made(of: document, type: "text/html; charset=utf-8", text?.textBytes ?? [])
  }

  /// The document as it is now; what is no HTML as it came.
  private func shown() throws(TransferError) -> TransferResponse {
    guard var document = page.document else { throw TransferError(.failed, "the page has no document") }
    guard ["text/html", "application/xhtml+xml"].contains(document.type) else {
      let body = try page.call(
        "Network.getResponseBody", [("requestId", .string(document.request))], until: waiting.deadline)
      return try made(of: document, body)
    }
    let deadline = waiting.deadline
    document.address = try page.evaluate("document.URL", until: deadline).string ?? document.address
    let text = try page.evaluate(PageScripts.document, until: deadline).textBytes ?? []
    return try made(of: document, type: "text/html; charset=utf-8", text)
  }

  /// The response of the request that the order asks for.
  private func requested() throws(TransferError) -> TransferResponse {
    let pattern = order.response ?? ""
    try waiting.wait(
      for: "a response of \(pattern) among the \(page.requests) requests of the page", until: waiting.deadline
    ) { page.response != nil }
    guard let (received, body) = page.response, body.member("body") != nil else {
      throw TransferError(.failed, "the browser has not kept the response of \(pattern)")
    }
    return try made(of: received, body)
  }

  /// A response of a body as the browser hands it out: a text, which is UTF-8 then, or base64.
  private func made(of received: PageSession.Received, _ body: Value) throws(TransferError)
    -> TransferResponse
  {
    let bytes = body.member("body")?.textBytes ?? []
    if body.member("base64Encoded")?.isTruthy ?? false {
      let type = received.headers.first { $0.0.lowercased() == "content-type" }?.1 ?? received.type
      guard case .bytes(let plain) = Radix.base64.decode(bytes) else {
        throw TransferError(.failed, "the browser has given a body that is not base64")
      }
      return try made(of: received, type: type, plain)
    }
    return try made(of: received, type: "\(received.type); charset=utf-8", bytes)
  }

  private func made(
    of received: PageSession.Received, type: String, _ body: [UInt8]
  ) throws(TransferError) -> TransferResponse {
    if body.count > limits.bodyBytes {
      let limit = limits.bodyOption.map { "\($0)," } ?? "the limit of"
      throw TransferError(.tooLarge, "the page is larger than \(limit) \(limits.bodyBytes) bytes")
    }
    // Those of the bytes as they were sent, and what would make a condition of the next request.
    let dropped = [
      "content-type", "content-encoding", "content-length", "transfer-encoding", "etag", "last-modified",
      "set-cookie",
    ]
    var headers = received.headers.filter { !dropped.contains($0.0.lowercased()) }
    headers.append(("content-type", type))
    var response = TransferResponse(
      status: received.status, headers: Headers(headers.map { ($0.0, $0.1.replacing("\n", by: ", ")) }),
      body: body)
    response.address = try? Address(String(received.address.prefix { $0 != "#" }))
    return response
  }
}
