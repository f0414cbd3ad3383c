import Expectations
import System
import Foundation
import JSON
import Loopback
import Reactive
import Store
import Synchronization
import Testing

@testable import Fetch

/// The whole of it in real time: a thread that waits, libcurl, a server.
@Suite(.timeLimit(.minutes(30))) struct BlockingFetchTests {
  func client(
    _ budgets: [String: SiteBudget] = [:],
    clock: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
  ) throws -> Client {
    Client(
      try CurlTransport(), file: try WebFile(), on: SerialScheduler(name: "fetch"),
      wallClock: clock,
      .init(
        budgets: budgets,
        retry: RetryPolicy(backoff: Backoff(initial: .milliseconds(20), cap: .milliseconds(50), attempts: 3)))
    )
  }

  @Test("redirect, failure, second try, answer, cache, not changed")
  func whole() throws {
    let packed = gzipped(Array(#"{"results": [1, 2]}"#.utf8))
    let server = try LoopbackServer { request in
      if request.target == "/launches?limit=2" {
        return [.reply("", status: "301 Moved", ["Location: /launches/?limit=2"])]
      }
      if request.headers["if-none-match"] == "\"v1\"" { return [.text("HTTP/1.1 304 Not Modified\r\n\r\n")] }
      if request.number == 2, request.connection == 1 {
        return [.text("HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{"), .close]
      }
      return [
        .reply(bytes: packed, ["Content-Encoding: gzip", "Content-Type: application/json", "ETag: \"v1\""])
      ]
    }
    try server.serving {
      let time = Atomic(1_800_000_000)
      let client = try client { Double(time.load(ordering: .relaxed)) }
      var request = try request(server.url + "/launches?limit=2")
      request.cache = CacheRule(maximumAge: .seconds(60))
      let first = try client.fetch(request)
      #expect(first.value == (try Value.parse(#"{"results": [1, 2]}"#)))
      expect(first.tries, equals: 2)
      #expect(try client.fetch(request).isFromCache)
      time.add(60, ordering: .relaxed)
      let again = try client.fetch(request)
      expect(again.freshness, equals: .revalidated)
      expect(again.value, equals: first.value)
    }
  }

  @Test("a stop sign ends any wait at once: for an answer, for a second try, for the budget")
  func stopped() throws {
    let server = try LoopbackServer { request in
      request.target == "/slow" ? [.pause(milliseconds: 8000), .reply("1")] : [.reply("1")]
    }
    try server.serving {
      let site = "127.0.0.1:\(server.port)"
      let client = try client([site: SiteBudget([.init(2, per: .seconds(3600))])])
      for path in ["/slow", "/quick", "/unpaid"] {
        let request = try request(server.url + path)
        if path == "/quick" {
          _ = try client.fetch(request)
          continue
        }
        let sign = StopSign()
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { sign.set() }
        let start = Date()
        let failed = failure { _ = try client.fetch(request, stop: sign) }
        expect(failed?.kind, equals: .cancelled)
        expect(failed?.message, equals: "stopped before the response arrived")
        #expect(Date().timeIntervalSince(start) < 6)
      }
      let sign = StopSign()
      sign.set()
      expect(failure { _ = try client.fetch(try request(server.url), stop: sign) }?.kind, equals: .cancelled)
    }
  }

  @Test("many threads fetch through one client")
  func threads() throws {
    let server = try LoopbackServer { request in [.reply("\"\(request.target)\"")] }
    try server.serving {
      let client = try client()
      let url = server.url
      let lock = NSLock()
      nonisolated(unsafe) var good = 0
      DispatchQueue.concurrentPerform(iterations: 40) { number in
        let answer = try? client.fetch(try request("\(url)/\(number)"))
        if answer?.value.string == "/\(number)" { lock.withLock { good += 1 } }
      }
      expect(good, equals: 40)
    }
  }
}
