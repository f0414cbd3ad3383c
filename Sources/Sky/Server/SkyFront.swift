import CMicrohttpd
import Glibc
import Server
import Synchronization

/// The adapter between libmicrohttpd and the sky: it makes a request of what arrives and sends the answer, slowly or in
/// part if a fault says so.
final class SkyFront: RequestFront {
  let bodyLimit = 1 << 20
  let origin: String
  let isStopped = Atomic(false)
  let arrivals: ArrivalLimit
  private let sky: Sky
  private let dripping: Duration
  private let isEverywhere: Bool
  private let clock: @Sendable () -> SkyTime

  init(
    _ sky: Sky, port: Int, dripping: Duration, arrivals: ArrivalLimit, isEverywhere: Bool,
    clock: @escaping @Sendable () -> SkyTime
  ) {
    self.arrivals = arrivals
    (self.sky, self.dripping, self.isEverywhere, self.clock) = (sky, dripping, isEverywhere, clock)
    origin = "http://127.0.0.1:\(port)"
  }

  func answer(
    _ connection: OpaquePointer, _ path: String, _ method: String, _ body: ReceivedBody
  ) -> MHD_Result {
    if body.isTooLong {
      return send(
        SkyAnswer(status: 413, headers: [("Content-Type", "text/plain")], body: Array("Too long\n".utf8)),
        connection)
    }
    var client = [CChar](repeating: 0, count: 64)
    flow_mhd_client(connection, &client, UInt32(client.count))
    let headers = ReceivedValues.headers(of: connection)
    let names = Set(headers.map { $0.name.lowercased() })
    if names.contains("transfer-encoding"), names.contains("content-length") {
      // Two lengths for one body: a proxy may have taken the other (RFC 9112, 6.3).
      return send(
        SkyAnswer(
          status: 400, headers: [("Content-Type", "text/plain"), ("Connection", "close")],
          body: Array("Two lengths\n".utf8)), connection)
    }
    let request = SkyRequest(
      method: method, path: path, query: ReceivedValues.query(of: connection), headers: headers,
      body: body.bytes,
      origin: isEverywhere ? asked(headers) : origin,
      client: String(decoding: client.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    )
    return send(sky.answer(request, at: clock()), connection)
  }

  /// The origin that the client addressed.
  private func asked(_ headers: [(name: String, value: String)]) -> String {
    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
    guard let host = header("host") else { return origin }
    return "\(header("x-forwarded-proto") ?? "http")://\(host)"
  }

  // MARK: - Sending

  private func send(_ answer: SkyAnswer, _ connection: OpaquePointer) -> MHD_Result {
    if answer.delivery == .reset {
      flow_mhd_make_reset(connection)
      return .NO
    }
    let made =
      answer.delivery == .whole
      ? answer.body.withUnsafeBytes { flow_mhd_response($0.baseAddress, $0.count) } : inPieces(answer)
    guard let response = made else { return .NO }
    for header in answer.headers { flow_mhd_add_header(response, header.name, header.value) }
    return flow_mhd_send(connection, UInt32(answer.status), response)
  }

  /// A body that is sent slowly or in part.
  private final class Parcel {
    static let pieces = 20
    let bytes: ArraySlice<UInt8>
    let front: SkyFront
    let pause: UInt32

    init(_ answer: SkyAnswer, _ front: SkyFront) {
      self.front = front
      bytes = answer.delivery == .truncated ? answer.body.prefix(answer.body.count / 2) : answer.body[...]
      let time = front.dripping.components
      let microseconds = Int(time.seconds) * 1_000_000 + Int(time.attoseconds / 1_000_000_000_000)
      pause = answer.delivery == .drip ? UInt32(microseconds / Self.pieces) : 0
    }

    /// Copies the bytes from a place on; returns their number, or the end.
    func read(from place: Int, _ room: UnsafeMutableBufferPointer<CChar>) -> Int {
      let rest = bytes.dropFirst(place)
      guard !rest.isEmpty, !front.isStopped.load(ordering: .relaxed) else { return Self.brokenOff }
      var count = min(room.count, rest.count)
      if pause > 0 {
        usleep(pause)
        count = min(count, bytes.count / Self.pieces + 1)
      }
      for (index, byte) in rest.prefix(count).enumerated() { room[index] = CChar(truncatingIfNeeded: byte) }
      return count
    }

    /// `MHD_CONTENT_READER_END_WITH_ERROR`.
    static let brokenOff = -2
  }

  private func inPieces(_ answer: SkyAnswer) -> OpaquePointer? {
    let parcel = Unmanaged.passRetained(Parcel(answer, self)).toOpaque()
    return flow_mhd_response_in_pieces(
      UInt64(answer.body.count), 4096,
      { context, place, room, size in
        guard let context, let room else { return Parcel.brokenOff }
        let parcel = Unmanaged<Parcel>.fromOpaque(context).takeUnretainedValue()
        return parcel.read(from: Int(place), UnsafeMutableBufferPointer(start: room, count: Int(size)))
      }, parcel,
      { context in
        if let context { Unmanaged<Parcel>.fromOpaque(context).release() }
      })
  }
}
