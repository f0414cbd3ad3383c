import Delivery
import Decode
import Engine
import Fetch
import Glibc
import JSON
import Language
import Reactive
import System

/// A response of `http` that goes on: server-sent events, or lines.
final class HTTPStream: StreamSource {
  /// The wait before the next connection, unless the server names another, and the longest while connections fail.
  private static let waits = (
    least: Duration.milliseconds(500), first: Duration.seconds(3), longest: Duration.seconds(300)
  )
  /// A connection that went on for so long counts as a good one, also with comments alone.
  private static let goodTime = Duration.seconds(5)
  /// With --once, a stream that is silent for so long has nothing more for now, and is read for so long at most.
  private static let once = (silence: Duration.seconds(5), time: Duration.seconds(60))
  private static let chunk = 1 << 16
  /// How a server may say that it does not know the id of an event any more.
  private static let refusals = [400, 404, 409, 410, 412, 413, 416, 422, 431]

  private let options: Options
  private let context: SourceContext
  private let access: WebAccess
  private let requests: HTTPRequests
  private let isEvents: Bool
  private let decoding: Decoding
  private let reporter: ParseErrorReporter
  private let last: LastPoll
  /// The id of the last event; empty without one.
  private var id: String
  /// The address that is read, and the one that a run before has read; without the query, which may vary.
  private var (address, addressBefore): (String, String?)
  /// Whether the id is left out, after a server has refused a request with it: the refusal.
  private var refusal: FetchError?
  private var retry = HTTPStream.waits.first
  /// Whether a connection was ever accepted.
  private var wasAccepted = false
  /// Whether the present connection has brought anything, which is noted once, and an event.
  private var (hasBytes, hasEvents) = (false, false)
  private var hasReportedGap = false
  /// The link, while it runs, and whether its failure is one that no later attempt changes.
  private var (link, isFinal): (ConnectionLink?, Bool) = (nil, false)
  private var (serverErrors, noteErrors) = (Pace(), Pace())

  init(_ options: Options, _ context: SourceContext) throws {
    guard let access = context.world[WebAccess.self] else { throw Sentence.noNetwork }
    self.access = access
    self.options = options
    self.context = context
    requests = try HTTPRequests(options, context)
    isEvents = options[HTTPOptions.stream] == .sse
    decoding =
      isEvents || options.isGiven(Decoding.option) ? context.decoding(options) : Decoding(.lines)
    reporter = ParseErrorReporter(context)
    last = LastPoll(options, context)
    id = context.position?.member("id")?.string ?? ""
    (address, addressBefore) = ("", context.position?.member("address")?.string)
  }

  func run(_ feed: Feed) throws {
    defer { reporter.summarize() }
    // What could be read before is not wrong by itself.
    let health = SourceLinkHealth(context) { [self] _ in isFinal && !wasAccepted && context.position == nil }
    let link = ConnectionLink(health, goodTime: Self.goodTime)
    self.link = link
    defer { self.link = nil }
    try link.run {
      // Not all clients of a server at once, and none before it has asked for.
      let first = max(retry, Self.waits.least) * 1.25
      (link.backoff.initial, link.backoff.cap) = (first, max(first, Self.waits.longest))
      return try attempt(feed)
    }
  }

  /// Reads a response to its end, or with the next request where the server refuses the id of the last event.
  private func attempt(_ feed: Feed) throws -> ConnectionLink.End {
    (hasBytes, hasEvents) = (false, false)
    // An address that cannot be made of the event is none later either.
    isFinal = true
    let request = try request()
    isFinal = false
    let start = MonotonicClock.now
    do {
      if try connect(request, feed) || feed.isStopped || context.isOnce { return .done }
    } catch {
      let fetchError = error as? FetchError
      if !id.isEmpty, refusal == nil, let status = fetchError?.status, Self.refusals.contains(status) {
        refusal = fetchError
        return try attempt(feed)
      }
      refusal = nil
      if context.isOnce, fetchError?.kind == .timeout(.stall) { return .done }
      isFinal = fetchError.map { !$0.mayPassLater && $0.kind != .encryption } ?? true
      if wasAccepted { reportGap() }
      throw explained(error, request)
    }
    // One that went on for a while has done its work.
    let isLong = MonotonicClock.now - start > Self.goodTime
    reportGap()
    guard hasEvents || hasBytes && isLong else {
      throw WrongAnswer(request, "the server has ended the response without an event")
    }
    context.log.detail("\(request): the server has ended the response; connecting again")
    return .again(after: isLong ? retry : max(retry, Self.waits.least), because: "the response has ended")
  }

