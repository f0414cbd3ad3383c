import Expectations
import Glibc
import Loopback
import Reactive
import Store
import TestSupport
import Testing

@testable import Fetch

/// Bodies that go elsewhere as they come.
@Suite(.timeLimit(.minutes(30))) struct BodyReceiverTests {
  /// Keeps what it is given, up to so many bytes.
  private final class Bucket: BodyReceiver {
    let statuses = Locked<[Int]>([])
    let pieces = Locked<[[UInt8]]>([])
    let room: Int

    init(room: Int = .max) { self.room = room }

    var bytes: [UInt8] { pieces.withLock { $0.flatMap(\.self) } }

    func begin(_ status: Int, _ headers: Headers) -> Bool {
      statuses.withLock { $0.append(status) }
      return status == 200
    }

    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
      let piece = Array(bytes)
      return pieces.withLock { pieces in
        pieces.append(piece)
        return pieces.reduce(0) { $0 + $1.count } <= room
      }
    }
  }

  private func fetch(_ server: LoopbackServer, _ bucket: Bucket, limit: Int = 1 << 20) throws -> Result<
    Response, FetchError
  > {
    let client = Client(
      try CurlTransport(), file: try WebFile(), on: SerialScheduler(name: "fetch"), wallClock: { 0 })
    var request = Request(try Address(server.url))
    request.expectation = .anything
    request.isTriedOnce = true
    request.limits.bodyBytes = limit
    request.receiver = bucket
    return server.serving { Result { () throws(FetchError) in try client.fetch(request) } }
  }

  @Test("a body comes in pieces, and none of it stays in memory")
  func pieces() throws {
    let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    let server = try LoopbackServer { _ in [.reply(bytes: body, [])] }
    let bucket = Bucket()
    let answer = try fetch(server, bucket).get()
    #expect(answer.status == 200 && answer.bytes.isEmpty && bucket.bytes == body)
    #expect(bucket.pieces.withLock { $0.count } > 1 && bucket.statuses.withLock { $0 } == [200])
  }

  @Test("what it rejects is collected as usual, including redirects and errors")
  func errors() throws {
    let server = try LoopbackServer { request in
      request.target == "/"
        ? [.reply("moved", status: "302 Found", ["Location: /b"])]
        : [.reply("sorry", status: "404 Not Found", [])]
    }
    let bucket = Bucket()
    let result = try fetch(server, bucket)
    guard case .failure(let error) = result else {
      Issue.record("there is an answer")
      return
    }
    #expect(error.status == 404 && error.serverMessage == "sorry" && bucket.bytes.isEmpty)
    expect(bucket.statuses.withLock { $0 }, equals: [302, 404])
  }

  @Test("it also receives responses without a body")
  func empty() throws {
    let server = try LoopbackServer { _ in [.reply("")] }
    let bucket = Bucket()
    try expect(fetch(server, bucket).get().status, equals: 200)
    #expect(bucket.statuses.withLock { $0 } == [200] && bucket.bytes.isEmpty)
  }

  @Test("what takes no more ends the transfer, as does what is too large")
  func ends() throws {
    let server = try LoopbackServer { _ in [.reply(String(repeating: "x", count: 400_000))] }
    func kind(_ result: Result<Response, FetchError>) -> FetchError.Kind? {
      if case .failure(let error) = result { error.kind } else { nil }
    }
    expect(kind(try fetch(server, Bucket(room: 10))), equals: .failed)
    let other = try LoopbackServer { _ in [.reply(String(repeating: "x", count: 400_000))] }
    let bucket = Bucket()
    expect(kind(try fetch(other, bucket, limit: 1000)), equals: .tooLarge)
    #expect(bucket.bytes.count <= 1000)
  }

  /// Has no room while its gate is closed.
  private final class Gate: BodyReceiver {
    let count = Locked(0)
    let isClosed = Locked(true)

    var isFull: Bool { isClosed.withLock { $0 } && count.withLock { $0 } > 100_000 }

    func begin(_ status: Int, _ headers: Headers) -> Bool { true }

    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
      count.withLock { $0 += bytes.count }
      return true
    }
  }

  @Test("a transfer pauses while its receiver is full, without a timeout, and takes no place from others")
  func pause() throws {
    let server = try LoopbackServer { request in
      [.reply(String(repeating: "x", count: request.target == "/" ? 4_000_000 : 1))]
    }
    let transport = try CurlTransport(.init(transfers: 1))
    func start(_ path: String, _ receiver: (any BodyReceiver)?, _ done: Journal<Int>) throws {
      var limits = TransferLimits(stall: .milliseconds(300))
      limits.isEndless = receiver != nil
      let order = TransferOrder(
        method: .get, address: try Address(server.url + path), headers: [], body: [], limits: limits,
        receiver: receiver)
      _ = transport.start(order) { result in done.note((try? result.get())?.status ?? -1) }
    }
    try server.serving {
      let (gate, done, other) = (Gate(), Journal<Int>(), Journal<Int>())
      try start("/", gate, done)
      #expect(eventually { gate.isFull })
      try start("/other", nil, other)
      #expect(eventually { other.entries == [200] })
      // Longer than the limit of a stall.
      usleep(500_000)
      #expect(gate.count.withLock { $0 } < 1_000_000 && done.entries.isEmpty)
      gate.isClosed.withLock { $0 = false }
      #expect(eventually { done.entries == [200] } && gate.count.withLock { $0 } == 4_000_000)
    }
  }
}
