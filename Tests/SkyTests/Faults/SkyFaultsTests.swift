import Expectations
import JSON
import Testing

@testable import Sky

@Suite struct SkyFaultsTests {
  private static let path = "/2.3.0/launches/upcoming/?limit=1&mode=list"

  private func sky(_ faults: String, seed: UInt64 = 1) throws -> Sky {
    Sky(seed: seed, faults: try SkyFaults(faults), upcoming: 5)
  }

  /// The answers to a request that is repeated every hour.
  private func answers(_ faults: String, seed: UInt64 = 1, _ count: Int = 400) throws -> [SkyAnswer] {
    let sky = try sky(faults, seed: seed)
    return (0..<count).map { sky.answer(.get(Self.path), at: LaunchWorldTests.time(Double($0) / 24)) }
  }

  @Test("faults are read with their rates, and by name alone have the usual one")
  func reading() throws {
    let faults = try SkyFaults("429=0.5, 5xx,html=0")
    expect(
      faults.rates, equals: [.tooMany: 0.5, .outage: SkyFaults.Kind.outage.usualRate, .html: 0, .ties: 1])
    #expect(!faults.has(.html) && faults.has(.tooMany) && !faults.has(.drip))
    try expect(SkyFaults("all").rates.count, equals: SkyFaults.Kind.allCases.count)
    try expect(SkyFaults("all=1,drip=0").rate(.drip), equals: 0)
    try expect(SkyFaults("none"), equals: .none)
    try expect(SkyFaults(""), equals: .usual)
    #expect(try !SkyFaults("ties=0").has(.ties))
  }

  @Test(
    "what is no fault and no rate is refused, with the names there are",
    arguments: ["htm", "429=2", "429=x", "drip="])
  func wrong(_ text: String) {
    #expect(throws: SkyFaults.InvalidFault.self) { try SkyFaults(text) }
    do { _ = try SkyFaults("htm") } catch {
      expect(error.unknown, equals: "htm")
      #expect(error.message.contains("429, 5xx, html"))
    }
  }

  @Test("a fault comes as often as it is to, and always the same way from the same seed")
  func rates() throws {
    let refused = try answers("429=0.25").map(\.status)
    #expect((70...130).contains(refused.count { $0 == 429 }))
    #expect(refused.allSatisfy { $0 == 429 || $0 == 200 })
    try expect(answers("429=0.25").map(\.status), equals: refused)
    #expect(try answers("429=0.25", seed: 2).map(\.status) != refused)
    // One fault more leaves those that there were.
    let both = try answers("429=0.25,html=0.3")
    expect(both.map { $0.status == 429 }, equals: refused.map { $0 == 429 })
  }

