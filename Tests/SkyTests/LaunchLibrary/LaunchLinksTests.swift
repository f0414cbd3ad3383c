import JSON
import Testing

@testable import Sky

/// What stands behind the links of launches.
@Suite struct LaunchLinksTests {
  private let sky = Sky(seed: 1, upcoming: 60)
  private let now = LaunchWorldTests.time(40)

  private func get(_ address: String) -> SkyAnswer {
    sky.answer(.get(address, headers: [(name: "Authorization", value: "Token \(address)")]), at: now)
  }

  /// All texts in a value that are addresses of the sky.
  private func links(_ value: Value) -> Set<String> {
    var found: Set<String> = []
    var waiting = [value]
    while let next = waiting.popLast() {
      if let text = next.string, text.hasPrefix("http://sky/") {
        found.insert(String(text.dropFirst("http://sky".count)))
      }
      waiting += next.items ?? []
      next.forEachMember { _, member in waiting.append(member) }
    }
    return found
  }

  private func follow(_ first: [String]) throws -> Set<String> {
    var waiting = first
    var seen = Set(first)
    while let address = waiting.popLast() {
      let answer = get(address)
      #expect(answer.status == 200, "\(address)")
      guard
        answer.headers.contains(where: { $0.name == "Content-Type" && $0.value.hasPrefix("application/json") }
        )
      else { continue }
      for link in links(try answer.value()).subtracting(seen) {
        seen.insert(link)
        // Pages of all launches lead to the same kinds of things.
        if link.contains("offset=") { continue }
        waiting.append(link)
      }
    }
    return seen
  }

  @Test(
    "every link that the sky hands out leads somewhere, and so do the links found there",
    arguments: LaunchShape.Version.allCases)
  func all(_ version: LaunchShape.Version) throws {
    let lists =
      LaunchReference.Kind.allCases.map { $0.folder(version) }
      + LaunchTerms.allCases.compactMap { $0.folder(version) }
    let seen = try follow(
      lists.map { "/\(version.rawValue)/\($0)/" } + [
        "/\(version.rawValue)/\(version.folder)/upcoming/?limit=3&mode=detailed"
      ])
    for kind in LaunchReference.Kind.allCases {
      #expect(
        seen.contains { $0.hasPrefix("/\(version.rawValue)/\(kind.folder(version))/") && $0 != "" }, "\(kind)"
      )
    }
  }

  @Test("so do those of the other services")
  func others() throws {
    for path in [
      "/v4/rockets", "/v5/launches/latest", "/v4/ships",
      "/planetary/apod?api_key=k&start_date=2026-01-20&thumbs=true",
    ] {
      #expect(try follow([path]).count > 1, "\(path)")
    }
  }

  @Test("lists have the envelope of launches, single things are as they are in a launch")
  func shapes() throws {
    let page = try get("/2.3.0/agencies/?limit=3&offset=3").value()
    #expect(page.names == ["count", "next", "previous", "results"])
    #expect(page.member("count")?.double == Double(LaunchCatalog.providers.count))
    #expect(page.member("next")?.string == "http://sky/2.3.0/agencies/?limit=3&offset=6")
    let launch = try #require(
      try get("/2.3.0/launches/upcoming/?limit=1&mode=detailed").value().member("results")?.items?.first)
    for path in [["launch_service_provider"], ["pad"], ["pad", "location"], ["rocket", "configuration"]] {
      let part = path.reduce(Optional(launch)) { $0?.member(Key($1)) }
      let link = try #require(part?.at("url")?.string).dropFirst("http://sky".count)
      let alone = try get(String(link)).value()
      #expect(alone.at("id") == part?.at("id") && alone.names == part?.names, "\(path)")
    }
    #expect(try get("/2.0.0/pad/80/").value().at("latitude") == .string("28.562"))
    #expect(try get("/2.3.0/pads/80/").value().at("latitude") == .number(28.562))
    #expect(get("/2.3.0/agencies/7/").text == #"{"detail":"Not found."}"#)
    #expect(get("/2.3.0/pad/80/").status == 404 && get("/2.0.0/agencies/121/x/").status == 404)
    #expect(get("/2.3.0/agencies").status == 301)
  }

  @Test("the words of the service by their numbers, as far as a version has them")
  func terms() throws {
    func ids(_ path: String) throws -> [Int] {
      (try get(path).value().member("results")?.items ?? []).compactMap { $0.at("id")?.double }.map {
        Int($0)
      }
    }
    #expect(try ids("/2.3.0/config/launch_statuses/") == Array(1...9))
    #expect(try ids("/2.2.0/config/launchstatus/") == Array(1...8))
    #expect(try ids("/2.0.0/config/launchstatus/") == Array(1...7))
    #expect(try ids("/2.3.0/config/net_precisions/?limit=20") == [0, 1, 2, 5, 7, 8, 9, 10, 11, 12, 13, 14])
    #expect(try get("/2.3.0/config/vidurl_types/1/").value().at("name") == .string("Official Webcast"))
    #expect(try get("/2.0.0/config/launchstatus/1/").value().at("name") == .string("Go"))
    #expect(get("/2.0.0/config/net_precisions/").status == 404)
  }
}
