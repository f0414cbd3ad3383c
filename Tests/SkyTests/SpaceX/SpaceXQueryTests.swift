import JSON
import Testing

@testable import Sky

@Suite struct SpaceXQueryTests {
  private static let service = SpaceXService()
  /// All launches, as version 4 lists them.
  private static let launches: [Value] = {
    let answer = service.answer(SkyRequest(path: "/v4/launches"), at: LaunchWorld.start)
    return (try? Value.parse(answer?.body ?? []))?.items ?? []
  }()
  private let now = SkyTime(seconds: SkyDate(2026, 8, 21).days * 86400)

  private func ask(_ body: String, _ path: String = "/v4/launches/query") throws -> SkyAnswer {
    try #require(
      Self.service.answer(
        SkyRequest(method: "POST", path: path, body: Array(body.utf8), client: body), at: now))
  }

  private func page(_ body: String, _ path: String = "/v4/launches/query") throws -> Value {
    let answer = try ask(body, path)
    try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    return try Value.parse(answer.body)
  }

  private func docs(_ body: String, _ path: String = "/v4/launches/query") throws -> [Value] {
    try #require(page(body, path).member("docs")?.items)
  }

  /// Everything of a page but its entries.
  private func frame(_ body: String) throws -> Value {
    var page = try page(body)
    let hadDocs = page.removeMember("docs")
    #expect(hadDocs)
    return page
  }

  @Test("without options the first ten of all are answered")
  func plain() throws {
    let frame = try Value.parse(
      #"{"totalDocs":205,"offset":0,"limit":10,"totalPages":21,"page":1,"pagingCounter":1,"hasPrevPage":false,"hasNextPage":true,"prevPage":null,"nextPage":2}"#
    )
    for body in ["", "{}", #"{"query":{},"options":{}}"#] { #expect(try self.frame(body) == frame) }
    #expect(try docs("{}").count == 10)
    #expect(
      try page("{}").keys.map(\.name).prefix(4) == ["docs", "totalDocs", "offset", "limit"])
  }

  @Test("pages are asked for by number or offset, or not at all")
  func paging() throws {
    func members(_ body: String) throws -> [Value] {
      let page = try page(body)
      return [
        "offset", "page", "pagingCounter", "hasPrevPage", "hasNextPage", "prevPage", "nextPage", "totalPages",
      ]
      .map { page.member($0) ?? .string("none") }
    }
    func expected(_ text: String) throws -> [Value] { try #require(Value.parse(text).items) }
    #expect(
      try members(#"{"options":{"limit":50,"page":5}}"#) == expected(#"["none",5,201,true,false,4,null,5]"#))
    #expect(
      try members(#"{"options":{"limit":50,"page":3}}"#) == expected(#"["none",3,101,true,true,2,4,5]"#))
    #expect(
      try members(#"{"options":{"limit":"50","offset":100}}"#) == expected("[100,3,101,true,true,2,4,5]"))
    #expect(try members(#"{"options":{"offset":5}}"#) == expected("[5,2,11,true,true,1,3,21]"))
    #expect(try members(#"{"options":{"pagination":false}}"#) == expected("[0,1,1,false,false,null,null,1]"))
    #expect(try members(#"{"options":{"limit":0}}"#) == expected("[0,1,1,false,false,null,null,1]"))
    #expect(try members(#"{"query":{"name":"none"}}"#) == expected("[0,1,1,false,false,null,null,1]"))
    #expect(try docs(#"{"options":{"limit":50,"page":5}}"#).count == 5)
    #expect(try docs(#"{"options":{"limit":50,"page":6}}"#).isEmpty)
    #expect(try docs(#"{"options":{"limit":50,"page":1e17}}"#).isEmpty)
    #expect(try docs(#"{"options":{"pagination":false}}"#).count == 205)
    #expect(try docs(#"{"options":{"limit":0}}"#).isEmpty)
    let all = try docs(#"{"options":{"pagination":false}}"#)
    let pages = try (1...5).flatMap { try docs(#"{"options":{"limit":50,"page":\#($0)}}"#) }
    #expect(pages == all)
    #expect(try docs(#"{"options":{"offset":7,"limit":3}}"#) == Array(all[7..<10]))
  }

  @Test(
    "a condition finds what a program finds that does the same",
    arguments: [
      (#"{"upcoming":true}"#, ".upcoming"), (#"{"success":null}"#, ".success == null"),
      (#"{"success":{"$ne":true}}"#, ".success != true"),
      (#"{"flight_number":{"$gt":50,"$lte":60}}"#, ".flight_number > 50 and .flight_number <= 60"),
      (#"{"flight_number":{"$gte":"200"}}"#, ".flight_number >= 200"),
      (#"{"upcoming":"true"}"#, ".upcoming"),
      (
        #"{"date_utc":{"$gte":"2018-01-01T00:00:00.000Z","$lt":"2019-01-01T00:00:00.000Z"}}"#,
        #".date_utc[:4] == "2018""#
      ),
      (
        #"{"date_precision":{"$in":["day","month"]}}"#,
        #".date_precision == "day" or .date_precision == "month""#
      ),
      (#"{"date_precision":{"$nin":["day","month"]}}"#, #".date_precision == "hour""#),
      (#"{"fairings":{"$exists":true}}"#, "true"), (#"{"nothing":{"$exists":false}}"#, "true"),
      (#"{"nothing":null}"#, "true"), (#"{"nothing":{"$exists":true}}"#, "false"),
      (#"{"cores.landing_type":"RTLS"}"#, #"any(.cores[]; .landing_type == "RTLS")"#),
      (#"{"cores.landing_type":{"$ne":"ASDS"}}"#, #"all(.cores[]; .landing_type != "ASDS")"#),
      (#"{"cores.0.flight":{"$gte":5}}"#, ".cores[0].flight | . != null and . >= 5"),
      (#"{"cores.1":{"$exists":true}}"#, ".cores | length > 1"),
      (#"{"cores":{"$size":3}}"#, ".cores | length == 3"),
      (#"{"crew":[]}"#, ".crew == []"),
      (
        #"{"failures.reason":{"$regex":"valve|vessel"}}"#,
        #"any(.failures[]; .reason | test("valve|vessel"))"#
      ),
      (#"{"name":{"$regex":"^starling 2-","$options":"i"}}"#, #".name | startswith("Starling 2-")"#),
      (#"{"name":{"$not":{"$regex":"^Starling"}}}"#, #".name | startswith("Starling") | not"#),
      (
        #"{"$or":[{"flight_number":1},{"$and":[{"upcoming":true},{"date_precision":"day"}]}]}"#,
        #".flight_number == 1 or (.upcoming and .date_precision == "day")"#
      ),
      (#"{"$nor":[{"upcoming":true},{"success":true}]}"#, "(.upcoming or .success == true) | not"),
      (#"{"links.patch.small":null,"upcoming":true}"#, ".links.patch.small == null and .upcoming"),
      (#"{"$text":{"$search":"pilgrim caravan"}}"#, #".name | test("Pilgrim|Caravan")"#),
      (#"{"$text":{"$search":"\"pilgrim-3\""}}"#, #".name == "Pilgrim-3""#),
      (#"{"$text":{"$search":"pilgrim -3"}}"#, #".name | test("Pilgrim") and (test("-3$") | not)"#),
      (#"{"static_fire_date_unix":{"$gt":0}}"#, ".static_fire_date_unix != null"),
      (#"{"$comment":"all","name":{"$eq":"Trial 1"}}"#, #".name == "Trial 1""#),
    ])
  func conditions(query: String, program: String) throws {
    let all = SpaceXQueryTests.launches
    #expect(all.count == 205)
    let wanted = try Program("map(select(\(program)))").outputs(.array(all)).first
    let found = try docs(#"{"query":\#(query),"options":{"pagination":false}}"#)
    #expect(.array(found) == wanted)
    #expect(program == "false" || !found.isEmpty)
  }

  @Test("a launch is found by its id, under either name of it")
  func byID() throws {
    let launch = try docs("{}")[3]
    let id = try #require(launch.member("id")?.string)
    for name in ["id", "_id"] { #expect(try docs(#"{"query":{"\#(name)":"\#(id)"}}"#) == [launch]) }
    let rocket = try #require(launch.member("rocket")?.string)
    #expect(try frame(#"{"query":{"rocket":{"$all":["\#(rocket)"]}}}"#).member("totalDocs")?.double == 5)
  }

  @Test("entries are sorted by one member or several, up or down")
  func sorting() throws {
    let all = try docs(#"{"options":{"pagination":false}}"#)
    func names(_ sort: String) throws -> [String] {
      try docs(#"{"options":{"pagination":false,"sort":\#(sort)}}"#).compactMap { $0.member("name")?.string }
    }
    let up = all.compactMap { $0.member("name")?.string }.sorted {
      Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8))
    }
    for sort in [#"{"name":"asc"}"#, #"{"name":1}"#, #""name""#, #"{"name":"ascending"}"#] {
      #expect(try names(sort) == up)
    }
    for sort in [#"{"name":"desc"}"#, #"{"name":-1}"#, #""-name""#] {
      #expect(try names(sort) == up.reversed())
    }
    let both = try docs(#"{"options":{"pagination":false,"sort":{"upcoming":-1,"date_unix":"desc"}}}"#)
    #expect(both.prefix(18).allSatisfy { $0.member("upcoming")?.bool == true })
    let dates = both.dropFirst(18).compactMap { $0.member("date_unix")?.double }
    #expect(dates.count == 187 && dates == dates.sorted(by: >))
  }

  @Test("members are selected or left out, and the id is always there")
  func selection() throws {
    func first(_ select: String) throws -> Value {
      try docs(#"{"options":{"limit":1,"select":\#(select)}}"#)[0]
    }
    for select in [
      #"{"name":1,"links.patch.small":1}"#, #""name links.patch.small""#, #"["name","links.patch.small"]"#,
    ] {
      let entry = try first(select)
      #expect(entry.keys.map(\.name).sorted() == ["id", "links", "name"])
      #expect(entry.member("links")?.keys.map(\.name) == ["patch"])
      #expect(entry.member("links")?.member("patch")?.keys.map(\.name) == ["small"])
    }
    #expect(try first(#"{"cores.core":1,"id":0}"#).member("cores")?.element(0)?.keys.map(\.name) == ["core"])
    let without = try first(#"{"links":0,"cores.core":0}"#)
    #expect(without.member("links") == nil && without.member("name") != nil && without.member("id") != nil)
    #expect(without.member("cores")?.element(0)?.count == 8)
    #expect(try first(#""-links""#).member("links") == nil)
  }

  @Test("ids become the entries they stand for")
  func population() throws {
    func first(_ populate: String, _ query: String = "{}", _ path: String = "/v4/launches/query") throws
      -> Value
    {
      try docs(#"{"query":\#(query),"options":{"limit":1,"populate":\#(populate)}}"#, path)[0]
    }
    for populate in [#""rocket launchpad""#, #"["rocket","launchpad"]"#, #"[{"path":"rocket"},"launchpad"]"#]
    {
      let launch = try first(populate)
      #expect(launch.member("rocket")?.member("name")?.string == "Falcon 1")
      #expect(launch.member("launchpad")?.member("name")?.string == "Kwajalein Atoll")
    }
    let selected = try first(#"{"path":"rocket","select":{"name":1}}"#)
    #expect(selected.member("rocket")?.keys.map(\.name).sorted() == ["id", "name"])
    let deep = try first(#"{"path":"cores.core","populate":{"path":"launches","select":"name"}}"#)
    let core = try #require(deep.member("cores")?.element(0)?.member("core"))
    #expect(core.member("serial")?.string == "Merlin1A")
    #expect(core.member("launches")?.element(0)?.member("name") == deep.member("name"))
    let payloads = try first(#"["payloads"]"#, #"{"payloads.1":{"$exists":true}}"#)
    #expect(payloads.member("payloads")?.items?.compactMap { $0.member("orbit")?.string }.count == 2)
    #expect(payloads.member("payloads")?.element(0)?.member("launch") == payloads.member("id"))
    let four = try first(#"["crew"]"#, #"{"crew.3":{"$exists":true}}"#)
    #expect(four.member("crew")?.items?.compactMap { $0.member("agency")?.string }.count == 4)
    let five = try first(#"["crew.crew"]"#, #"{"crew.3":{"$exists":true}}"#, "/v5/launches/query")
    #expect(five.member("crew")?.element(1)?.member("role")?.string == "Pilot")
    #expect(five.member("crew")?.element(1)?.member("crew")?.member("name")?.string != nil)
    #expect(try first(#"["nothing","name"]"#) == first("[]"))
  }

  @Test("other collections are asked in the same way")
  func collections() throws {
    #expect(
      try docs(#"{"query":{"height.meters":{"$gt":100}}}"#, "/v4/rockets/query").map {
        $0.member("name")?.string
      }
        == ["Starship"])
    let cores = try docs(
      #"{"query":{"reuse_count":{"$gte":3}},"options":{"pagination":false}}"#, "/v4/cores/query")
    #expect(!cores.isEmpty && cores.allSatisfy { ($0.member("reuse_count")?.double ?? 0) >= 3 })
    #expect(try ask("{}", "/v4/company/query").status == 404)
    #expect(try ask("{}", "/v5/rockets/query").status == 404)
  }

  @Test(
    "a query that is none is refused in plain text",
    arguments: [
      ("{", "invalid JSON, only supports object and array"),
      (#"{"query":[]}"#, "Parameter \"filter\" to find() must be an object"),
      (#"{"query":{"$where":"1"}}"#, "unknown top level operator: $where"),
      (#"{"query":{"name":{"$near":1}}}"#, "unknown operator: $near"),
      (#"{"query":{"$or":[]}}"#, "$or must be a nonempty array"),
      (#"{"query":{"$and":[1]}}"#, "$and argument's entries must be objects"),
      (#"{"query":{"name":{"$in":"x"}}}"#, "$in needs an array"),
      (#"{"query":{"name":{"$regex":"("}}}"#, "Regular expression is invalid: ("),
      (#"{"query":{"name":{"$regex":"x","$options":"q"}}}"#, "invalid flag in regex options: q"),
      (#"{"query":{"name":{"$options":"i"}}}"#, "$options needs a $regex"),
      (#"{"query":{"cores":{"$size":-1}}}"#, "Failed to parse $size. Expected a non-negative integer"),
      (#"{"query":{"$text":{"$search":1}}}"#, "$search had the wrong type, expected string"),
      (#"{"options":{"sort":{"name":"up"}}}"#, "Invalid sort value: { name: up }"),
      (
        #"{"options":{"select":{"name":1,"links":0}}}"#,
        "Cannot do exclusion on field links in inclusion projection"
      ),
    ])
  func refusals(body: String, message: String) throws {
    let answer = try ask(body)
    #expect(answer.status == 400)
    #expect(String(decoding: answer.body, as: UTF8.self) == message)
    #expect(answer.headers.contains { $0.name == "Content-Type" && $0.value == "text/plain; charset=utf-8" })
  }

  @Test("words are looked for only where they are listed")
  func words() throws {
    #expect(try ask(#"{"query":{"$text":{"$search":"x"}}}"#, "/v4/crew/query").status == 400)
  }
}
