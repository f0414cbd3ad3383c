import Expectations
import Glibc
import JSON
import Reactive
import System
import TestSupport
import Testing

@testable import Page

/// A connection to a page, byte by byte.
private final class Client {
  private let descriptor: Int32
  private var received: [UInt8] = []

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isUp = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
    }
    try #require(isUp)
    var time = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close() }

  private var isClosed = false

  func close() {
    if !isClosed { _ = Glibc.close(descriptor) }
    isClosed = true
  }

  @discardableResult
  func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  func get(_ path: String, _ headers: String = "") {
    send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n")
  }

  /// What arrives until it contains a text, or until the end.
  func read(until text: String? = nil) -> String {
    let wanted = text.map { Array($0.utf8) }
    var block = [UInt8](repeating: 0, count: 65536)
    while true {
      if let wanted, let range = received.firstRange(of: wanted) {
        defer { received.removeSubrange(..<range.upperBound) }
        return String(decoding: received[..<range.upperBound], as: UTF8.self)
      }
      let count = recv(descriptor, &block, block.count, 0)
      if count <= 0 { return String(decoding: received, as: UTF8.self) }
      received += block[..<count]
    }
  }
}

@Suite("Server of pages", .timeLimit(.minutes(30)))
struct PageServerTests {
  private let page = PageFixture()

  private func serve(_ change: (inout PageServer.Limits) -> Void = { _ in }) throws -> (PageServer, Int) {
    var limits = PageServer.Limits()
    change(&limits)
    let server = try PageServer(
      page.hub, at: .tcp(host: "127.0.0.1", port: 0), token: nil, hasPictures: false, limits: limits)
    guard case .tcp(_, let port) = server.address else { throw Failure() }
    return (server, port)
  }

  private struct Failure: Error {}

  @Test("it answers many requests on one connection")
  func requests() throws {
    let (server, port) = try serve()
    let client = try Client(port: port)
    for _ in 0..<500 {
      client.get("/v/p/s")
      // The document comes in parts, the last of which is empty.
      let answer = client.read(until: "\r\n0\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("</html>"))
    }
    server.stop()
  }

  @Test("a change reaches every open tab, and tabs that have gone are forgotten")
  func live() throws {
    let (server, port) = try serve()
    let clients = try (0..<500).map { _ in try Client(port: port) }
    for client in clients {
      client.get("/live/p/s?since=a-0")
      #expect(client.read(until: "event: poll\n").contains("text/event-stream"))
    }
    #expect(server.streamCount == 500 && page.view.readerCount == 500)
    page.show(1, try PageFixture.row("a", #"{"title": "Arrived"}"#))
    for client in clients { #expect(client.read(until: "Arrived").contains("id: a-1\nevent: rows\n")) }
    for client in clients { client.close() }
    // A tab that has gone is noticed by the next events.
    #expect(
      eventually {
        page.view.notePoll(at: Double(MonotonicClock.now.nanoseconds), staleness: nil)
        return server.streamCount == 0
      })
    expect(page.view.readerCount, equals: 0)
    server.stop()
  }

  @Test("a tab that reconnects names the last event it has seen, which counts more than its page")
  func resumed() throws {
    let (server, port) = try serve()
    page.show(3, try PageFixture.row("a", #"{"title": "Third"}"#, commit: 3))
    let client = try Client(port: port)
    client.get("/live/p/s?since=a-0", "Last-Event-ID: a-3\r\n")
    #expect(!client.read(until: "event: poll\n").contains("Third"))
    let other = try Client(port: port)
    other.get("/live/p/s?since=a-0", "Last-Event-ID: a-2\r\n")
    #expect(other.read(until: "Third").contains("id: a-3\n"))
    // Open tabs do not keep the server from stopping.
    #expect(elapsed { server.stop() } < .seconds(5))
    #expect(elapsed { _ = client.read() } < .seconds(5))
  }

  @Test("more tabs than the limit are refused, and pages still answer")
  func tooMany() throws {
    let (server, port) = try serve { $0.streams = 2 }
    let clients = try (0..<3).map { _ in try Client(port: port) }
    for client in clients { client.get("/live/p/s?since=a-0") }
    let answers = clients.map { $0.read(until: "\r\n") }
    expect(answers.filter { $0.hasPrefix("HTTP/1.1 200") }.count, equals: 2)
    expect(answers.filter { $0.hasPrefix("HTTP/1.1 503") }.count, equals: 1)
    let reader = try Client(port: port)
    reader.get("/")
    #expect(reader.read(until: "</html>").hasPrefix("HTTP/1.1 200"))
    server.stop()
  }

  @Test("a request that does not arrive in time is cut off, whatever it sends meanwhile")
  func slow() throws {
    let (server, port) = try serve { $0.arrival = .milliseconds(200) }
    let client = try Client(port: port)
    let time = elapsed {
      _ = eventually {
        usleep(20_000)
        return !client.send("G")
      }
    }
    #expect(time < .seconds(5))
    let reader = try Client(port: port)
    reader.get("/")
    #expect(reader.read(until: "</html>").hasPrefix("HTTP/1.1 200"))
    server.stop()
  }

  @Test("headers and bodies that are too long are refused")
  func tooLong() throws {
    let (server, port) = try serve()
    let headers = try Client(port: port)
    headers.get("/", "X: \(String(repeating: "x", count: 100_000))\r\n")
    let answer = headers.read()
    #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"))
    let body = try Client(port: port)
    body.send("POST /settings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\n")
    body.send(String(repeating: "x", count: 9000))
    expect(body.read(until: "\r\n"), equals: "HTTP/1.1 413 Content Too Large\r\n")
    server.stop()
  }

  @Test("a foreign host and a path with dots are refused on the wire too")
  func refused() throws {
    let (server, port) = try serve()
    let foreign = try Client(port: port)
    foreign.send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")
    #expect(foreign.read(until: "\r\n").hasPrefix("HTTP/1.1 421"))
    let two = try Client(port: port)
    two.send("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
    #expect(two.read(until: "\r\n").hasPrefix("HTTP/1.1 4"))
    for path in ["/assets/../../../etc/passwd", "/assets/%2e%2e/%2e%2e/etc/passwd", "/v/p/s%00"] {
      let client = try Client(port: port)
      client.get(path)
      #expect(!client.read(until: "</html>").contains("root:"))
    }
    server.stop()
  }

  @Test("a socket at a path is for this user, and is removed at the end")
  func path() throws {
    let folder = try TemporaryFolder()
    let path = folder["page.sock"]
    let server = try PageServer(page.hub, at: .unix(path: path), token: nil, hasPictures: false)
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(throws: Sentence.self) {
      try PageServer(page.hub, at: .unix(path: path), token: nil, hasPictures: false)
    }
    expect(server.urls, equals: ["unix:\(path)"])
    server.stop()
    #expect(lstat(path, &status) != 0)
  }

  @Test("a port that is in use is refused with a sentence")
  func port() throws {
    let (server, port) = try serve()
    do {
      _ = try PageServer(page.hub, at: .tcp(host: "127.0.0.1", port: port), token: nil, hasPictures: false)
      Issue.record("two servers listen on one port")
    } catch {
      expect(error.description, equals: "port \(port) is in use; port 0 takes a free one")
    }
    server.stop()
  }
}
