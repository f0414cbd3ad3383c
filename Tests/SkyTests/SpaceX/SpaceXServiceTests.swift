import JSON
import Testing

@testable import Sky

@Suite struct SpaceXServiceTests {
  /// A service for each test: at one instant it answers fifty calls.
  private let service = SpaceXService()
  private let now = SkyTime(seconds: SkyDate(2026, 8, 21).days * 86400)

  private func ask(_ path: String, method: String = "GET", _ headers: KeyValuePairs<String, String> = [:])
    throws
    -> SkyAnswer
  {
    let request = SkyRequest(
      method: method, path: path, headers: headers.map { (name: $0.key, value: $0.value) })
    return try #require(service.answer(request, at: now))
  }

  private func value(_ path: String) throws -> Value {
    let answer = try ask(path)
    try #require(answer.status == 200, "\(path)")
    return try Value.parse(answer.body)
  }

  private func header(_ name: String, of answer: SkyAnswer) -> String? {
    answer.headers.first { $0.name == name }?.value
  }

  @Test("launches are all, past, to come, the latest, the next, or one")
  func launches() throws {
    let all = try #require(value("/v4/launches").items)
    let past = try #require(value("/v4/launches/past").items)
    let upcoming = try #require(value("/v4/launches/upcoming/").items)
    #expect(past + upcoming == all)
    #expect(try value("/v4/launches/latest") == past.last)
    #expect(try value("/v4/launches/next") == upcoming.first)
    let id = try #require(all[42].member("id")?.string)
    #expect(try value("/v4/launches/\(id)") == all[42])
  }

