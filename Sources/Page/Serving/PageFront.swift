import CMicrohttpd
import Glibc
import Reactive
import Server

/// The adapter between libmicrohttpd and the router: makes a request of what arrives, and sends the answer.
final class PageFront: RequestFront {
  private struct Streams: Sendable {
    var open: [ObjectIdentifier: PageStream] = [:]
    var isStopped = false
    var isBeating = false
  }

  /// How often a sign of life is sent to the tabs, while there are some.
  private static let pulse = Duration.seconds(15)

  let bodyLimit = 4096
  let router: PageRouter
  let arrivals: ArrivalLimit
  private let scheduler: SerialScheduler
  private let streams = Locked(Streams())
  private let streamLimit: Int

  init(_ router: PageRouter, arrival: Duration, waiting: Int, streamLimit: Int) {
    self.router = router
    self.streamLimit = streamLimit
    scheduler = SerialScheduler(name: "flow-page-timer")
    arrivals = ArrivalLimit(arrival, most: waiting, on: scheduler)
  }

  var streamCount: Int { streams.withLock { $0.open.count } }

  func answer(
    _ connection: OpaquePointer, _ path: String, _ method: String, _ body: ReceivedBody
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
      body: body.bytes)
    var answer = router.answer(request)
    if body.isTooLong {
      answer = PageAnswer(413, "text/plain", Array("Too long\n".utf8), router.guarding.headers)
    }
    return send(answer, connection)
  }

  private func send(_ answer: PageAnswer, _ connection: OpaquePointer) -> MHD_Result {
    let response: OpaquePointer?
    switch answer.body {
    case .bytes(let bytes):
      response = bytes.withUnsafeBytes { flow_mhd_response($0.baseAddress, $0.count) }
    case .parts(let parts):
      response = Self.response(of: PartsReader(parts))
    case .stream(let feed):
      guard let stream = open(feed, connection) else {
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

  // MARK: - Documents in parts

  /// The reader of a document in parts; on the server's thread alone.
  private final class PartsReader {
    private var bytes: ArraySlice<UInt8>
    private var rest: (() -> HTML)?

    init(_ parts: PageFrame.Parts) {
      bytes = parts.beginning.bytes[...]
      rest = parts.rest
    }

    func read(_ room: UnsafeMutableRawBufferPointer) -> Int {
      if bytes.isEmpty, let made = rest?() {
        bytes = made.bytes[...]
        rest = nil
      }
      let count = min(room.count, bytes.count)
      if count == 0 { return PageStream.end }
      bytes.prefix(count).withUnsafeBytes { room.copyMemory(from: $0) }
      bytes = bytes.dropFirst(count)
      return count
    }
  }

  private static func response(of reader: PartsReader) -> OpaquePointer? {
    flow_mhd_endless_response(
      65536,
      { context, _, room, size in
        guard let context, let room else { return PageStream.end }
        let reader = Unmanaged<PartsReader>.fromOpaque(context).takeUnretainedValue()
        return reader.read(UnsafeMutableRawBufferPointer(start: room, count: Int(size)))
      }, Unmanaged.passRetained(reader).toOpaque(),
      { context in
        if let context { Unmanaged<PartsReader>.fromOpaque(context).release() }
      })
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

  private func open(_ feed: any PageFeed, _ connection: OpaquePointer) -> PageStream? {
    let stream = PageStream(feed, connection)
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
