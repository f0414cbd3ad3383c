import Expectations
import JSON
import Testing

@testable import Sky

@Suite struct SkyTests {
  @Test("every answer says that it is simulated, that of a wrong path too")
  func simulated() {
    let sky = Sky(seed: 9, upcoming: 20)
    for path in ["/", "/2.3.0/launches/upcoming/", "/2.3.0/launches/upcoming", "/nothing"] {
      let answer = sky.answer(.get(path), at: LaunchWorld.start)
      expect(answer[header: "x-simulated"], equals: "flow sky, seed 9", "\(path)")
    }
    expect(sky.answer(.get("/nothing"), at: LaunchWorld.start).status, equals: 404)
  }

  @Test("the page at / lists what there is, and all of it is there")
  func index() throws {
    let sky = Sky(seed: 9, upcoming: 20)
    let index = try sky.answer(.get("/"), at: LaunchWorld.start).value()
    expect(index.at("simulated"), equals: .bool(true))
    expect(index.at("now")?.string, equals: "2026-01-01T00:00:00Z")
    let services = index.at("services")?.items ?? []
    #expect(services.allSatisfy { $0.at("url")?.string == "http://sky" })
    let links = services.flatMap { $0.at("try")?.items ?? [] }
    #expect(links.count >= 3)
    for link in links {
      let path = try #require(link.string).dropFirst("http://sky".count)
      expect(sky.answer(.get(String(path)), at: LaunchWorld.start).status, equals: 200)
    }
  }

  @Test(
    "every link that the sky hands out leads somewhere",
    arguments: [
      "/2.3.0/launches/upcoming/?limit=3&mode=detailed", "/2.2.0/launch/upcoming/?limit=3&mode=detailed",
      "/2.0.0/launch/upcoming/?limit=3", "/v4/rockets", "/v5/launches",
      "/planetary/apod?api_key=k&start_date=2026-01-20&thumbs=true",
    ])
  func links(_ path: String) {
    let sky = Sky(seed: 1, upcoming: 60)
    func get(_ address: String) -> SkyAnswer {
      sky.answer(
        .get(address, headers: [("Authorization", "Token \(address)")]), at: LaunchWorldTests.time(40))
    }
    let links = Set(get(path).text.matches(of: #/"http://sky(/[^"]+)"/#).map { String($0.output.1) })
    #expect(links.count > 5)
    for link in links { expect(get(link).status, equals: 200, "\(link)") }
  }

  @Test(
    "the same seed gives the same bytes at the same time, however fast it came there",
    arguments: [1.0, 3600, 1e6])
  func speeds(_ speed: Double) {
    let end = LaunchWorldTests.time(30)
    let seconds = Double(end.milliseconds - LaunchWorld.start.milliseconds) / 1000
    func bytes(_ speed: Double, looks: Int) -> [UInt8] {
      let sky = Sky(seed: 4, upcoming: 40)
      let elapsed = Duration.seconds(seconds / speed)
      for look in 0..<looks {
        let clock = SkyClock(start: LaunchWorld.start, speed: speed) { elapsed * look / looks }
        _ = sky.answer(.get("/2.3.0/launches/upcoming/"), at: clock.now)
      }
      let clock = SkyClock(start: LaunchWorld.start, speed: speed) { elapsed }
      #expect(abs(clock.now.milliseconds - end.milliseconds) <= 1)
      return sky.answer(.get("/2.3.0/launches/upcoming/?limit=100"), at: end).body
    }
    expect(bytes(speed, looks: 5), equals: bytes(60, looks: 0))
  }
}
