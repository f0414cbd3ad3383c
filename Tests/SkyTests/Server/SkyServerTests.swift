import Expectations
import Foundation
import Reactive
import System
import Testing

@testable import Fetch
@testable import Sky

/// The server, asked by libcurl over the loopback.
@Suite(.timeLimit(.minutes(30))) struct SkyServerTests {
  private func server(_ faults: String = "none", dripping: Duration = .milliseconds(200)) throws -> SkyServer
  {
    try SkyServer(Sky(seed: 2, faults: try SkyFaults(faults), upcoming: 20), dripping: dripping) {
      LaunchWorld.start
    }
  }

  private func ask(
    _ url: String, _ change: (inout TransferOrder) -> Void = { _ in }
  ) throws -> Result<TransferResponse, TransferError> {
    var order = TransferOrder(
      method: .get, address: try Address(url), headers: [], body: [], limits: TransferLimits())
    change(&order)
    let transport = try CurlTransport()
    let done = DispatchSemaphore(value: 0)
    let outcome = Locked<Result<TransferResponse, TransferError>?>(nil)
    _ = transport.start(order) { result in
      outcome.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    return try #require(outcome.withLock { $0 })
  }

  @Test("what the sky says comes over the wire, byte for byte, with its headers and links")
  func whole() throws {
    let server = try server()
    defer { server.stop() }
    let path = "/2.3.0/launches/upcoming/?limit=5&search=a%20b%2Cfalcon"
    let answer = try ask(server.url + "/2.3.0/launches/upcoming/?limit=5").get()
    var request = SkyRequest.get("/2.3.0/launches/upcoming/?limit=5")
    request.origin = server.url
    expect(answer.status, equals: 200)
    expect(answer.body, equals: Sky(seed: 2, upcoming: 20).answer(request, at: LaunchWorld.start).body)
    expect(answer.headers["Content-Type"], equals: "application/json")
    expect(answer.headers["X-Simulated"], equals: "flow sky, seed 2")
    expect(server.url, equals: "http://127.0.0.1:\(server.port)")
    let moved = try ask(server.url + path.replacingOccurrences(of: "/?", with: "?")).get()
    expect(moved.status, equals: 301)
    expect(moved.headers["Location"], equals: path)
  }

  /// A server may close a connection before it has read a long body, and a client then sees the reset instead of the answer
  /// (RFC 9112, 9.6).
  @Test("a key and a body come in with a request, and a body that is too long does not")
  func incoming() throws {
    let server = try server()
    defer { server.stop() }
    for _ in 0..<16 {
      let answer = try ask(server.url + "/2.3.0/launches/upcoming/?limit=1") {
        $0.headers = [Header("Authorization", "Token k")]
      }.get()
      expect(answer.status, equals: 200)
    }
    func post(_ count: Int) throws -> Result<TransferResponse, TransferError> {
      try ask(server.url + "/2.3.0/launches/") {
        $0.method = .post
        $0.body = [UInt8](repeating: 0x20, count: count)
      }
    }
    try expect(post(100_000).get().status, equals: 405)
    switch try post(3 << 20) {
    case .success(let answer): expect(answer.status, equals: 413)
    case .failure(let failure): expect(failure.kind, equals: .interrupted)
    }
    guard case .failure(let failure) = try post((64 << 20) + 1) else {
      Issue.record("a body without an end was read")
      return
    }
    expect(failure.kind, equals: .interrupted, "\(failure)")
    try expect(ask(server.url + "/").get().status, equals: 200)
  }

  @Test("a request that takes too long to arrive has its connection closed, whether it drips or not")
  func slowRequests() throws {
    let sky = Sky(seed: 2, upcoming: 20)
    let server = try SkyServer(sky, arrival: .milliseconds(300)) { LaunchWorld.start }
    defer { server.stop() }
    for beginning in [
      "GET / HTTP/1.1\r\nX: ", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n",
    ] {
      let client = try connected(to: server.port)
      defer { close(client) }
      var isOpen = isSent(client, beginning)
      let start = ContinuousClock.now
      while isOpen, ContinuousClock.now - start < .seconds(30) {
        usleep(20_000)
        isOpen = isSent(client, "x")
      }
      #expect(!isOpen && ContinuousClock.now - start >= .milliseconds(200))
    }
    // On a connection that is used again, each request has its own time.
    let client = try connected(to: server.port)
    defer { close(client) }
    for _ in 0..<4 {
      usleep(150_000)
      #expect(isSent(client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
      var room = [UInt8](repeating: 0, count: 1 << 16)
      #expect(recv(client, &room, room.count, 0) > 0)
    }
  }

  private func connected(to port: Int) throws -> Int32 {
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    expect(result, equals: 0)
    return client
  }

  private func isSent(_ client: Int32, _ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  @Test("an answer that drips comes whole, though slowly")
  func drip() throws {
    let server = try server("drip=1")
    defer { server.stop() }
    let start = ContinuousClock.now
    let answer = try ask(server.url + "/2.3.0/launches/upcoming/?limit=5").get()
    #expect(ContinuousClock.now - start > .milliseconds(150))
    expect(answer.body.last, equals: UInt8(ascii: "}"))
  }

  @Test(
    "a truncated response and a connection that is lost are errors of the transfer",
    arguments: ["truncate=1", "reset=1"])
  func broken(_ faults: String) throws {
    let server = try server(faults)
    defer { server.stop() }
    guard case .failure(let failure) = try ask(server.url + "/2.3.0/launches/upcoming/?limit=5") else {
      Issue.record("there was an answer")
      return
    }
    #expect([.truncated, .interrupted].contains(failure.kind), "\(failure)")
  }

  @Test("a port that is taken is an error that says so, and one that was left can be had again")
  func ports() throws {
    let first = try server()
    let sky = Sky(seed: 1, upcoming: 5)
    do {
      _ = try SkyServer(sky, port: first.port) { LaunchWorld.start }
      Issue.record("two servers have one port")
    } catch {
      expect(error.description, equals: "port \(first.port) is taken; --port 0 takes one that is free")
    }
    first.stop()
    first.stop()
    let second = try SkyServer(sky, port: first.port) { LaunchWorld.start }
    try expect(ask(second.url + "/").get().status, equals: 200)
    second.stop()
    #expect(throws: Sentence.self) { try SkyServer(sky, port: 70_000) { LaunchWorld.start } }
  }

  @Test("stopping does not wait for an answer that drips")
  func stopping() throws {
    let server = try server("drip=1", dripping: .seconds(100))
    let begun = DispatchSemaphore(value: 0)
    let address = server.url + "/"
    // The index is never slow: once it has come, the server is up.
    try expect(ask(address).get().status, equals: 200)
    let transport = try CurlTransport()
    let order = TransferOrder(
      method: .get, address: try Address(server.url + "/2.3.0/launches/upcoming/"), headers: [], body: [],
      limits: TransferLimits())
    let subscription = transport.start(order) { _ in begun.signal() }
    let start = ContinuousClock.now
    server.stop()
    #expect(ContinuousClock.now - start < .seconds(30))
    begun.wait()
    subscription.dispose()
  }

  @Test("a request that gives its body two lengths is refused, and its connection closed")
  func twoLengths() throws {
    let server = try server()
    defer { server.stop() }
    let connection = try connected(to: server.port)
    defer { close(connection) }
    let request = Array(
      """
      POST /2.3.0/launches/upcoming/ HTTP/1.1\r
      Host: localhost\r
      Content-Length: 3\r
      Transfer-Encoding: chunked\r
      \r
      0\r
      \r

      """.utf8)
    expect(write(connection, request, request.count), equals: request.count)
    var answer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = read(connection, &chunk, chunk.count), count > 0 { answer += chunk[..<count] }
    #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
  }
}
