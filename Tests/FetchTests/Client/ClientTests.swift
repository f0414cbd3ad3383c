import Expectations
import JSON
import Reactive
import Store
import Testing

@testable import Fetch

/// Whole fetches in virtual time: what is asked when, and what comes of it.
@Suite struct ClientTests {
  let url = "https://ll.example.org/launches"

  @Test("JSON comes as a value, with the headers that say what is wanted")
  func plain() throws {
    let play = Play(file: try WebFile()) { _, _ in .answer(#"{"a": [1]}"#, 200, [("X-A", "b")]) }
    let answer = try play.fetch(try request(url) { $0.headers = [Header("X-Mine", "c")] })
    #expect(answer.value == (try Value.parse(#"{"a": [1]}"#)))
    expect(answer.headers["x-a"], equals: "b")
    expect(answer.freshness, equals: .fresh)
    #expect(!answer.isFromCache)
    expect(answer.tries, equals: 1)
    let order = try #require(play.script.calls.first?.order)
    expect(order.headers, equals: [Header("X-Mine", "c"), Header("Accept", "application/json")])
  }

  @Test("anything may be asked for, and nothing may come")
  func bytes() throws {
    let play = Play(file: try WebFile()) { order, _ in
      .answer("\u{1}", order.method == .head ? 200 : 200 + order.body.count)
    }
    let answer = try play.fetch(try request(url) { $0.expectation = .anything })
    expect(answer.bytes, equals: [1])
    #expect(answer.value.isNull)
    #expect(try play.fetch(try request(url) { $0.method = .head }).value.isNull)
    let done = try play.fetch(try request(url) { ($0.method, $0.body) = (.post, [1, 2, 3, 4]) })
    expect(done.status, equals: 204)
    #expect(done.value.isNull)
  }

  @Test("an error says who was asked what, what came, and nothing that is secret")
  func refused() throws {
    let play = Play(file: try WebFile()) { _, _ in
      .answer(#"{"error": {"code": "API_KEY_INVALID", "message": "key hunter2-long is bad"}}"#, 403)
    }
    let failed = failure { _ = try play.fetch(try request(url + "?api_key=hunter2-long")) }
    expect(failed?.status, equals: 403)
    expect(failed?.serverMessage, equals: "key *** is bad")
    expect(
      "\(try #require(failed))",
      equals: "GET https://ll.example.org/launches?api_key=***: answered 403 Forbidden: key *** is bad")
    expect(play.times.count, equals: 1)
  }

  @Test("nothing is sent of a request that is wrong by itself")
  func flawed() throws {
    let play = Play(file: try WebFile()) { _, _ in .answer("1") }
    let failed = failure { _ = try play.fetch(try request(url) { $0.headers = [Header("A", "b\n")] }) }
    expect(failed?.kind, equals: .request)
    expect(play.times, equals: [])
  }

  @Test("what may pass is tried again, later each time, and told with how often")
  func retries() throws {
    let play = Play(file: try WebFile()) { _, number in
      switch number {
      case 1: .failed(.unreachable)
      case 2: .answer("<html><title>502 Bad Gateway</title></html>", 502)
      case 3: .answer(#"{"a": [1"#)
      default: .answer("[7]")
      }
    }
    let answer = try play.fetch(try request(url))
    expect(answer.tries, equals: 4)
    expect(play.times, equals: [0, 1100, 3200, 7300].map { .milliseconds($0) })
    expect(
      play.told,
      equals: [
        "GET \(url): it broke; next attempt in 1 s",
        "GET \(url): answered 502 Bad Gateway: an HTML page titled “502 Bad Gateway” (tried 2 times); next attempt in 2 s",
        "GET \(url): answered 200 OK with JSON that ends after 8 bytes: …{\"a\": [1 (tried 3 times); next attempt in 4 s",
      ])
    let broken = Play(file: try WebFile()) { _, _ in .failed(.interrupted) }
    let failed = failure { _ = try broken.fetch(try request(url)) }
    expect(failed?.kind, equals: .interrupted)
    expect(failed?.tries, equals: 4)
    expect(broken.times.count, equals: 4)
  }

  @Test("the repetition of a poll is one request, out of the first third of the budget")
  func repetition() throws {
    let budget = SiteBudget([.init(6, per: .seconds(3600))])
    let play = Play(["ll.example.org": budget], file: try WebFile()) { _, _ in .failed(.interrupted) }
    let again = try request(url) { ($0.isRepetition, $0.whenUnpaid) = (true, .fail) }
    for _ in 0..<2 {
      expect(failure { _ = try play.fetch(again) }?.kind, equals: .interrupted)
    }
    expect(play.times.count, equals: 2)
    let unpaid = failure { _ = try play.fetch(again) }
    expect(unpaid?.kind, equals: .budget)
    #expect(unpaid?.retryAt ?? 0 > Play.start + 3590)
    // Of what the schedule asks for all of it is left.
    expect(failure { _ = try play.fetch(try request(url)) }?.tries, equals: 3)
    expect(play.times.count, equals: 5)
  }

  @Test("what must not be repeated is not, unless it is marked so")
  func unrepeatable() throws {
    for (isRepeatable, count) in [(false, 1), (true, 4)] {
      let play = Play(file: try WebFile()) { _, _ in .failed(.interrupted) }
      let post = try request(url) { ($0.method, $0.isRepeatable) = (.post, isRepeatable) }
      #expect(failure { _ = try play.fetch(post) } != nil)
      expect(play.times.count, equals: count)
    }
  }

  @Test("a server that wants to be left alone is: shortly within a fetch, for long by everybody")
  func leftAlone() throws {
    let file = try Folder()
    let wait = #"{"detail": "Request was throttled. Expected available in 1716 seconds."}"#
    let play = Play(file: try WebFile(path: file.file)) { _, number in
      switch number {
      case 1: .answer("slow down", 429, [("Retry-After", "40")])
      case 2: .answer(wait, 429)
      default: .answer("[1]")
      }
    }
    let failed = failure { _ = try play.fetch(try request(url)) }
    expect(play.times, equals: [.zero, .milliseconds(40_100)])
    expect(failed?.status, equals: 429)
    expect(failed?.retryAt, equals: Play.start + 40.2 + 1716)
    // Of another process, and of this one.
    let other = Play(file: try WebFile(path: file.file), clock: play.clock) { _, _ in .answer("[2]") }
    let now = play.clock.now - Instant()
    try expect(other.fetch(try request(url)).tries, equals: 1)
    #expect(other.times.allSatisfy { $0 >= .milliseconds(1_756_200) && $0 < .milliseconds(1_756_300) })
    let left = Int((Duration.milliseconds(1_756_200) - now).inSeconds.rounded(.up))
    expect(
      other.told,
      equals: [
        "ll.example.org asked to wait \((left + 59) / 60) min (Retry-After); --refresh retries now"
      ])
    // Another site is not meant.
    try expect(play.fetch(try request("https://b.org/")).tries, equals: 1)
  }

  @Test("redirects are followed with the query, and refused where they lead astray")
  func redirects() throws {
    let play = Play(file: try WebFile()) { order, _ in
      switch order.address.text {
      case "https://ll.example.org/launches?limit=2": .answer("", 301, [("Location", "/launches/")])
      case "https://ll.example.org/away": .answer("", 302, [("Location", "http://ll.example.org/")])
      case "https://ll.example.org/circle": .answer("", 302, [("Location", "/circle")])
      default: .answer("[1]")
      }
    }
    let answer = try play.fetch(try request(url + "?limit=2"))
    expect(answer.address.text, equals: "https://ll.example.org/launches/?limit=2")
    let astray = failure { _ = try play.fetch(try request("https://ll.example.org/away")) }
    expect(astray?.kind, equals: .redirect)
    let before = play.times.count
    expect(
      failure { _ = try play.fetch(try request("https://ll.example.org/circle")) }?.kind, equals: .redirect)
    expect(play.times.count, equals: before + 1 + Redirects.limit)
  }

  @Test("a disposed fetch reports nothing more and sends no requests")
  func cancelled() throws {
    for moment in [Duration.zero, .milliseconds(50), .milliseconds(500), .milliseconds(1150)] {
      let play = Play(file: try WebFile()) { _, _ in .failed(.interrupted) }
      let subscription = play.start(try request(url))
      play.clock.advance(by: moment)
      subscription.dispose()
      let calls = play.times.count
      play.clock.run()
      expect(play.times.count, equals: calls)
      #expect(play.results.isEmpty)
    }
  }

  @Test("one that is disposed before it begins costs nothing")
  func neverBegun() throws {
    let play = Play(["ll.example.org": SiteBudget([.init(1, per: .seconds(60))])], file: try WebFile()) {
      _, _ in
      .answer("1")
    }
    play.start(try request(url)).dispose()
    play.clock.run()
    expect(play.times, equals: [])
    try expect(play.client.left(of: Request(try Address(url))), equals: 1)
  }

  @Test("nothing of a fetch stays behind")
  func released() throws {
    weak var client: Client?
    try {
      let play = Play(file: try WebFile()) { _, number in number < 3 ? .failed(.interrupted) : .answer("[1]")
      }
      client = play.client
      _ = try play.fetch(try request(url))
      play.start(try request(url)).dispose()
      play.clock.run()
    }()
    expectNil(client)
  }
}
