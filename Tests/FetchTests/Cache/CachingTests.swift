import Expectations
import JSON
import Reactive
import Store
import Testing

@testable import Fetch

/// The cache at work, in virtual time.
@Suite struct CachingTests {
  let folder: Folder
  init() throws { folder = try Folder() }

  let hour = Duration.seconds(3600)

  func asking(_ url: String = "https://a.org/x", _ change: (inout Request) -> Void = { _ in }) throws
    -> Request
  {
    try request(url) {
      $0.cache = CacheRule(maximumAge: hour, staleAge: .seconds(86400))
      change(&$0)
    }
  }

  func play(_ answer: @escaping @Sendable (TransferOrder, Int) -> Script.Outcome) throws -> Play {
    Play(file: try WebFile(path: folder.file), answer)
  }

  @Test("what is young enough costs no call, in another process neither")
  func young() throws {
    let first = try play { _, number in .answer("[\(number)]", 200, [("Content-Type", "application/json")]) }
    try expect(first.fetch(try asking()).isFromCache, equals: false)
    first.clock.advance(to: Instant() + .seconds(3000))
    let again = try first.fetch(try asking())
    #expect(again.value == (try Value.parse("[1]")))
    #expect(again.isFromCache)
    expect(again.freshness, equals: .fresh)
    expect(again.headers["content-type"], equals: "application/json")
    expect(again.tries, equals: 0)
    #expect(again.age >= 2999 && again.age <= 3001)
    first.clock.advance(by: .seconds(601))
    #expect(try first.fetch(try asking()).value == (try Value.parse("[2]")))
    let second = try play { _, _ in .answer("[9]") }
    // Its clock begins where the other's began, so the answer is of its future: as old as can be.
    #expect(try second.fetch(try asking()).value == (try Value.parse("[9]")))
    #expect(try second.fetch(try asking()).isFromCache)
  }

  @Test("what has not changed is not sent again")
  func revalidated() throws {
    let play = try play { order, number in
      let conditions = order.headers.filter { $0.name.hasPrefix("If-") }
      if number == 1 {
        return .answer(
          "[1]", 200,
          [
            ("ETag", "\"v1\""), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("Date", "Sun, 06 Nov 1994 08:49:38 GMT"),
          ])
      }
      if conditions.map(\.value) == ["\"v1\"", "Sun, 06 Nov 1994 08:49:37 GMT"] { return .answer("", 304) }
      return .answer("[2]")
    }
    _ = try play.fetch(try asking())
    play.clock.advance(by: hour)
    let again = try play.fetch(try asking())
    expect(again.freshness, equals: .revalidated)
    #expect(again.value == (try Value.parse("[1]")))
    expect(again.age, equals: 0)
    expect(again.tries, equals: 1)
    try expect(play.fetch(try asking()).tries, equals: 0)
    // Asked anew it is sent whole, and kept.
    let anew = try play.fetch(try asking { $0.refresh = true })
    #expect(anew.value == (try Value.parse("[2]")))
    expect(play.script.calls.last?.order.headers.contains(Header("Cache-Control", "no-cache")), equals: true)
    #expect(try play.fetch(try asking()).value == (try Value.parse("[2]")))
    expect(play.times.count, equals: 3)
  }

  @Test("an unrequested 304 is an error")
  func unasked() throws {
    let play = try play { _, _ in .answer("", 304) }
    expect(failure { _ = try play.fetch(try asking()) }?.status, equals: 304)
  }

  @Test("a stale response replaces one that cannot be fetched, and is marked")
  func stale() throws {
    let play = try play { _, number in number == 1 ? .answer("[1]") : .answer("<html>down", 503) }
    _ = try play.fetch(try asking())
    play.clock.advance(by: hour * 3)
    let old = try play.fetch(try asking())
    expect(old.freshness, equals: .stale)
    #expect(old.value == (try Value.parse("[1]")))
    expect(old.staleBecause?.status, equals: 503)
    expect(old.tries, equals: 4)
    #expect(old.age > 10_800 && old.age < 10_820)
    play.clock.advance(by: .seconds(86400))
    expect(failure { _ = try play.fetch(try asking()) }?.status, equals: 503)
  }

  @Test("what the server says for good is not covered up by an old answer")
  func gone() throws {
    let play = try play { _, number in
      switch number {
      case 1: .answer("[1]")
      case 2: .answer("Not Found", 404)
      default: .failed(.encryption)
      }
    }
    _ = try play.fetch(try asking())
    play.clock.advance(by: hour)
    expect(failure { _ = try play.fetch(try asking()) }?.status, equals: 404)
    expect(failure { _ = try play.fetch(try asking()) }?.kind, equals: .encryption)
  }

