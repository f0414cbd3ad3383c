import Fetch
import JSON
import Reactive
import System

/// A page of the browser while it is read: its commands, and what it has reported so far.
///
/// It lives on one thread, which reads its inbox whenever it waits.
final class PageSession {
  /// A response that a page has received.
  struct Received {
    let request: String
    var address: String
    var status: Int
    var type: String
    var headers: [(String, String)]
  }

  private static let ownWorld = "flow"
  /// How long a command may take that only sets something.
  static let commandTime = Duration.seconds(30)

  let browser: BrowserProcess
  let order: PageOrder
  private let inbox: Inbox
  private let visitor: (name: String, password: String)
  private var context: String?
  private(set) var target: String?
  private var session: String?
  private var replies: [Int: Value] = [:]
  /// The world of flow's own scripts, which the page cannot change; nil after a navigation.
  private var world: Value?

  private(set) var mainFrame = ""
  /// The response with the document.
  private(set) var document: Received?
  /// Whether its text has arrived.
  private(set) var hasDocument = false
  /// Why it could not be loaded.
  private(set) var documentFailure: String?
  private(set) var isParsed = false
  private(set) var isLoaded = false
  private(set) var downloads = false
  private(set) var requests = 0
  /// The addresses of the requests under way.
  private(set) var inFlight: [String: String] = [:]
  /// Since when nothing has been under way.
  private(set) var quietSince = MonotonicClock.now
  /// The response that the order asks for, while it arrives.
  private var awaited: [String: Received] = [:]
  private var bodies: [Int: Received] = [:]
  /// The last of those that have arrived, with the answer to the command for its body.
  private(set) var response: (received: Received, body: Value)?
  /// All of them, where the order keeps the JSON of the page.
  private(set) var data: [(received: Received, body: Value)] = []
  private static let mostData = 100

  /// Opens an empty page, in a browser context of its own unless the browser has a profile.
  init(_ order: PageOrder, at address: Address, in browser: BrowserProcess, _ inbox: Inbox)
    throws(TransferError)
  {
    (self.order, self.browser, self.inbox) = (order, browser, inbox)
    visitor = browser.proxy.admit(address.host)
    do throws(TransferError) { try open() } catch {
      close()
      throw error
    }
  }

  private func open() throws(TransferError) {
    var parameters: [(String, Value)] = [("url", .string("about:blank"))]
    if !browser.hasProfile {
      context = try command("Target.createBrowserContext", []).member("browserContextId")?.string
      guard let context else { throw TransferError(.failed, "the browser has made no context") }
      browser.pipe.route(context, to: inbox)
      parameters.append(("browserContextId", .string(context)))
    }
    guard let target = try command("Target.createTarget", parameters).member("targetId")?.string else {
      throw TransferError(.failed, "the browser has opened no page")
    }
    self.target = target
    let attached = try command(
      "Target.attachToTarget", [("targetId", .string(target)), ("flatten", .bool(true))])
    guard let session = attached.member("sessionId")?.string else {
      throw TransferError(.failed, "the browser has opened no page")
    }
    browser.pipe.route(session, to: inbox)
    self.session = session
    try setUp()
  }

  private func setUp() throws(TransferError) {
    let context = context.map { [("browserContextId", Value.string($0))] } ?? []
    try command("Browser.setDownloadBehavior", [("behavior", .string("deny"))] + context)
    // None is granted, and all others are refused.
    try command("Browser.grantPermissions", [("permissions", .array([]))] + context)
    try call("Page.enable")
    try call("Page.setLifecycleEventsEnabled", [("enabled", .bool(true))])
    try call("Inspector.enable")
    try call(
      "Network.enable",
      [("maxTotalBufferSize", .number(256 << 20)), ("maxResourceBufferSize", .number(128 << 20))])
    try call("Network.setBypassServiceWorker", [("bypass", .bool(true))])
    try call(
      "Fetch.enable",
      [
        ("handleAuthRequests", .bool(true)), ("patterns", .array([.record([("urlPattern", .string("*"))])])),
      ])
    try call(
      "Emulation.setDeviceMetricsOverride",
      [
        ("width", .number(order.width)), ("height", .number(order.height)), ("deviceScaleFactor", .number(1)),
        ("mobile", .bool(false)),
      ])
    if order.userAgent != nil || order.language != nil {
      let own = try command("Browser.getVersion", []).member("userAgent") ?? .null
      try call(
        "Emulation.setUserAgentOverride",
        [("userAgent", order.userAgent.map { .string($0) } ?? own)]
          + (order.language.map { [("acceptLanguage", .string($0))] } ?? []))
    }
    if let language = order.language {
      try call("Emulation.setLocaleOverride", [("locale", .string(language))])
    }
    if let zone = order.timeZone {
      try call("Emulation.setTimezoneOverride", [("timezoneId", .string(zone))])
    }
    try call(
      "Page.addScriptToEvaluateOnNewDocument", [("source", .string(PageScripts.restrictions))])
    mainFrame = try call("Page.getFrameTree").member("frameTree")?.member("frame")?.member("id")?.string ?? ""
  }

