import Expectations
import Foundation
import Loopback
import Reactive
import Synchronization
import TestSupport
import Testing

@testable import Fetch

/// libcurl against a server of our own on the loopback.
@Suite(.timeLimit(.minutes(30))) struct CurlTransportTests {
  typealias Outcome = Result<TransferResponse, TransferError>

  func order(_ url: String, _ change: (inout TransferOrder) -> Void = { _ in }) throws -> TransferOrder {
    var order = TransferOrder(
      method: .get, address: try Address(url), headers: [], body: [], limits: TransferLimits())
    change(&order)
    return order
  }

  /// Carries out transfers at the same time; their ends in the order of the orders.
  func transfer(_ orders: [TransferOrder], with transport: CurlTransport) -> [Outcome] {
    let group = DispatchGroup()
    let outcomes = Locked<[Int: Outcome]>([:])
    for (place, order) in orders.enumerated() {
      group.enter()
      _ = transport.start(order) { outcome in
        outcomes.withLock { $0[place] = outcome }
        group.leave()
      }
    }
    group.wait()
    return outcomes.withLock { outcomes in orders.indices.compactMap { outcomes[$0] } }
  }

  func transfer(_ order: TransferOrder, _ options: CurlTransport.Options = .init()) throws -> Outcome {
    try #require(transfer([order], with: try CurlTransport(options)).first)
  }

  func failure(_ outcome: Outcome) -> TransferError? {
    if case .failure(let failure) = outcome { failure } else { nil }
  }

  @Test("a request arrives as it was meant, and the answer with its headers")
  func whole() throws {
    let server = try LoopbackServer { _ in [.reply("{}", ["ETag: \"a\"", "X-Two:  b ", "X-Two: c"])] }
    try server.serving {
      let order = try order(server.url + "/a/?q=1%2C2&r") {
        $0.headers = [Header("Authorization", "Token abcdef"), Header("X-Empty", "")]
      }
      let answer = try transfer(order, .init(userAgent: "flow/1 (test)")).get()
      expect(answer.status, equals: 200)
      expect(answer.body, equals: Array("{}".utf8))
      expect(answer.headers["etag"], equals: "\"a\"")
      expect(answer.headers["X-TWO"], equals: "b")
      expect(answer.httpVersion, equals: "1.1")
    }
    let request = try #require(server.received.first)
    expect(request.method, equals: "GET")
    expect(request.target, equals: "/a/?q=1%2C2&r")
    expect(request.headers["user-agent"], equals: "flow/1 (test)")
    expect(request.headers["authorization"], equals: "Token abcdef")
    expect(request.headers["x-empty"], equals: "")
    expect(request.headers["accept-encoding"], equals: "gzip")
  }

  @Test("a compressed body is decompressed; one that is cut off, damaged or encoded otherwise fails")
  func encodings() throws {
    let packed = gzipped(Array("[1,2]".utf8))
    let gzip = ["Content-Encoding: gzip"]
    let server = try LoopbackServer { request in
      switch request.target {
      case "/whole": [.reply(bytes: packed, gzip)]
      case "/two": [.reply(bytes: packed + packed, gzip)]
      case "/none": [.reply(bytes: [], gzip)]
      case "/cut": [.reply(bytes: Array(packed.dropLast(9)), gzip)]
      case "/closed":
        [
          .text("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"), .send(Array(packed.dropLast(3))),
          .close,
        ]
      case "/damaged": [.reply(bytes: packed.dropLast(5) + [1, 2, 3, 4, 5], gzip)]
      default: [.reply(bytes: packed, ["Content-Encoding: br"])]
      }
    }
    try server.serving {
      func answer(_ path: String) throws -> Result<TransferResponse, TransferError> {
        try transfer(order(server.url + path))
      }
      let bodies = try ["/whole", "/two", "/none"].map { try answer($0).get().body }
      expect(bodies, equals: [Array("[1,2]".utf8), Array("[1,2][1,2]".utf8), []])
      for (path, message) in [
        ("/cut", "the gzip data is cut off after 5 good bytes"),
        ("/closed", "the gzip data is cut off after 5 good bytes"),
        ("/damaged", "the gzip data is damaged (incorrect data check) after 5 good bytes"),
        ("/br", "the body is encoded as “br”, and only gzip is decoded"),
      ] {
        let failure = try failure(answer(path))
        expect(failure?.message, equals: message)
      }
    }
  }

  @Test("a body is sent as it is, with its length and a type, without asking first")
  func post() throws {
    let server = try LoopbackServer { _ in [.reply("{}")] }
    let body = [UInt8]((0..<5000).map { UInt8($0 % 256) })
    try server.serving {
      for method in [Request.Method.post, .put, .patch, .delete] {
        let order = try order(server.url) { ($0.method, $0.body) = (method, body) }
        try expect(transfer(order).get().status, equals: 200)
      }
      try expect(transfer(order(server.url) { $0.method = .post }).get().status, equals: 200)
      try expect(transfer(order(server.url) { $0.method = .head }).get().body, equals: [])
    }
    expect(server.received.map(\.method), equals: ["POST", "PUT", "PATCH", "DELETE", "POST", "HEAD"])
    #expect(server.received.prefix(4).allSatisfy { $0.body == body })
    expect(server.received[4].headers["content-length"], equals: "0")
    #expect(server.received.allSatisfy { $0.headers["expect"] == nil })
    expect(server.received[0].headers["content-type"], equals: "application/json")
  }

  @Test("connections are kept and used again; what ends with its connection is whole too")
  func reuse() throws {
    let server = try LoopbackServer { request in
      request.target == "/last" ? [.text("HTTP/1.1 200 OK\r\n\r\n{}"), .close] : [.reply("{}")]
    }
    try server.serving {
      let transport = try CurlTransport()
      var made = 0
      for _ in 0..<5 {
        made += try transfer([order(server.url + "/a")], with: transport)[0].get().newConnections
      }
      expect(made, equals: 1)
      try expect(transfer([order(server.url + "/last")], with: transport)[0].get().body.count, equals: 2)
      _ = try transfer([order(server.url + "/b")], with: transport)[0].get()
    }
    expect(server.connectionCount, equals: 2)
    expect(server.received.prefix(6).map(\.number), equals: [1, 2, 3, 4, 5, 6])
  }

  @Test("no more transfers at a time than allowed; the others wait for their turn, and too many fail at once")
  func turns() throws {
    let now = Atomic(0)
    let most = Atomic(0)
    let server = try LoopbackServer { _ in
      most.max(now.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
      usleep(20_000)
      now.subtract(1, ordering: .relaxed)
      return [.reply("{}")]
    }
    try server.serving {
      let transport = try CurlTransport(.init(transfers: 3, waiting: 9))
      let outcomes = try transfer((0..<12).map { try order(server.url + "/\($0)") }, with: transport)
      expect(outcomes.count, equals: 12)
      #expect(outcomes.allSatisfy { failure($0) == nil })
      #expect(most.load(ordering: .relaxed) <= 3)
      let many = try transfer((0..<13).map { try order(server.url + "/\($0)") }, with: transport)
      expect(many.compactMap(failure).map(\.message), equals: ["there are already 12 transfers"])
    }
  }

  @Test("gzip and chunks are taken apart")
  func packed() throws {
    let body = Array(String(repeating: "[1,2,3] ", count: 10_000).utf8)
    let packed = gzipped(body)
    let server = try LoopbackServer { request in
      if request.target == "/gzip" { return [.reply(bytes: packed, ["Content-Encoding: gzip"])] }
      let chunks = [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "3\r\n[1,\r\n", "2\r\n2]\r\n", "0\r\n\r\n",
      ]
      return chunks.flatMap { [.text($0), .pause(milliseconds: 5)] }
    }
    try server.serving {
      let unpacked = try transfer(order(server.url + "/gzip")).get()
      expect(unpacked.body, equals: body)
      let joined = try transfer(order(server.url + "/chunks")).get()
      expect(joined.body, equals: Array("[1,2]".utf8))
    }
  }

  @Test("a header line without an end is too large, and no lack of memory")
  func endlessHeader() throws {
    let server = try LoopbackServer { _ in
      [.text("HTTP/1.1 200 OK\r\nX-A: ")]
        + Array(repeating: .send([UInt8](repeating: 0x61, count: 65536)), count: 100) + [.close]
    }
    try server.serving {
      guard case .failure(let error) = try transfer(order(server.url)) else {
        Issue.record("it was taken")
        return
      }
      #expect(error.kind == .tooLarge && "\(error)".contains("header"), "\(error)")
    }
  }

  @Test("the limit of a body applies to the decompressed size, whatever length is declared")
  func tooLarge() throws {
    let bomb = gzipped([UInt8](repeating: 0x20, count: 30_000_000))
    #expect(bomb.count < 100_000)
    let server = try LoopbackServer { request in
      switch request.target {
      case "/bomb": [.reply(bytes: bomb, ["Content-Encoding: gzip"])]
      case "/exact": [.reply(bytes: [UInt8](repeating: 0x20, count: 1_000_000), [])]
      case "/headers":
        [.text("HTTP/1.1 200 OK\r\n")]
          + (0..<200).map { .text("X-\($0): \(String(repeating: "a", count: 3000))\r\n") }
          + [.text("\r\n"), .close]
      default:
        [.text("HTTP/1.1 200 OK\r\n\r\n")]
          + Array(repeating: .send([UInt8](repeating: 0x20, count: 65536)), count: 100) + [.close]
      }
    }
    try server.serving {
      func limited(_ path: String) throws -> Outcome {
        try transfer(
          order(server.url + path) {
            $0.limits.bodyBytes = 1_000_000
            if path == "/bomb" { $0.limits.bodyOption = "max_size" }
          })
      }
      try expect(limited("/exact").get().body.count, equals: 1_000_000)
      for path in ["/bomb", "/endless"] {
        let failed = try failure(limited(path))
        expect(failed?.kind, equals: .tooLarge)
        let limit = path == "/bomb" ? "max_size," : "the limit of"
        expect(failed?.message, equals: "the response is larger than \(limit) 1000000 bytes")
      }
      #expect(try failure(limited("/headers")) != nil)
    }
  }

  @Test("a truncated body is distinguished from a complete one")
  func broken() throws {
    let server = try LoopbackServer { request in
      switch request.target {
      case "/length": [.text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1,2"), .close]
      case "/chunk": [.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n[1,2"), .close]
      case "/reset":
        [.text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1,2"), .pause(milliseconds: 20), .reset]
      case "/gzip":
        [.reply(bytes: [0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7], ["Content-Encoding: gzip"])]
      default: [.close]
      }
    }
    try server.serving {
      for path in ["/length", "/chunk", "/reset", "/nothing", "/gzip"] {
        let failed = try failure(transfer(order(server.url + path)))
        expect(failed?.kind, equals: .interrupted, "\(path)")
        let opening = path == "/gzip" ? "the gzip data is damaged" : "the connection broke: "
        expect(failed?.message.hasPrefix(opening), equals: true, "\(path)")
      }
    }
  }

  @Test("an unreachable server is reported as such")
  func unreachable() throws {
    // A port that was free a moment ago.
    let url = try LoopbackServer { _ in [] }.url
    let refused = try failure(transfer(order(url)))
    expect(refused?.kind, equals: .unreachable)
    expect(refused?.message.hasPrefix("cannot connect: "), equals: true)
    let unknown = try failure(transfer(order("http://nobody.invalid/")))
    expect(unknown?.kind, equals: .unreachable)
  }

  @Test("silence, a stall and a drip without end run out of time, each by its own limit")
  func timeouts() throws {
    let server = try LoopbackServer { request in
      let head = LoopbackServer.Step.text("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
      switch request.target {
      case "/silent": return [.pause(milliseconds: 8000)]
      case "/stall": return [head, .text("[1,"), .pause(milliseconds: 8000)]
      default: return [head] + (0..<320).flatMap { _ in [.text("1"), .pause(milliseconds: 25)] }
      }
    }
    let limits = TransferLimits(
      connect: .seconds(5), firstByte: .milliseconds(200), stall: .milliseconds(600),
      whole: .milliseconds(1500))
    try server.serving {
      let transport = try CurlTransport()
      let start = Date()
      let outcomes = try transfer(
        ["/silent", "/stall", "/drip"].map { try order(server.url + $0) { $0.limits = limits } },
        with: transport)
      let phases: [FetchError.Kind] = [.timeout(.firstByte), .timeout(.stall), .timeout(.whole)]
      expect(outcomes.map { failure($0)?.kind }, equals: phases)
      expect(failure(outcomes[0])?.message, equals: "connected, but no response within 1 s")
      #expect(Date().timeIntervalSince(start) < 6)
    }
  }

  @Test("a connection that is never taken runs out of time")
  func connecting() throws {
    // A listener whose line is full neither takes a connection nor refuses it.
    let full = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(full) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var waiting: [Int32] = []
    defer { for socket in waiting { close(socket) } }
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = bind(full, address, size) | listen(full, 0) | getsockname(full, address, &size)
        for _ in 0..<4 {
          let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
          _ = connect(client, address, size)
          waiting.append(client)
        }
      }
    }
    let url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"
    let failed = try failure(transfer(order(url) { $0.limits.connect = .milliseconds(300) }))
    expect(failed, equals: TransferError(.timeout(.connect), "no connection within 1 s"))
  }

  @Test("cancelled transfers report nothing, and released ones fail")
  func cancelled() throws {
    let server = try LoopbackServer { request in
      request.target == "/quick" ? [.reply("{}")] : [.pause(milliseconds: 1000), .reply("{}")]
    }
    try server.serving {
      var transport: CurlTransport? = try CurlTransport()
      let told = Atomic(0)
      let subscription = try transport?.start(order(server.url + "/slow")) { _ in
        told.add(1, ordering: .relaxed)
      }
      while server.received.isEmpty { usleep(1000) }
      subscription?.dispose()
      if let transport {
        try expect(transfer([order(server.url + "/quick")], with: transport)[0].get().status, equals: 200)
      }
      expect(told.load(ordering: .relaxed), equals: 0)
      let failed = Locked<Outcome?>(nil)
      let left = try transport?.start(order(server.url + "/slow")) { outcome in
        failed.withLock { $0 = outcome }
      }
      transport = nil
      while failed.withLock({ $0 == nil }) { usleep(1000) }
      expect(failed.withLock { $0 }.flatMap(failure)?.kind, equals: .cancelled)
      left?.dispose()
    }
  }

  @Test("redirects are answers, not followed by libcurl itself")
  func redirect() throws {
    let server = try LoopbackServer { _ in [.reply("", status: "301 Moved", ["Location: file:///etc/passwd"])]
    }
    try server.serving {
      let answer = try transfer(order(server.url)).get()
      expect(answer.status, equals: 301)
      expect(answer.headers["location"], equals: "file:///etc/passwd")
    }
  }

  @Test("a proxy of the proxyEnvironment is asked, unless the host is excepted")
  func proxied() throws {
    let proxy = try LoopbackServer { _ in [.reply("{}")] }
    try proxy.serving {
      var proxyEnvironment = ProxyEnvironment()
      proxyEnvironment.httpProxy = proxy.url
      let answer = try transfer(order("http://nobody.invalid/a"), .init(proxyEnvironment: proxyEnvironment))
        .get()
      expect(answer.status, equals: 200)
      proxyEnvironment.noProxy = "example.org,.invalid"
      let direct = try transfer(order("http://nobody.invalid/a"), .init(proxyEnvironment: proxyEnvironment))
      expect(failure(direct)?.kind, equals: .unreachable)
    }
    expect(proxy.received.map(\.target), equals: ["http://nobody.invalid/a"])
  }
}