  @Test("a body that is not JSON is never cached, and a stale response replaces it")
  func notJSON() throws {
    let play = try play { _, number in
      number == 1
        ? .answer("[1]") : .answer("<!doctype html><title>Sorry</title>", 200, [("ETag", "\"bad\"")])
    }
    _ = try play.fetch(try asking())
    play.clock.advance(by: hour)
    try expect(play.fetch(try asking()).staleBecause?.kind, equals: .notJSON)
    try expect(play.fetch(try asking()).freshness, equals: .stale)
    #expect(play.script.calls.allSatisfy { !$0.order.headers.contains(Header("If-None-Match", "\"bad\"")) })
  }

  @Test("a budget that is spent is a reason to take the old answer, where waiting is not wanted")
  func unpaid() throws {
    let play = Play(
      ["a.org": SiteBudget([.init(1, per: .seconds(86400))])], file: try WebFile(path: folder.file)
    ) { _, number in .answer("[\(number)]") }
    _ = try play.fetch(try asking())
    play.clock.advance(by: hour)
    let old = try play.fetch(try asking { $0.whenUnpaid = .fail })
    expect(old.staleBecause?.kind, equals: .budget)
    expect(old.tries, equals: 1)
    expect(play.times.count, equals: 1)
  }

  @Test("no secret lies in the file, and what was hidden comes back")
  func secrets() throws {
    let body = #"{"next": "https://a.org/x?api_key=hunter2-long&page=2", "you": "bearer-secret"}"#
    let play = try play { _, _ in .answer(body) }
    let request = try asking("https://a.org/x?api_key=hunter2-long") {
      $0.headers = [Header("Authorization", "Bearer bearer-secret")]
    }
    _ = try play.fetch(request)
    let again = try play.fetch(request)
    #expect(again.isFromCache)
    #expect(again.value == (try Value.parse(body)))
    let stored = try folder.bytes()
    #expect(stored.contains(subsequence: "api_key=***"))
    #expect(!stored.contains(subsequence: "hunter2-long"))
    #expect(!stored.contains(subsequence: "bearer-secret"))
    // Another key is another answer.
    let other = try asking("https://a.org/x?api_key=another-key")
    try expect(play.fetch(other).isFromCache, equals: false)
  }

  @Test("any bytes are kept too, as long as they are not too many")
  func anyBytes() throws {
    let play = Play(file: try WebFile(path: folder.file), cacheBytes: 1000) { order, number in
      let count = order.address.path == "/large" ? 251 : 200
      return .success(TransferResponse(status: 200, body: [UInt8](repeating: 0xff, count: count)))
    }
    for (path, isKept) in [("/small", true), ("/large", false)] {
      let request = try asking("https://a.org" + path) { $0.expectation = .anything }
      try expect(play.fetch(request).isFromCache, equals: false)
      let again = try play.fetch(request)
      expect(again.isFromCache, equals: isKept)
      #expect(again.bytes.allSatisfy { $0 == 0xff } && again.bytes.count >= 200)
    }
  }

  @Test("without the cache it goes on, and says so")
  func broken() throws {
    let play = try play { _, number in .answer("[\(number)]") }
    try Database(path: folder.file).execute("DROP TABLE answers")
    for number in 1...2 {
      #expect(try play.fetch(try asking()).value == (try Value.parse("[\(number)]")))
    }
    expect(play.told.count, equals: 4)
    #expect(
      play.told.allSatisfy {
        $0.hasPrefix("continuing without cache and budgets: ") && $0.contains("no such table")
      })
  }

  @Test("a secret that the client knows is neither in an error nor on the disk, wherever the request has it")
  func knownSecrets() throws {
    let folder = try Folder()
    let secret = "SEKRET/token+1"
    for place in ["https://a.org/bot\(secret)/x", "https://a.org/x?access=\(secret)"] {
      let play = Play(file: try WebFile(path: folder.file), secrets: [secret, "elsewhere"]) { order, number in
        number == 1
          ? .answer(#"{"you":"SEKRET\/token+1"}"#, 200, [("X-You", secret)]) : .answer(secret, 403)
      }
      let asked = try request(place) { $0.cache = CacheRule(maximumAge: .seconds(60)) }
      let first = try play.fetch(asked)
      try expect(play.fetch(asked).value, equals: first.value)
      let failed = failure { _ = try play.fetch(try request(place)) }
      #expect(failed?.status == 403 && failed.map { "\($0)".contains("SEKRET") } == false, "\(failed as Any)")
      expect(asked.budgetKey, equals: "a.org")
    }
    let stored = String(decoding: try folder.bytes(), as: UTF8.self)
    #expect(!stored.contains("SEKRET") && stored.contains("***"))
  }
}
