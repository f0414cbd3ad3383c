import Expectations
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
    expect(answer.status, equals: 200)
    return try answer.value()
  }

  @Test("a path without the slash at its end is sent to the one with it, query and all, and costs nothing")
  func redirect() throws {
    let answer = try service.get("/2.0.0/launch/upcoming?limit=20&lsp__name=Rocket%20Lab")
    expect(answer.status, equals: 301)
    expect(answer[header: "location"], equals: "/2.0.0/launch/upcoming/?limit=20&lsp__name=Rocket%20Lab")
    try expect(service.get("/2.3.0/api-throttle/").value().member("current_use"), equals: .number(0))
  }

  @Test(
    "what is not there is not found, in the words of the service, and other paths are none of its own")
  func notFound() throws {
    let answer = try service.get("/2.3.0/launches/00000000-0000-4000-8000-000000000000/")
    expect(answer.status, equals: 404)
    expect(answer.text, equals: #"{"detail":"Not found."}"#)
    try expect(service.get("/2.3.0/launch/upcoming/").status, equals: 404)
    try expect(service.get("/2.0.0/launches/").status, equals: 404)
    for path in ["/2.3.0/agencies/", "/2.3.0/launches/upcoming/x/", "/2.2.0/launch/x/"] {
      try expect(service.get(path).status, equals: 404, "\(path)")
    }
    for path in ["/", "/v4/launches", "/planetary/apod", "/2.4.0/launches/"] {
      expectNil(service.answer(SkyRequest(path: path), at: LaunchWorld.start))
    }
    let post = service.answer(SkyRequest(method: "POST", path: "/2.3.0/launches/"), at: LaunchWorld.start)
    expect(post?.status, equals: 405)
  }

  @Test("walking all pages gives each launch once")
  func walk() throws {
    var next: String? = "/2.3.0/launches/upcoming/?limit=100&mode=list"
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
    expect(ids.count, equals: count)
    expect(Set(ids).count, equals: count)
    expect(nets, equals: nets.sorted())
    expect(Set(ids), equals: Set(Self.world.upcoming(at: LaunchWorld.start).map(\.id)))
  }

  @Test(
    "links carry the query in order of its names; the first page has none before it, the last none after it")
  func links() throws {
    let page = try page("/2.3.0/launches/upcoming/?search=falcon&offset=10&limit=10&mode=list")
    let path = "http://sky/2.3.0/launches/upcoming/?limit=10&mode=list"
    expect(page.member("next")?.string, equals: path + "&offset=20&search=falcon")
    expect(page.member("previous")?.string, equals: path + "&search=falcon")
    try expect(self.page("/2.3.0/launches/upcoming/").member("previous"), equals: .null)
    let last = try self.page("/2.3.0/launches/upcoming/?offset=100000")
    expect(last.member("next"), equals: .null)
    expect(last.member("results"), equals: .array([]))
  }

  @Test(
    "a page has ten launches, or as many as are wanted, up to a hundred",
    arguments: [
      ("", 10), ("?limit=20", 20), ("?limit=1000", 100), ("?limit=0", 10), ("?limit=x&offset=-1", 10),
    ])
  func sizes(_ query: String, _ count: Int) throws {
    try expect(page("/2.3.0/launches/upcoming/\(query)").rows("id").count, equals: count)
  }

  @Test("what flew is among the previous, newest first; what flew within a day is in both lists")
  func lists() throws {
    let now = LaunchWorldTests.time(60)
    let previous = try page("/2.3.0/launches/previous/?limit=100", at: now)
    let nets = previous.rows("net")
    expect(nets, equals: nets.sorted(by: >))
    #expect(nets.allSatisfy { $0 < now.iso })
    let moment = SkyTime(milliseconds: (SkyTime(iso: nets[0])?.milliseconds ?? 0) + 3_600_000)
    func ids(_ query: String) throws -> [String] {
      try page("/2.3.0/launches/\(query)", at: moment).rows("id")
    }
    let id = previous.rows("id")[0]
    #expect(try ids("upcoming/?limit=100").contains(id))
    #expect(try ids("previous/").contains(id))
    let later = SkyTime(milliseconds: moment.milliseconds + 86_400_000)
    #expect(try !page("/2.3.0/launches/upcoming/?limit=100", at: later).rows("id").contains(id))
    try expect(service.get("/2.3.0/launches/\(id)/", at: later, headers: Self.key).status, equals: 200)
  }

  @Test("fifteen calls an hour are answered, by the sky's clock; the next is refused with the time to wait")
  func limit() throws {
    let begin = LaunchWorldTests.time(10)
    func call(_ seconds: Int64, client: String = "a") throws -> SkyAnswer {
      try service.get(
        "/2.3.0/launches/upcoming/?limit=1",
        at: SkyTime(milliseconds: begin.milliseconds + seconds * 1000), client: client)
    }
    for second in 0..<15 { try expect(call(Int64(second * 60)).status, equals: 200) }
    let refused = try call(1884)
    expect(refused.status, equals: 429)
    expect(refused[header: "retry-after"], equals: "1716")
    expect(refused.text, equals: #"{"detail":"Request was throttled. Expected available in 1716 seconds."}"#)
    try expect(call(1884, client: "b").status, equals: 200)
    let state = try service.get(
      "/2.3.0/api-throttle/", at: SkyTime(milliseconds: begin.milliseconds + 1884_000), client: "a")
    expect(
      state.text,
      equals:
        #"{"your_request_limit":15,"limit_frequency_secs":3600,"current_use":15,"next_use_secs":1716,"ident":"a"}"#
    )
    try expect(call(3599).status, equals: 429)
    try expect(call(3600).status, equals: 200)
    try expect(call(3601).status, equals: 429)
  }

  @Test("with a key there are more, and they are counted by themselves")
  func keys() throws {
    for _ in 0..<16 { _ = try page("/2.3.0/launches/upcoming/?limit=1&mode=list") }
    try expect(service.get("/2.3.0/api-throttle/").value().at("current_use"), equals: .number(0))
    let state = try page("/2.3.0/api-throttle/")
    expect(state.at("current_use"), equals: .number(16))
    expect(state.at("your_request_limit"), equals: .number(LaunchLibraryService.limitWithKey.count))
  }
}