  /// An error with what to do about silence.
  private func explained(_ error: any Error, _ request: Request) -> any Error {
    guard (error as? FetchError)?.kind == .timeout(.stall) else { return error }
    let heartbeat = DurationText.format(options[HTTPOptions.heartbeat])
    return WrongAnswer(
      request,
      "nothing has come for \(heartbeat), not even a comment; if that is normal here, raise heartbeat")
  }

  // MARK: - A connection

  private func request() throws -> Request {
    let event = Event(.null, Poll(source: context.name, at: context.world.wallClock()))
    var request = try requests.request(event, last: last.value)
    request.expectation = .anything
    request.isTriedOnce = true
    let heartbeat = context.isOnce ? Self.once.silence : options[HTTPOptions.heartbeat]
    request.limits.stall = context.world.speed.machine(for: heartbeat)
    request.limits.firstByte = max(request.limits.firstByte, request.limits.stall)
    request.limits.whole += request.limits.firstByte
    request.limits.isEndless = true
    compareAddress(of: request)
    func add(_ name: String, _ value: String) {
      let isGiven = request.headers.contains { $0.name.lowercased() == name.lowercased() }
      if !isGiven { request.headers.append(Header(name, value)) }
    }
    if isEvents {
      add("Accept", "text/event-stream")
      add("Cache-Control", "no-store")
      if !id.isEmpty, refusal == nil { add("Last-Event-ID", id) }
    }
    return request
  }

  /// Drops the last id where the address has changed: the other server would not know it, or mean another event.
  private func compareAddress(of request: Request) {
    let full = request.address
    address = request.masked("\(full.scheme.rawValue)://\(full.site)\(full.path)")
    guard let before = addressBefore else { return }
    addressBefore = nil
    if !isEvents || id.isEmpty || before == address { return }
    context.log.warning(
      "\(before) was read before, and \(address) is read now: it is not asked for what comes behind the event "
        + "\(printable(id)), and events may be missing or come twice")
    id = ""
  }

  /// Reads a response to its end; whether the server wants no other request.
  private func connect(_ request: Request, _ feed: Feed) throws -> Bool {
    let time = context.world.speed.machine(for: Self.once.time)
    let body = StreamedBody(stop: context.stop, until: context.isOnce ? MonotonicClock.now + time : nil)
    var received = request
    received.receiver = body
    let (log, progress, now) = (context.log, context.progress, context.world.wallClock)
    progress(PollProgress("connecting to \(request.address.site)"))
    let transfer = try access.client().start(access.adapted(received)) { notice in
      switch notice {
      case .waitingForBudget(let site, let until, _), .waitingAsAsked(let site, let until, _):
        progress(PollProgress("", wait: "waiting for the budget of \(site), next call", until: until))
      case .retrying, .notStored: break
      }
      log.detail("\(notice)")
    } completion: {
      body.end($0)
    }
    defer { transfer.dispose() }
    guard let head = body.head() else {
      if feed.isStopped { return true }
      let answer = try body.result?.get()
      guard let answer, answer.status != 204 else {
        context.log.notice("\(request): the server has ended the stream, with status 204")
        return true
      }
      throw WrongAnswer(request, "answered \(answer.status), which has no events")
    }
    progress(nil)
    let type = head["content-type"] ?? ""
    try check(type, request)
    if !wasAccepted {
      log.notice("reads the stream of \(request.masked("\(request.address)")) at \(timestamp(now()))")
    }
    wasAccepted = true
    if let refusal {
      log.warning("\(refusal); it does not know the event \(printable(id)) any more: events may be missing")
      (self.refusal, id) = (nil, "")
    }
    if isEvents { readEvents(body, feed) } else { try readLines(body, type, request, feed) }
    if case .failure(let error)? = body.result { throw error }
    return false
  }

  /// Refuses what is no such stream.
  private func check(_ type: String, _ request: Request) throws {
    let type = type.split(separator: ";").first.map { String($0).lowercased() } ?? ""
    let hint: String
    if isEvents, type != "text/event-stream" {
      hint = "stream: lines reads lines, and without stream the address is polled"
    } else if !isEvents, ["text/event-stream", "text/html"].contains(type) {
      hint = type == "text/html" ? "it is a page" : "stream: sse reads it"
    } else {
      return
    }
    let failure = WrongAnswer(
      request,
      "answered \(type.isEmpty ? "without a content type" : printable(type)), which is no stream of "
        + "\(isEvents ? "server-sent events" : "lines"): \(hint)")
    throw failure
  }