  /// Closes the page and forgets what it has stored; a page that does not answer takes its browser with it.
  func close() {
    if let session { browser.pipe.route(session, to: nil) }
    if let context { browser.pipe.route(context, to: nil) }
    browser.proxy.dismiss(visitor)
    let last = Inbox()
    let deadline = MonotonicClock.now + .seconds(5)
    do throws(TransferError) {
      if let target, context == nil {
        try browser.pipe.send("Target.closeTarget", [("targetId", .string(target))], session: nil, for: last)
      } else if let context {
        try browser.pipe.send(
          "Target.disposeBrowserContext", [("browserContextId", .string(context))], session: nil, for: last)
      } else {
        return
      }
      if try last.next(until: deadline) == nil { browser.retire() }
    } catch {}
  }

  var hasDismissedBanner = false

  /// Whether bodies of responses are still under way.
  var awaitsData: Bool { !bodies.isEmpty }

  var usage: BrowserProxy.Usage { browser.proxy.usage(visitor) }

  // MARK: - Commands

  /// Sends a command to the browser itself.
  @discardableResult
  func command(_ method: String, _ parameters: [(String, Value)]) throws(TransferError) -> Value {
    try answer(
      to: try browser.pipe.send(method, parameters, session: nil, for: inbox), method, until: nil)
  }

  /// Sends a command to the page.
  @discardableResult
  func call(
    _ method: String, _ parameters: [(String, Value)] = [], until deadline: Instant? = nil
  ) throws(TransferError) -> Value {
    try answer(
      to: try start(method, parameters), method, until: deadline)
  }

  /// Sends a command to the page, whose answer is asked for later or not at all.
  @discardableResult
  func start(_ method: String, _ parameters: [(String, Value)]) throws(TransferError) -> Int {
    try browser.pipe.send(method, parameters, session: session, for: inbox)
  }

  /// The answer to a command, if it has come.
  func takeAnswer(to number: Int) -> Value? { replies.removeValue(forKey: number) }

  /// Waits for an answer; where the command has no deadline of its own, it is the browser that is slow, not the page.
  private func answer(to number: Int, _ method: String, until deadline: Instant?) throws(TransferError)
    -> Value
  {
    let end = deadline ?? MonotonicClock.now + Self.commandTime
    while true {
      if let answer = replies.removeValue(forKey: number) {
        if let result = answer.member("result") { return result }
        throw TransferError(
          .failed, "\(method): \(answer.member("error")?.member("message")?.string ?? "failed")")
      }
      guard try pump(until: end) else {
        if deadline == nil { throw TransferError(.timeout(.whole), "the browser does not answer") }
        throw TransferError(
          .failed, "the page does not answer: its script may be in an endless loop")
      }
    }
  }

  /// Waits for what the page reports; false where nothing has come in time.
  @discardableResult
  func pump(until deadline: Instant) throws(TransferError) -> Bool {
    guard let message = try inbox.next(until: deadline) else { return false }
    if let number = message.member("id")?.double.flatMap({ Int(exactly: $0) }) {
      if let received = bodies.removeValue(forKey: number) {
        response = (received, message.member("result") ?? .null)
        if order.keepsData, data.count < Self.mostData, let response { data.append(response) }
      } else {
        replies[number] = message
      }
    } else if let method = message.member("method")?.string {
      try handle(method, message.member("params") ?? .null)
    }
    return true
  }

  // MARK: - Scripts

  /// The value of an expression in the page, in flow's own world or, as `inPage`, among the page's scripts.
  func evaluate(
    _ expression: String, inPage: Bool = false, until deadline: Instant
  ) throws(TransferError) -> Value {
    var isSecond = false
    while true {
      var parameters: [(String, Value)] = [
        ("expression", .string(expression)), ("returnByValue", .bool(true)), ("awaitPromise", .bool(true)),
        ("userGesture", .bool(true)),
      ]
      do throws(TransferError) {
        if !inPage {
          if world == nil {
            world = try call(
              "Page.createIsolatedWorld",
              [("frameId", .string(mainFrame)), ("worldName", .string(Self.ownWorld))],
              until: deadline
            ).member("executionContextId")
          }
          parameters.append(("contextId", world ?? .null))
        }
        let result = try call("Runtime.evaluate", parameters, until: deadline)
        if let flaw = result.member("exceptionDetails") {
          let words =
            flaw.member("exception")?.member("description")?.string ?? flaw.member("text")?.string ?? ""
          let line = words.split(separator: "\n").first.map(String.init) ?? "failed"
          throw TransferError(.failed, "the script fails: \(line)")
        }
        return result.member("result")?.member("value") ?? .null
      } catch {
        // The page has gone to another document meanwhile.
        let isGone = ["Cannot find context", "context was destroyed", "navigated or closed"].contains(
          where: error.message.has)
        guard isGone, !inPage, !isSecond else { throw error }
        (isSecond, world) = (true, nil)
      }
    }
  }

  // MARK: - Events

