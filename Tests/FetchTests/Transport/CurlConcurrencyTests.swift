import Expectations
import Glibc
import Loopback
import Synchronization
import Testing

@testable import Fetch

/// Transfers to one host beside each other.
@Suite(.timeLimit(.minutes(30))) struct CurlConcurrencyTests {
  /// What the server speaks.
  static let kinds = ["HTTP/1.0", "HTTP/1.1"]

  @Test(
    "two transfers to a host without HTTP/2 are under way at once, the first two and those after",
    arguments: kinds)
  func together(_ version: String) throws {
    let waiting = Atomic(0)
    let most = Atomic(0)
    let server = try LoopbackServer { _ in
      most.max(waiting.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
      // Answers when both are there, and in the end anyway.
      for _ in 0..<200 where most.load(ordering: .relaxed) < 2 { usleep(10_000) }
      waiting.subtract(1, ordering: .relaxed)
      return [.text("\(version) 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"), .close]
    }
    try server.serving {
      let transport = try CurlTransport()
      for round in 1...2 {
        most.store(0, ordering: .relaxed)
        let ends = CurlTransportTests().transfer(
          try (0..<2).map { try CurlTransportTests().order("\(server.url)/\(round)/\($0)") }, with: transport)
        #expect(ends.allSatisfy { (try? $0.get())?.status == 200 })
        expect(most.load(ordering: .relaxed), equals: 2, "in round \(round)")
      }
    }
  }

  @Test("a server that does not answer holds up no transfers to another, however many wait for it")
  func silent() throws {
    let asked = Atomic(0)
    let silent = try LoopbackServer { _ in
      asked.add(1, ordering: .relaxed)
      usleep(2_000_000)
      return [.close]
    }
    let other = try LoopbackServer { _ in [.text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")] }
    try silent.serving {
      try other.serving {
        let transport = try CurlTransport(.init(transfers: 5, transfersOfSite: 3))
        let order = try CurlTransportTests().order("\(silent.url)/")
        let waiting = (0..<50).map { _ in transport.start(order) { _ in } }
        for round in 0..<4 {
          let ends = CurlTransportTests().transfer(
            [try CurlTransportTests().order("\(other.url)/\(round)")], with: transport)
          #expect(ends.allSatisfy { (try? $0.get())?.status == 200 })
        }
        #expect(asked.load(ordering: .relaxed) <= 3, "not more at once than one site may have")
        for transfer in waiting { transfer.dispose() }
        // What was cancelled leaves its place to others.
        // Other silent servers do no more than this one.
        let more = try (0..<5).map { _ in try LoopbackServer { _ in [.pause(milliseconds: 2000), .close] } }
        for server in more {
          _ = transport.start(try CurlTransportTests().order("\(server.url)/")) { _ in }
        }
        let last = CurlTransportTests().transfer(
          [try CurlTransportTests().order("\(other.url)/last")], with: transport)
        withExtendedLifetime(more) {}
        #expect(last.allSatisfy { (try? $0.get())?.status == 200 })
      }
    }
  }
}
