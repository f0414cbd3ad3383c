import CMicrohttpd
import Glibc
import Reactive
import Server

/// The adapter between libmicrohttpd and the router: makes a request of what arrives, and sends the answer.
final class PageFront: Sendable {
  private struct Streams: Sendable {
    var open: [ObjectIdentifier: PageStream] = [:]
    var isStopped = false
    var isBeating = false
  }

  /// The longest body of a request that is accepted.
  static let bodyLimit = 4096
  /// How often a sign of life is sent to the tabs, while there are some.
  private static let pulse = Duration.seconds(15)

  let router: PageRouter
  let arrivals: ArrivalLimit
  private let scheduler: SerialScheduler
  private let streams = Locked(Streams())
  private let streamLimit: Int

  init(_ router: PageRouter, arrival: Duration, streamLimit: Int) {
    self.router = router
    self.streamLimit = streamLimit
    scheduler = SerialScheduler(name: "flow-page-timer")
    arrivals = ArrivalLimit(arrival, on: scheduler)
  }

  var streamCount: Int { streams.withLock { $0.open.count } }

  /// The body of a request while it arrives.
  final class Incoming {
    private(set) var body: [UInt8] = []
    private(set) var isTooLong = false

    func add(_ bytes: UnsafeRawBufferPointer) {
      if body.count + bytes.count > PageFront.bodyLimit { isTooLong = true } else { body += bytes }
    }
  }

  func answer(
    _ connection: OpaquePointer, _ path: String, _ method: String, _ incoming: Incoming
  ) -> MHD_Result {
    var headers: [String: String] = [:]
    var hasTwoHosts = false
    for (name, value) in ReceivedValues.headers(of: connection) {
      let name = name.lowercased()
      if headers[name] == nil { headers[name] = value } else if name == "host" { hasTwoHosts = true }
    }
    if hasTwoHosts { headers["host"] = nil }
    let request = PageRequest(
      method: method, path: path, query: ReceivedValues.query(of: connection), headers: headers,
      body: incoming.body)
    var answer = router.answer(request)
    if incoming.isTooLong {
      answer = PageAnswer(413, "text/plain", Array("Too long\n".utf8), router.guarding.headers)
    }
    return send(answer, connection)
  }

  private func send(_ answer: PageAnswer, _ connection: OpaquePointer) -> MHD_Result {
    let response: OpaquePointer?
    switch answer.body {
    case .bytes(let bytes):
      response = bytes.withUnsafeBytes { flow_mhd_response($0.baseAddress, $0.count) }
    case .stream(let updates):
      guard let stream = open(updates, connection) else {
        return send(
          PageAnswer(503, "text/plain", Array("Too many tabs are open\n".utf8), router.guarding.headers),
          connection)
      }
      response = Self.response(of: stream, self)
    }
    guard let response else { return .NO }
    for header in answer.headers { flow_mhd_add_header(response, header.name, header.value) }
    return flow_mhd_send(connection, UInt32(answer.status), response)
  }

  // MARK: - Streams

  /// A stream and the server it belongs to, while the library holds it.
  private final class Hold {
    let stream: PageStream
    let front: PageFront
    init(_ stream: PageStream, _ front: PageFront) { (self.stream, self.front) = (stream, front) }
  }

  private static func response(of stream: PageStream, _ front: PageFront) -> OpaquePointer? {
    flow_mhd_endless_response(
      16384,
      { context, _, room, size in
        guard let context, let room else { return PageStream.end }
        let hold = Unmanaged<Hold>.fromOpaque(context).takeUnretainedValue()
        return hold.stream.read(UnsafeMutableBufferPointer(start: room, count: Int(size)))
      }, Unmanaged.passRetained(Hold(stream, front)).toOpaque(),
      { context in
        guard let context else { return }
        let hold = Unmanaged<Hold>.fromOpaque(context).takeRetainedValue()
        hold.front.close(hold.stream)
      })
  }

  private func open(_ updates: PageUpdates, _ connection: OpaquePointer) -> PageStream? {
    let stream = PageStream(updates, connection)
    let (isOpen, starts) = streams.withLock { streams in
      if streams.isStopped || streams.open.count >= streamLimit { return (false, false) }
      streams.open[ObjectIdentifier(stream)] = stream
      defer { streams.isBeating = true }
      return (true, !streams.isBeating)
    }
    if !isOpen {
      stream.leave()
      return nil
    }
    if starts { scheduleBeat() }
    return stream
  }

  private func close(_ stream: PageStream) {
    stream.leave()
    streams.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(stream)) }
  }

  /// The pulse ends with the last tab: without one, nothing wakes up.
  private func scheduleBeat() {
    _ = scheduler.schedule(after: Self.pulse) { [weak self] in
      guard let self else { return }
      let open = streams.withLock { streams in
        if streams.open.isEmpty || streams.isStopped { streams.isBeating = false }
        return Array(streams.open.values)
      }
      for stream in open { stream.beat() }
      if streams.withLock({ $0.isBeating }) { scheduleBeat() }
    }
  }

  /// Ends all streams; no new one opens.
  func stop() {
    let open = streams.withLock { streams in
      streams.isStopped = true
      return Array(streams.open.values)
    }
    for stream in open { stream.stop() }
  }
}

/// The library calls this for each request: first without a body, then for each part of it, then for the answer.
func answerPageRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ part: UnsafePointer<CChar>?,
  _ size: UnsafeMutablePointer<Int>?, _ own: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context, let connection, let path, let method, let size, let own else { return .NO }
  guard let known = own.pointee else {
    own.pointee = Unmanaged.passRetained(PageFront.Incoming()).toOpaque()
    return .YES
  }
  let incoming = Unmanaged<PageFront.Incoming>.fromOpaque(known).takeUnretainedValue()
  if size.pointee > 0 {
    incoming.add(UnsafeRawBufferPointer(start: part, count: size.pointee))
    size.pointee = 0
    return .YES
  }
  let front = Unmanaged<PageFront>.fromOpaque(context).takeUnretainedValue()
  front.arrivals.end(flow_mhd_descriptor(connection))
  return front.answer(connection, String(cString: path), String(cString: method), incoming)
}

/// The library calls this at the end of a request.
func releasePageRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ own: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ how: MHD_RequestTerminationCode
) {
  guard let own, let known = own.pointee else { return }
  own.pointee = nil
  Unmanaged<PageFront.Incoming>.fromOpaque(known).release()
  guard let context, let connection else { return }
  let front = Unmanaged<PageFront>.fromOpaque(context).takeUnretainedValue()
  front.arrivals.begin(flow_mhd_descriptor(connection))
}

/// The library calls this when a connection was accepted, and before it is closed.
func notePageConnection(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ own: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ what: MHD_ConnectionNotificationCode
) {
  guard let context, let connection else { return }
  Unmanaged<PageFront>.fromOpaque(context).takeUnretainedValue().arrivals.note(connection, what)
}
