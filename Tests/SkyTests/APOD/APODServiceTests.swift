import Expectations
import JSON
import Testing

@testable import Sky

@Suite struct APODServiceTests {
  private let noon = SkyTime(seconds: SkyDate(2026, 8, 21).days * 86400 + 43200)

  /// What a service without a past answers, as status and JSON.
  private func ask(
    _ query: KeyValuePairs<String, String>, of service: APODService = APODService(seed: 7),
    at now: SkyTime? = nil
  ) throws -> (status: Int, value: Value) {
    let parameters = query.map { (name: $0.key, value: $0.value) } + [(name: "api_key", value: "mine")]
    let request = SkyRequest(path: "/planetary/apod", query: parameters, origin: "http://sky:1")
    let answer = try #require(service.answer(request, at: now ?? noon))
    return (answer.status, try Value.parse(answer.body))
  }

  private func dates(_ value: Value) throws -> [String] {
    try #require(value.items).compactMap { $0.member("date")?.string }
  }

  @Test("a day has its members in the order of their names, and is the same whenever it is asked for")
  func oneDay() throws {
    func day(_ seed: UInt64 = 7) throws -> Value {
      let (status, value) = try ask(
        ["start_date": "2026-08-20", "end_date": "2026-08-20"], of: APODService(seed: seed))
      expect(status, equals: 200)
      return try #require(value.items?.first)
    }
    let value = try day()
    expect(value.member("date")?.string, equals: "2026-08-20")
    expect(value.member("service_version")?.string, equals: "v1")
    expect(value.keys, equals: value.sortedKeys)
    try expect(day(), equals: value)
    #expect(try day(8) != value)
  }

  @Test("a range holds both ends, and ends today where it has no end; days without a picture are left out")
  func ranges() throws {
    try expect(
      dates(ask(["start_date": "1995-06-16", "end_date": "1995-06-22"]).value),
      equals: ["1995-06-16", "1995-06-20", "1995-06-21", "1995-06-22"])
    try expect(
      dates(ask(["start_date": "2020-06-09", "end_date": "2020-06-11"]).value),
      equals: ["2020-06-09", "2020-06-11"])
    try expect(
      dates(ask(["start_date": "2026-08-19"]).value), equals: ["2026-08-19", "2026-08-20", "2026-08-21"])
    try expect(dates(ask(["start_date": "2025-12-31", "end_date": "2026-01-01"]).value).count, equals: 2)
  }

  @Test("today's picture comes in the morning: until then it is left out")
  func publication() throws {
    let calendar = APODCalendar(seed: 7, hasBadDays: false)
    let today = SkyDate(2026, 8, 21)
    let published = calendar.publication(of: today)
    let before = published + -1
    try expect(dates(ask(["start_date": "2026-08-20"], at: before).value), equals: ["2026-08-20"])
    try expect(dates(ask(["start_date": "2026-08-21"], at: before).value), equals: [])
    try expect(dates(ask(["start_date": "2026-08-21"], at: published).value), equals: ["2026-08-21"])
    // At four in summer, at five in winter, with some minutes; seldom hours later.
    let hours = (0..<2000).map { number in
      let date = SkyDate(2021, 1, 1) + number
      let time = calendar.publication(of: date)
      return (time - date.start) / 3600 - (APODCalendar.isSummer(date) ? 4 : 5)
    }
    #expect(hours.count { (0...0.1).contains($0) } > 1880)
    #expect((30...100).contains(hours.count { $0 > 1 }))
    #expect(hours.allSatisfy { $0 >= -1 && $0 < 6.1 })
  }

  @Test(
    "what cannot be answered is refused in the service's words",
    arguments: [
      (["start_date": "1995-06-15"], 400, "Date must be between Jun 16, 1995 and Aug 21, 2026."),
      (["start_date": "2026-08-22"], 400, "Date must be between Jun 16, 1995 and Aug 21, 2026."),
      (
        ["start_date": "2026-08-01", "end_date": "2026-08-22"], 400,
        "Date must be between Jun 16, 1995 and Aug 21, 2026."
      ),
      (["start_date": "2026-02-30"], 400, "time data '2026-02-30' does not match format '%Y-%m-%d'"),
      (["start_date": "2026-08-02", "end_date": "2026-08-01"], 400, "start_date cannot be after end_date"),
      (["count": "0"], 400, "Count must be positive and cannot exceed 100"),
      (["count": "101"], 400, "Count must be positive and cannot exceed 100"),
      (["count": "few"], 400, "invalid literal for int() with base 10: 'few'"),
      (
        ["end_date": "2026-08-01"], 400,
        "Bad Request: invalid field combination passed. Allowed request fields for apod method are 'count', 'start_date', 'end_date', 'thumbs'"
      ),
      (
        ["start_date": "2026-08-01", "count": "3"], 400,
        "Bad Request: invalid field combination passed. Allowed request fields for apod method are 'count', 'start_date', 'end_date', 'thumbs'"
      ),
      (
        ["page": "2"], 400,
        "Bad Request: incorrect field passed. Allowed request fields for apod method are 'count', 'start_date', 'end_date', 'thumbs'"
      ),
    ] as [(KeyValuePairs<String, String>, Int, String)])
  func refusals(query: KeyValuePairs<String, String>, status: Int, message: String) throws {
    let (given, value) = try ask(query)
    expect(given, equals: status)
    expect(
      value,
      equals: .record(["code": .number(status), "msg": .string(message), "service_version": .string("v1")]))
  }

  @Test("random days are all different, the same at one time and others later")
  func chance() throws {
    let drawn = try dates(ask(["count": "100"]).value)
    expect(Set(drawn).count, equals: 100)
    #expect(drawn != drawn.sorted())
    try expect(dates(ask(["count": "100"]).value), equals: drawn)
    #expect(try dates(ask(["count": "100"], at: noon + 1).value) != drawn)
    let early = SkyDate(1995, 6, 21).start + 43200
    try expect(
      Set(dates(ask(["count": "9"], at: early).value)), equals: ["1995-06-16", "1995-06-20", "1995-06-21"])
  }

  @Test("one bad day in a month fails itself and each range that contains it, and no other")
  func badDay() throws {
    let service = APODService(seed: 7, badDay: true)
    func answer(_ first: Int, _ last: Int) throws -> (status: Int, value: Value) {
      try ask(
        ["start_date": "\(SkyDate(2026, 7, first))", "end_date": "\(SkyDate(2026, 7, last))"], of: service)
    }
    let bad = try (1...31).filter { try answer($0, $0).status == 500 }
    try #require(bad.count == 1)
    try expect(answer(1, 31).status, equals: 500)
    if bad[0] > 1 { try expect(answer(1, bad[0] - 1).status, equals: 200) }
    if bad[0] < 31 { try expect(answer(bad[0] + 1, 31).status, equals: 200) }
    try expect(
      answer(bad[0], bad[0]).value,
      equals: Value.parse(#"{"code":500,"msg":"Internal Service Error","service_version":"v1"}"#))
    try expect(ask(["count": "100"], of: service).status, equals: 200)
  }

  @Test("other paths are not the picture of the day")
  func otherPaths() throws {
    let request = SkyRequest(path: "/planetary/earth", query: [("api_key", "k")])
    expectNil(APODService(seed: 7).answer(request, at: noon))
  }
}