  private func handle(_ event: String, _ parameters: Value) throws(TransferError) {
    switch event {
    case "Inspector.targetCrashed", "Target.targetCrashed":
      throw TransferError(.interrupted, "the page has crashed, as where its memory runs out")
    case "Target.detachedFromTarget", "Inspector.detached":
      throw TransferError(.interrupted, "the page has closed itself")
    case "Target.targetCreated": try refusePopup(parameters)
    case "Page.javascriptDialogOpening":
      let isLeaving = parameters.member("type")?.string == "beforeunload"
      try start("Page.handleJavaScriptDialog", [("accept", .bool(isLeaving))])
    case "Page.frameNavigated": noteNavigation(parameters.member("frame") ?? .null)
    case "Page.domContentEventFired": isParsed = true
    case "Page.loadEventFired": isLoaded = true
    case "Page.downloadWillBegin": downloads = true
    case "Fetch.requestPaused": try decide(parameters)
    case "Fetch.authRequired": try logIn(parameters)
    case "Network.requestWillBeSent", "Network.responseReceived", "Network.loadingFinished",
      "Network.loadingFailed":
      try noteRequest(event, parameters)
    default: break
    }
  }

  private func refusePopup(_ parameters: Value) throws(TransferError) {
    let info = parameters.member("targetInfo")
    guard let target, let other = info?.member("targetId")?.string, other != target,
      info?.member("type")?.string == "page"
    else { return }
    try browser.pipe.send("Target.closeTarget", [("targetId", .string(other))], session: nil, for: nil)
  }

  private func noteNavigation(_ frame: Value) {
    guard frame.member("id")?.string == mainFrame else { return }
    world = nil
    (isParsed, isLoaded) = (false, false)
  }

  /// Lets a request go, or blocks it.
  private func decide(_ parameters: Value) throws(TransferError) {
    let id = parameters.member("requestId") ?? .null
    let address = parameters.member("request")?.member("url")?.string ?? ""
    let kind: PageOrder.Kind? =
      switch parameters.member("resourceType")?.string {
      case "Image": .images
      case "Font": .fonts
      case "Media": .media
      default: nil
      }
    let isBlocked =
      kind.map(order.blockedKinds.contains) ?? false
      || order.blockedAddresses.contains { PageOrder.matches($0, address) }
    if isBlocked {
      try start("Fetch.failRequest", [("requestId", id), ("errorReason", .string("BlockedByClient"))])
    } else {
      try start("Fetch.continueRequest", [("requestId", id)])
    }
  }

  /// Gives the password of the proxy, and none to a server.
  private func logIn(_ parameters: Value) throws(TransferError) {
    let isProxy = parameters.member("authChallenge")?.member("source")?.string == "Proxy"
    let answer: [(String, Value)] =
      isProxy
      ? [
        ("response", .string("ProvideCredentials")), ("username", .string(visitor.name)),
        ("password", .string(visitor.password)),
      ] : [("response", .string("CancelAuth"))]
    try start(
      "Fetch.continueWithAuth",
      [("requestId", parameters.member("requestId") ?? .null), ("authChallengeResponse", .record(answer))])
  }

  private func noteRequest(_ event: String, _ parameters: Value) throws(TransferError) {
    guard let id = parameters.member("requestId")?.string else { return }
    let type = parameters.member("type")?.string
    let isDocument =
      type == "Document" && (parameters.member("frameId")?.string ?? mainFrame) == mainFrame
    switch event {
    case "Network.requestWillBeSent":
      requests += 1
      // What goes on is no work that ends.
      guard type != "EventSource", type != "WebSocket", type != "Ping" else { return }
      inFlight[id] = parameters.member("request")?.member("url")?.string ?? ""
      if isDocument { (document, hasDocument, documentFailure) = (nil, false, nil) }
    case "Network.responseReceived":
      guard let found = received(id, parameters.member("response") ?? .null) else { return }
      if isDocument { document = found }
      let isWanted =
        order.response.map { PageOrder.matches($0, found.address) }
        ?? (order.keepsData && found.type.has("json"))
      if isWanted, type != "Preflight" { awaited[id] = found }
    case "Network.loadingFinished":
      inFlight[id] = nil
      if document?.request == id { hasDocument = true }
      if let found = awaited.removeValue(forKey: id) {
        bodies[try start("Network.getResponseBody", [("requestId", .string(id))])] = found
      }
    default:
      inFlight[id] = nil
      awaited[id] = nil
      if isDocument || document?.request == id {
        documentFailure = parameters.member("errorText")?.string ?? "net::ERR_FAILED"
      }
    }
    quietSince = MonotonicClock.now
  }

  private func received(_ id: String, _ response: Value) -> Received? {
    guard let status = response.member("status")?.double.flatMap({ Int(exactly: $0) }) else { return nil }
    var headers: [(String, String)] = []
    response.member("headers")?.forEachMember { name, value in
      headers.append((name.string ?? "", value.string ?? ""))
    }
    return Received(
      request: id, address: response.member("url")?.string ?? "", status: status,
      type: response.member("mimeType")?.string ?? "", headers: headers)
  }

  /// Lets the time of rest begin again, after something that may have started work.
  func disturb() { quietSince = MonotonicClock.now }
}