  @Test("fifty requests in a second are answered, by client; more when it is over")
  func limit() throws {
    let service = SpaceXService()
    func status(_ milliseconds: Int64, client: String = "a") -> Int? {
      let request = SkyRequest(path: "/v4/company", client: client)
      return service.answer(request, at: SkyTime(milliseconds: now.milliseconds + milliseconds))?.status
    }
    for number in 0..<50 { #expect(status(Int64(number)) == 200) }
    #expect(status(999) == 429 && status(999, client: "b") == 200)
    #expect(status(1000) == 200 && status(1000) == 429)
  }

  @Test("a list takes no parameters")
  func parameters() throws {
    let request = SkyRequest(path: "/v4/launches", query: [("limit", "1"), ("sort", "name")])
    #expect(try service.answer(request, at: now)?.body == ask("/v4/launches").body)
  }

  @Test("versions 4 and 5 differ in the crew alone, and the latest is 5 for launches")
  func versions() throws {
    let (four, five) = (try #require(value("/v4/launches").items), try #require(value("/v5/launches").items))
    var crewed = 0
    for (one, other) in zip(four, five) {
      let people = try #require(other.member("crew")?.items)
      #expect(one.member("crew")?.items == people.map { $0.member("crew") ?? .null })
      #expect(people.allSatisfy { $0.keys.map(\.name) == ["crew", "role"] })
      crewed += people.isEmpty ? 0 : 1
      var (first, second) = (one, other)
      for value in [first, second] { #expect(value.member("crew") != nil) }
      first.setMember("crew", .null)
      second.setMember("crew", .null)
      #expect(first == second)
    }
    #expect(crewed > 4)
    #expect(try ask("/latest/launches").body == ask("/v5/launches").body)
    #expect(try ask("/latest/rockets").body == ask("/v4/rockets").body)
  }

  @Test(
    "each collection is there, with entries that have ids and can be asked for one by one",
    arguments: [
      "rockets", "cores", "launchpads", "landpads", "payloads", "capsules", "ships", "crew", "dragons",
    ])
  func collections(name: String) throws {
    let all = try #require(value("/v4/\(name)").items)
    #expect(all.count >= 2)
    let id = try #require(all[1].member("id")?.string)
    #expect(try value("/v4/\(name)/\(id)") == all[1])
  }

  @Test("the company is one, and what there is nothing of is an empty list")
  func others() throws {
    #expect(try value("/v4/company").member("name")?.string == "SpaceX")
    #expect(try value("/v4/roadster").kind == .object)
    #expect(try value("/v4/starlink") == .array([]))
  }

  @Test(
    "what there is not is not found, in plain text",
    arguments: [
      "/v4/launches/5eb87cd9ffd86e000604b32a", "/v4/launches/x", "/v4/nothing", "/v5/rockets", "/v4",
      "/v4/company/x",
      "/v4/launches/past/x",
    ])
  func notFound(path: String) throws {
    let answer = try ask(path)
    #expect(answer.status == 404)
    #expect(String(decoding: answer.body, as: UTF8.self) == "Not Found")
    #expect(header("Content-Type", of: answer) == "text/plain; charset=utf-8")
    #expect(header("Cache-Control", of: answer) == "no-store")
  }

  @Test("nothing can be written without a key", arguments: ["POST", "PATCH", "DELETE"])
  func writing(method: String) throws {
    let answer = try ask("/v4/launches", method: method)
    #expect(answer.status == 401 && String(decoding: answer.body, as: UTF8.self) == "Unauthorized")
  }

  @Test("other paths are none of its", arguments: ["/", "/v3/launches", "/planetary/apod", "/v44/launches"])
  func otherPaths(path: String) {
    #expect(service.answer(SkyRequest(path: path), at: now) == nil)
  }

  @Test("an answer says how long it is good for, whether it was kept, and what it is")
  func headers() throws {
    let service = SpaceXService()
    func header(_ name: String, after seconds: Double, _ path: String = "/v4/launches") throws -> String? {
      let answer = try #require(service.answer(SkyRequest(path: path), at: now + seconds))
      return answer.headers.first { $0.name == name }?.value
    }
    let kept = try [0.0, 5, 19.9, 20, 21].map { try header("spacex-api-cache", after: $0) }
    #expect(kept == ["MISS", "HIT", "HIT", "MISS", "HIT"])
    #expect(try header("Cache-Control", after: 0) == "max-age=20")
    #expect(try header("Cache-Control", after: 0, "/v4/cores") == "max-age=300")
    #expect(try header("Cache-Control", after: 0, "/v4/rockets") == "max-age=86400")
    #expect(try header("spacex-api-cache-online", after: 0) == "true")
    #expect(try header("spacex-api-response-time", after: 0)?.hasSuffix("ms") == true)
    #expect(try header("Access-Control-Allow-Origin", after: 0) == "*")
  }

  @Test("a conditional request for an unchanged answer gets 304")
  func unchanged() throws {
    let whole = try ask("/v4/launches")
    let tag = try #require(header("ETag", of: whole))
    let again = try ask("/v4/launches", ["If-None-Match": "W/\(tag)"])
    #expect(again.status == 304 && again.body.isEmpty && header("ETag", of: again) == tag)
    #expect(try ask("/v4/rockets", ["If-None-Match": tag]).status == 200)
    #expect(try header("ETag", of: ask("/v4/launches")) == tag)
  }

  @Test("the data stands still, and links begin with the origin of the request")
  func frozen() throws {
    let early = service.answer(SkyRequest(path: "/v4/launches"), at: LaunchWorld.start)
    #expect(try early?.body == ask("/v4/launches").body)
    for origin in (1...6).map({ "http://127.0.0.1:\($0)" }) {
      let answer = service.answer(SkyRequest(path: "/v4/launches/latest", origin: origin), at: now)
      let launch = try Value.parse(try #require(answer).body)
      #expect(launch.at("links", "patch", "small")?.string?.hasPrefix("\(origin)/pictures/") == true)
    }
  }

  @Test("pictures are the sky's own, and are there")
  func pictures() throws {
    let request = SkyRequest(path: "/v4/launches", origin: "http://127.0.0.1:4711")
    let launches = try Value.parse(try #require(service.answer(request, at: now)).body)
    let pictures = PicturesService(seed: 7)
    var links: [String] = []
    for launch in try #require(launches.items) {
      for path in ["links.patch.small", "links.patch.large", "links.flickr.original"] {
        links += launch.all(at: path).flatMap { $0.items ?? [$0] }.compactMap(\.string)
      }
    }
    #expect(Set(links).count == links.count && links.count > 700)
    for link in links.prefix(20) {
      #expect(link.hasPrefix("http://127.0.0.1:4711/pictures/"))
      #expect(
        pictures.answer(SkyRequest(path: String(link.dropFirst(21))), at: now)?.status == 200, "\(link)")
    }
  }
}