  @Test("each fault does to an answer what it is for")
  func kinds() throws {
    func one(_ faults: String) throws -> SkyAnswer {
      try sky(faults).answer(.get(Self.path), at: LaunchWorld.start)
    }
    let good = try one("none")
    #expect(good.status == 200 && good.delivery == .whole)
    try expect(one("html=1")[header: "content-type"], equals: "text/html; charset=utf-8")
    try expect(one("type=1")[header: "content-type"], equals: "text/plain; charset=utf-8")
    try expect(one("type=1").body, equals: good.body)
    try expect(one("truncate=1").delivery, equals: .truncated)
    try expect(one("drip=1").delivery, equals: .drip)
    try expect(one("reset=1").delivery, equals: .reset)
    #expect(try one("5xx=1").status >= 500)
    #expect(try one("404=1").status == 404 && one("404=1")[header: "content-type"] == "text/html")
    #expect(try one("null=1").status == 200 && one("null=1").text == "null")
    #expect(try one("blank=1").status == 200 && one("blank=1").body.isEmpty)
    try expect(one("down=1").delivery, equals: .reset)
    for path in [Self.path, "/v4/launches", "/planetary/apod"] {
      let answer = try sky("wait=1").answer(.get(path), at: LaunchWorld.start)
      #expect(answer.status == 429 && answer[header: "retry-after"] == "150")
    }
    let refused = try one("429=1")
    #expect(refused.status == 429 && refused[header: "retry-after"] == "60")
    try expect(
      sky("429=1").answer(.get("/v4/launches"), at: LaunchWorld.start).text, equals: "Too Many Requests")
    #expect(
      try sky("429=1").answer(.get("/planetary/apod"), at: LaunchWorld.start).text.contains("OVER_RATE_LIMIT")
    )
    try expect(one("apod=1").body, equals: good.body)
  }

  /// The ids on the pages of the list of upcoming launches.
  private func ids(_ sky: Sky, _ query: String = "", at now: SkyTime = LaunchWorld.start) throws -> [[String]]
  {
    try (0..<3).map { page in
      let address = "/2.3.0/launches/upcoming/?limit=100&mode=list&offset=\(page * 100)\(query)"
      return try sky.answer(.get(address, headers: Self.key), at: now).value().rows("id")
    }
  }

  private static let key = [(name: "Authorization", value: "Token k")]

  @Test("ties: launches of one date come in another order each time, unless the ordering breaks the tie")
  func ties() throws {
    let sky = Sky(seed: 1, upcoming: 280)
    let (one, other) = (try ids(sky), try ids(sky))
    #expect(one != other)
    // So pages repeat and miss launches, though their dates are in order.
    #expect(Set(one.joined()).count < one.joined().count)
    let page = try sky.answer(.get("/2.3.0/launches/upcoming/?limit=100&mode=list"), at: LaunchWorld.start)
      .value()
    expect(page.rows("net"), equals: page.rows("net").sorted())
    for query in ["&ordering=net,id", "&ordering=id", "&ordering=-net,colour,-id"] {
      let fixed = try ids(sky, query)
      try expect(ids(sky, query), equals: fixed)
      expect(Set(fixed.joined()).count, equals: fixed.joined().count)
    }
    let none = try self.sky("none")
    try expect(ids(none), equals: ids(none))
    // The same sky has the same orders.
    try expect(ids(Sky(seed: 1, upcoming: 280)), equals: one)
  }

  @Test(
    "past, empty and partial: one poll is wrong, and those around it are sound",
    arguments: SkyFaults.Kind.glitches)
  func glitches(_ kind: SkyFaults.Kind) throws {
    let sky = Sky(seed: 1, faults: try SkyFaults("\(kind.rawValue)=1"), upcoming: 60)
    let sound = Sky(seed: 1, upcoming: 60)
    var wrong: [Int] = []
    for hour in stride(from: 0, to: 240, by: 6) {
      let now = LaunchWorldTests.time(Double(hour) / 24)
      func page(_ sky: Sky, _ minutes: Double = 0) throws -> Value {
        let address = "/2.3.0/launches/upcoming/?limit=100&mode=list&ordering=net,id"
        return try sky.answer(.get(address, headers: Self.key), at: now + minutes * 60).value()
      }
      let (found, truth) = (try page(sky), try page(sound))
      if found == truth { continue }
      wrong.append(hour)
      let rows = found.rows("id")
      expect(found.member("next"), equals: .null)
      switch kind {
      case .past:
        #expect(rows.count == 10 && found.member("count") == .number(10))
        #expect(found.rows("net").allSatisfy { $0.hasPrefix("1957-") || $0.hasPrefix("1958-") })
      case .empty: #expect(rows.isEmpty && found.member("count") == .number(0))
      default:
        expect(found.member("count"), equals: truth.member("count"))
        expect(rows, equals: Array(truth.rows("id").prefix((truth.rows("id").count + 1) / 2)))
      }
      #expect(try page(sky, 19) != page(sound, 19), "a retry meets it too")
      try expect(page(sky, 21), equals: page(sound, 21))
    }
    #expect(wrong.count >= 4)
    #expect(zip(wrong, wrong.dropFirst()).allSatisfy { $1 - $0 >= 36 })
  }

  @Test("a glitch is for the living lists of launches alone")
  func glitchedPaths() throws {
    let sky = Sky(seed: 1, faults: try SkyFaults("empty=1"), upcoming: 60)
    let now = LaunchWorldTests.time(0.2)
    for path in ["/2.2.0/launch/upcoming/", "/2.0.0/launch/", "/v4/rockets"] {
      #expect(sky.answer(.get(path), at: now).body.count > 500)
    }
    for path in ["/2.3.0/launches/upcoming/", "/2.3.0/launches/previous/", "/2.3.0/launches/"] {
      #expect(try sky.answer(.get(path), at: now).value().rows("id").isEmpty)
    }
  }

  @Test("twice: a page has its first launch again, and its second with another date")
  func twice() throws {
    let path = "/2.3.0/launches/upcoming/?limit=5&mode=list&ordering=net,id"
    let rows = try sky("twice=1").answer(.get(path), at: LaunchWorld.start).value().member("results")?.items
    let found = try #require(rows)
    #expect(found.count > 3)
    expect(found[found.count - 2], equals: found[0])
    expect(found[found.count - 1].member("id"), equals: found[1].member("id"))
    #expect(found[found.count - 1].member("net") != found[1].member("net"))
  }

  @Test("an outage lasts a while, and hits all requests of a service meanwhile", arguments: ["5xx", "down"])
  func outages(_ kind: String) throws {
    let sky = try sky("\(kind)=0.1")
    let minutes = (0..<60 * 24 * 10).map { minute in
      let answer = sky.answer(.get("/nothing?\(minute)"), at: LaunchWorldTests.time(Double(minute) / 1440))
      return answer.status >= 500 || answer.delivery == .reset
    }
    let share = Double(minutes.count { $0 }) / Double(minutes.count)
    #expect((0.05...0.16).contains(share), "\(share)")
    let ends = zip(minutes, minutes.dropFirst()).count { $0 && !$1 }
    #expect(Double(minutes.count { $0 }) / Double(max(1, ends)) > 15)
  }
}
