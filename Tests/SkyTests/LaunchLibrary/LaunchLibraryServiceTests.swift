import JSON
import Testing

@testable import Sky

@Suite struct LaunchLibraryServiceTests {
  static let world = LaunchWorld(seed: 1)
  private let service = LaunchLibraryService(world)
  /// One for all that is not about limits.
  private static let key = [(name: "Authorization", value: "Token k")]

  private func page(_ address: String, at now: SkyTime = LaunchWorld.start) throws -> Value {
    let answer = try service.get(address, at: now, headers: Self.key)
    #expect(answer.status == 200)
    return try answer.value()
  }

  @Test("a path without the slash at its end is sent to the one with it, query and all, and costs nothing")
  func redirect() throws {
    let answer = try service.get("/2.0.0/launch/upcoming?limit=20&lsp__name=Rocket%20Lab")
    #expect(answer.status == 301)
    #expect(answer[header: "location"] == "/2.0.0/launch/upcoming/?limit=20&lsp__name=Rocket%20Lab")
    #expect(try service.get("/2.3.0/api-throttle/").value().member("current_use") == .number(0))
  }

  @Test(
    "what is not there is not found, in the words of the service, and other paths are none of its own")
  func notFound() throws {
    let answer = try service.get("/2.3.0/launches/00000000-0000-4000-8000-000000000000/")
    #expect(answer.status == 404)
    #expect(answer.text == #"{"detail":"Not found."}"#)
    #expect(try service.get("/2.3.0/launch/upcoming/").status == 404)
    #expect(try service.get("/2.0.0/launches/").status == 404)
    for path in ["/", "/v4/launches", "/planetary/apod", "/2.4.0/launches/"] {
      #expect(service.answer(SkyRequest(path: path), at: LaunchWorld.start) == nil)
    }
    let post = service.answer(SkyRequest(method: "POST", path: "/2.3.0/launches/"), at: LaunchWorld.start)
    #expect(post?.status == 405)
  }

  @Test("walking all pages gives each launch once", arguments: LaunchShape.Version.allCases)
  func walk(_ version: LaunchShape.Version) throws {
    var next: String? = "/\(version.rawValue)/\(version.folder)/upcoming/?limit=100&mode=list"
    var ids: [String] = []
    var nets: [String] = []
    var count = 0
    while let address = next {
      let page = try page(address)
      ids += page.rows("id")
      nets += page.rows("net")
      count = page.member("count")?.double.map { Int($0) } ?? 0
      next = page.member("next")?.string.map { String($0.dropFirst("http://sky".count)) }
    }
    #expect(ids.count == count)
    #expect(Set(ids).count == count)
    #expect(nets == nets.sorted())
    #expect(Set(ids) == Set(Self.world.upcoming(at: LaunchWorld.start).map(\.id)))
  }

  @Test(
    "links carry the query in order of its names; the first page has none before it, the last none after it")
  func links() throws {
    let page = try page("/2.3.0/launches/upcoming/?search=falcon&offset=10&limit=10&format=json")
    let path = "http://sky/2.3.0/launches/upcoming/?format=json&limit=10"
    #expect(page.member("next")?.string == path + "&offset=20&search=falcon")
    #expect(page.member("previous")?.string == path + "&search=falcon")
    #expect(page.rows("url").allSatisfy { $0.hasSuffix("/?format=json") })
    #expect(try self.page("/2.3.0/launches/upcoming/").member("previous") == .null)
    let last = try self.page("/2.3.0/launches/upcoming/?offset=100000")
    #expect(last.member("next") == .null)
    #expect(last.member("results") == .array([]))
  }

  @Test(
    "a page has ten launches, or as many as are wanted, up to a hundred",
    arguments: [
      ("", 10), ("?limit=20", 20), ("?limit=1000", 100), ("?limit=0", 10), ("?limit=x&offset=-1", 10),
    ])
  func sizes(_ query: String, _ count: Int) throws {
    #expect(try page("/2.3.0/launches/upcoming/\(query)").rows("id").count == count)
  }

  @Test("what flew is among the previous, newest first; what flew within a day is in both lists")
  func lists() throws {
    let now = LaunchWorldTests.time(60)
    let previous = try page("/2.2.0/launch/previous/?limit=100", at: now)
    let nets = previous.rows("net")
    #expect(nets == nets.sorted(by: >))
    #expect(nets.allSatisfy { $0 < now.iso })
    let moment = SkyTime(milliseconds: (SkyTime(iso: nets[0])?.milliseconds ?? 0) + 3_600_000)
    func ids(_ query: String) throws -> [String] {
      try page("/2.2.0/launch/\(query)", at: moment).rows("id")
    }
    let id = previous.rows("id")[0]
    #expect(try ids("upcoming/?limit=100").contains(id))
    #expect(try ids("previous/").contains(id))
    #expect(try !ids("upcoming/?limit=100&hide_recent_previous=true").contains(id))
    #expect(try service.get("/2.2.0/launch/upcoming/\(id)/", at: moment, headers: Self.key).status == 200)
    let later = SkyTime(milliseconds: moment.milliseconds + 86_400_000)
    #expect(try service.get("/2.2.0/launch/upcoming/\(id)/", at: later, headers: Self.key).status == 404)
    #expect(try service.get("/2.2.0/launch/\(id)/", at: later, headers: Self.key).status == 200)
  }

