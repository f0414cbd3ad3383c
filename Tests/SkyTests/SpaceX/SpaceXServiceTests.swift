import Expectations
import JSON
import Testing

@testable import Sky

@Suite struct SpaceXServiceTests {
  private let service = SpaceXService()

  private func value(_ path: String) throws -> Value {
    let answer = try service.get(path)
    try #require(answer.status == 200, "\(path)")
    return try answer.value()
  }

  private func query(_ body: String, _ path: String = "/v4/launches/query") throws -> SkyAnswer {
    let request = SkyRequest(method: "POST", path: path, body: Array(body.utf8), origin: "http://sky")
    return try #require(service.answer(request, at: LaunchWorld.start))
  }

  private func page(_ body: String) throws -> Value {
    let answer = try query(body)
    try #require(answer.status == 200, "\(answer.text)")
    return try answer.value()
  }

  @Test("launches are all, past, to come, the latest or the next, in both versions, and stand still")
  func launches() throws {
    let all = try #require(value("/v4/launches").items)
    #expect(all.count > 100, "a query has more than one page")
    let past = try #require(value("/v4/launches/past").items)
    let upcoming = try #require(value("/v4/launches/upcoming").items)
    #expect(past + upcoming == all && past.count > 80 && upcoming.count > 10)
    #expect(try value("/v4/launches/latest") == past.last && value("/v4/launches/next") == upcoming.first)
    try expect(value("/v5/launches").items, equals: all)
    try expect(service.get("/v4/launches", at: LaunchWorldTests.time(99)).value().items, equals: all)
  }

  @Test("a launch has what pipelines read, null where the real service often has null")
  func shape() throws {
    let all = try #require(value("/v4/launches").items)
    for launch in all {
      #expect(launch.at("id")?.string?.count == 24 && launch.at("name")?.string != nil)
      #expect(launch.at("flight_number")?.double != nil && launch.at("cores")?.items?.isEmpty == false)
      #expect(SkyTime(iso: launch.at("date_utc")?.string ?? "") != nil)
      let isUpcoming = launch.at("upcoming") == .bool(true)
      #expect(!isUpcoming || launch.at("success") == .null)
      expect((launch.at("success") == .bool(false)), equals: (launch.at("failures")?.items?.count == 1))
      let patch = launch.at("links", "patch", "small")
      #expect(patch == .null || patch?.string?.hasPrefix("http://sky/pictures/patches/") == true)
    }
    for path in ["success", "details", "links.patch.small", "links.webcast", "links.article", "cores.reused"]
    {
      let nulls = all.count { launch in
        path.split(separator: ".").reduce([launch]) { values, name in
          values.flatMap { $0.items ?? [$0] }.map { $0.member(String(name)) ?? .null }
        }.contains(.null)
      }
      #expect(nulls > 0 && nulls < all.count, "\(path)")
    }
    expect(Set(all.compactMap { $0.at("date_precision")?.string }), equals: ["hour", "day", "month"])
    let rockets = try #require(value("/v4/rockets").items)
    expect(
      rockets.compactMap { $0.at("name")?.string },
      equals: ["Falcon 1", "Falcon 9", "Falcon Heavy", "Starship"])
    let known = Set(rockets.compactMap { $0.at("id")?.string })
    #expect(all.allSatisfy { known.contains($0.at("rocket")?.string ?? "") })
  }

  @Test("a query has pages, and all of them have each launch once")
  func pages() throws {
    var ids: [String] = []
    for number in 1...2 {
      let page = try page(#"{"query":{},"options":{"limit":100,"page":\#(number)}}"#)
      ids += (page.at("docs")?.items ?? []).compactMap { $0.at("id")?.string }
      #expect(page.at("totalPages") == .number(2) && page.at("page") == .number(number))
      #expect(page.at("hasNextPage") == .bool(number == 1) && page.at("hasPrevPage") == .bool(number == 2))
      expect(page.at("limit"), equals: .number(100))
    }
    try expect(ids, equals: value("/v4/launches").items?.compactMap { $0.at("id")?.string })
    try expect(page("{}").at("docs")?.items?.count, equals: 10)
    try expect(page(#"{"options":{"page":99}}"#).at("docs"), equals: .array([]))
  }

  @Test("a query filters by equal members, sorts, selects, and puts entries in the place of ids")
  func queries() throws {
    let failed = try page(
      #"{"query":{"success":false},"options":{"sort":{"date_utc":"desc"},"select":{"name":1,"date_utc":1},"populate":["rocket"]}}"#
    )
    let docs = try #require(failed.at("docs")?.items)
    #expect(docs.count == 5 && failed.at("totalDocs") == .number(5))
    #expect(docs.allSatisfy { Set($0.names) == ["id", "name", "date_utc"] })
    let dates = docs.compactMap { $0.at("date_utc")?.string }
    expect(dates, equals: dates.sorted(by: >))
    let next = try page(
      #"{"query":{"upcoming":true},"options":{"limit":1,"sort":{"date_utc":1},"populate":["rocket","launchpad"]}}"#
    )
    let launch = try #require(next.at("docs")?.items?.first)
    #expect(launch.at("rocket", "type") == .string("rocket") && launch.at("launchpad", "locality") != nil)
  }

  @Test(
    "what it does not know it refuses with a sentence",
    arguments: [
      (#"{"query":{"date_utc":{"$gte":"2022"}}}"#, "does not know the query { date_utc:"),
      (#"{"query":{"$text":"x"}}"#, "does not know the query { $text: x }"),
      (#"{"query":{"links.webcast":null}}"#, "links.webcast"),
      (#"{"options":{"sort":"-name"}}"#, "sorts by { member: asc or desc }"), ("{", "Unfinished JSON"),
    ])
  func refusals(_ body: String, _ message: String) throws {
    let answer = try query(body)
    #expect(answer.status == 400 && answer.text.contains(message), "\(answer.text)")
    expect(answer[header: "content-type"], equals: "text/plain; charset=utf-8")
  }

  @Test(
    "what there is not is not found, in plain text",
    arguments: [
      "/v4/launches/x", "/v4/nothing", "/v5/rockets", "/v4", "/v4/rockets/a/b", "/v4/launches/query",
    ])
  func notFound(path: String) throws {
    let answer = try service.get(path)
    #expect(answer.status == 404 && answer.text.hasPrefix("Not Found: launches, rockets and launchpads"))
    expectNil(service.answer(SkyRequest(path: "/v3/launches"), at: LaunchWorld.start))
  }

  @Test("a conditional request for an unchanged answer gets 304")
  func unchanged() throws {
    let tag = try #require(service.get("/v4/launches")[header: "etag"])
    let again = try service.get("/v4/launches", headers: [("If-None-Match", "W/\(tag)")])
    #expect(again.status == 304 && again.body.isEmpty && again[header: "etag"] == tag)
    try expect(service.get("/v4/rockets", headers: [("If-None-Match", tag)]).status, equals: 200)
  }
}