  /// Notes that something has come, a comment perhaps.
  private func noteBytes() {
    if hasBytes { return }
    hasBytes = true
    link?.noteConnected()
  }

  private func noteEvents() {
    hasEvents = true
    link?.noteReceived()
  }

  /// Reports once that the next connection does not go on behind the last event.
  private func reportGap() {
    if hasReportedGap || !id.isEmpty || options.isGiven(EachOptions.note) { return }
    hasReportedGap = true
    let reason =
      isEvents
      ? "the server gives its events no ids"
      : "note keeps nothing by which the address could ask for what comes behind the last line"
    context.log.warning(
      "the connection has ended, and \(reason): what comes between two connections is missing, or comes twice"
    )
  }

  private var position: Value {
    .record([("id", .string(id)), ("address", .string(address)), ("last", last.value)])
  }

  // MARK: - Server-sent events

  private func readEvents(_ body: StreamedBody, _ feed: Feed) {
    var parser = EventStreamParser(limit: options[WebOptions.maxSize], lastID: id)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = body.read(into: buffer), count > 0 {
      noteBytes()
      let skipped = parser.skipped
      parser.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { send($0, feed) }
      if parser.skipped > skipped {
        reporter.report(
          "an event is longer than max_size, \(options[WebOptions.maxSize]) bytes; it is skipped")
      }
      if let asked = parser.retry { retry = .milliseconds(min(asked, 86_400_000)) }
      if parser.lastID != id {
        id = parser.lastID
        feed.send([], position: position)
      }
    }
  }

  private func send(_ event: EventStreamParser.ServerEvent, _ feed: Feed) {
    noteEvents()
    id = event.id
    if event.type == "error" { report(event) }
    let notes = Value.record([
      ("event", .string(event.type)), ("id", event.id.isEmpty ? .null : .string(event.id)),
    ])
    let poll = Poll(source: context.name, at: context.world.wallClock(), notes: notes)
    let values = values(of: event)
    note(values, poll)
    feed.send(SourceBatch(values, poll, endsPoll: false, position: position))
  }

  private func values(of event: EventStreamParser.ServerEvent) -> [Value] {
    if !options.isGiven(Decoding.option) {
      return [(try? Value.parse(event.data)) ?? .string(String(decoding: event.data, as: UTF8.self))]
    }
    do throws(Sentence) { return try decoding.values(of: event.data) } catch {
      let place = event.id.isEmpty ? "an event" : "the event \(printable(event.id))"
      reporter.report("\(place) of type \(printable(event.type)): \(error)")
      return []
    }
  }

  /// Reports an event by which the server says that something is wrong, at most one a minute.
  private func report(_ event: EventStreamParser.ServerEvent) {
    guard serverErrors.isDue() else { return }
    let text = event.data.withUnsafeBufferPointer { BadText.excerpt(of: $0) }
    context.log.warning("the server reports an error, events may be missing: \(text)")
  }

  private func note(_ values: [Value], _ poll: Poll) {
    if values.isEmpty { return }
    do { try last.note(values, poll) } catch {
      // The events are sent all the same.
      context.meter.countError()
      if noteErrors.isDue() { context.log.error("note: \(error)") }
    }
  }

  // MARK: - Lines

  private func readLines(_ body: StreamedBody, _ type: String, _ request: Request, _ feed: Feed) throws {
    let path = request.masked("\(request.address)")
    let named = decoding.chosenCharset == nil ? charset(ofType: type)?.lowercased() ?? "utf-8" : "utf-8"
    let text: any ByteSource = if named == "utf-8" { body } else { ConvertedSource(body, from: named) }
    let reader = ValueReader(
      text, path: path, decoding, limits: ReadLimits(value: options[WebOptions.maxSize]),
      report: reporter.report)
    while case let values = try reader.nextBatch(), !values.isEmpty, !feed.isStopped {
      noteBytes()
      noteEvents()
      let poll = Poll(source: context.name, at: context.world.wallClock())
      note(values, poll)
      feed.send(SourceBatch(values, poll, endsPoll: false, position: position))
    }
  }
}

/// The pace of a message: once a minute at most.
private struct Pace {
  private var next = Instant()

  mutating func isDue() -> Bool {
    let now = MonotonicClock.now
    guard now >= next else { return false }
    next = now + .seconds(60)
    return true
  }
}