  @Test("fifteen calls an hour are answered, by the sky's clock; the next is refused with the time to wait")
  func limit() throws {
    let begin = LaunchWorldTests.time(10)
    func call(_ seconds: Int64, client: String = "a") throws -> SkyAnswer {
      try service.get(
        "/2.3.0/launches/upcoming/?limit=1",
        at: SkyTime(milliseconds: begin.milliseconds + seconds * 1000), client: client)
    }
    for second in 0..<15 { #expect(try call(Int64(second * 60)).status == 200) }
    let refused = try call(1884)
    #expect(refused.status == 429)
    #expect(refused[header: "retry-after"] == "1716")
    #expect(refused.text == #"{"detail":"Request was throttled. Expected available in 1716 seconds."}"#)
    #expect(try call(1884, client: "b").status == 200)
    let state = try service.get(
      "/2.3.0/api-throttle/", at: SkyTime(milliseconds: begin.milliseconds + 1884_000), client: "a")
    #expect(
      state.text
        == #"{"your_request_limit":15,"limit_frequency_secs":3600,"current_use":15,"next_use_secs":1716,"ident":"a"}"#
    )
    #expect(try call(3599).status == 429)
    #expect(try call(3600).status == 200)
    #expect(try call(3601).status == 429)
  }

  @Test("with a key there are more, and they are counted by themselves")
  func keys() throws {
    for _ in 0..<16 { _ = try page("/2.3.0/launches/upcoming/?limit=1&mode=list") }
    #expect(try service.get("/2.3.0/api-throttle/").value().at("current_use") == .number(0))
    let state = try page("/2.3.0/api-throttle/")
    #expect(state.at("current_use") == .number(16))
    #expect(state.at("your_request_limit") == .number(LaunchLibraryService.limitWithKey.count))
  }

  @Test(
    "developers are told of a third of the launches, as they were when the week began, as often as they like")
  func developers() throws {
    let host = [(name: "Host", value: "lldev.thespacedevs.com")]
    let now = SkyTime(seconds: SkyDate(2026, 3, 5).days * 86400 + 50_000)
    let monday = SkyTime(seconds: SkyDate(2026, 3, 2).days * 86400)
    func page(_ query: String, at time: SkyTime) throws -> Value {
      try service.get("/2.3.0/launches/upcoming/?\(query)", at: time, headers: host).value()
    }
    let first = try page("limit=100&mode=list", at: now)
    let all = Self.world.upcoming(at: monday)
    let count = try #require(first.member("count")?.double)
    #expect((90...157).contains(count))
    #expect(Set(first.rows("id")).isSubset(of: all.map(\.id)))
    #expect(try page("limit=100&mode=list", at: monday) == first)
    #expect(try page("limit=100&mode=list", at: SkyTime(seconds: monday.seconds - 1)) != first)
    for _ in 0..<40 { #expect(try page("limit=1", at: now).rows("id").count == 1) }
    let known = Set(first.rows("id"))
    let other = try #require(all.first { $0.net < all[60].net && !known.contains($0.id) })
    #expect(try service.get("/2.3.0/launches/\(other.id)/", at: now, headers: host).status == 404)
    // By the address that a client believes to be at, too.
    let request = SkyRequest(
      path: "/2.3.0/launches/upcoming/", query: [("limit", "100"), ("mode", "list")],
      origin: "https://lldev.thespacedevs.com")
    #expect(try service.answer(request, at: now)?.value().rows("id") == first.rows("id"))
  }

  @Test("a browser gets a page, unless it asks for JSON")
  func browser() throws {
    let accept = [(name: "Accept", value: "text/html,application/xhtml+xml")]
    let answer = try service.get("/2.3.0/launches/upcoming/?limit=1", headers: accept)
    #expect(answer[header: "content-type"] == "text/html; charset=utf-8")
    #expect(answer.text.contains("&quot;results&quot;"))
    let json = try service.get("/2.3.0/launches/upcoming/?limit=1&format=json", headers: accept)
    #expect(json[header: "content-type"] == "application/json")
  }
}
