import JSON
import Testing

@testable import Sky

@Suite struct SpaceXAliveTests {
  private let start = SkyTime(seconds: SkyDate(2026, 3, 1).days * 86400)

  private func launches(_ day: Double) -> [Value] {
    SpaceXWorld(seed: 7, at: start + day * 86400, origin: "http://sky").collections["launches"] ?? []
  }

  private func history(of launch: Value, days: some Sequence<Int>) -> [Value] {
    days.compactMap { day in
      launches(Double(day)).first { $0.member("id") == launch.member("id") }
    }
  }

  @Test("there are always eighteen launches to come, and those of now are of now")
  func upcoming() throws {
    for day in stride(from: 0.0, through: 40, by: 8) {
      let all = launches(day)
      let next = all.filter { $0.member("upcoming")?.bool == true }
      #expect((17...19).contains(next.count))
      #expect(Set(all.compactMap { $0.member("name")?.string }).count == all.count)
      #expect(all.map { $0.member("flight_number")?.double } == (1...all.count).map { Double($0) })
      let latest = try #require(all.last { $0.member("upcoming")?.bool == false })
      let moment = try #require(latest.member("date_utc")?.string.flatMap { SkyTime(iso: $0) })
      #expect((0...10 * 86400).contains(start + day * 86400 - moment))
    }
  }

  @Test("a launch becomes exact, flies, and is filled in bit by bit; it never goes back")
  func life() throws {
    let upcoming = launches(0).filter { $0.member("upcoming")?.bool == true }
    let next = try #require(upcoming.dropFirst(13).first)
    let news = history(of: next, days: stride(from: 0, through: 110, by: 5))
    #expect(news.count == 23)
    var precisions: [String] = []
    for precision in news.compactMap({ $0.member("date_precision")?.string })
    where precisions.last != precision {
      precisions.append(precision)
    }
    #expect(precisions == ["month", "day", "hour"])
    let flown = news.map { $0.member("upcoming")?.bool == false }
    #expect(flown.first == false && flown.last == true)
    #expect(zip(flown, flown.dropFirst()).allSatisfy { !$0 || $1 })
    let last = try #require(news.last)
    #expect(last.member("success")?.bool == true)
    #expect(last.member("cores")?.element(0)?.member("core")?.string != nil)
    #expect(news[0].member("cores")?.element(0)?.member("core")?.isNull == true)
    let webcast = news.map { $0.member("links")?.member("webcast") }
    #expect(webcast.first == .null && webcast.last??.string != nil)
  }

  @Test("five months bring flights, new ones, other numbers and other dates, as they did")
  func fiveMonths() {
    let (before, after) = (launches(0), launches(150))
    func byID(_ launches: [Value]) -> [Value: Value] {
      Dictionary(launches.compactMap { launch in launch.member("id").map { ($0, launch) } }) { one, _ in one }
    }
    let (old, new) = (byID(before), byID(after))
    #expect(Set(old.keys).isSubset(of: new.keys))
    #expect((20...28).contains(new.count - old.count))
    func changed(_ name: String) -> Int { old.count { new[$0.key]?.member(name) != $0.value.member(name) } }
    #expect((15...19).contains(changed("upcoming")))
    #expect(changed("date_utc") >= 8 && changed("date_precision") >= 8)
    #expect(changed("links") >= 15 && changed("success") >= 15)
    #expect(changed("rocket") == 0 && changed("launch_library_id") >= 5)
  }

  @Test("some are called something else in the end, and stay what they were")
  func names() {
    let names = [0, 150].map { day in
      let all =
        SpaceXWorld(seed: 8, at: start + day * 86400, origin: "http://sky").collections["launches"] ?? []
      return Dictionary(uniqueKeysWithValues: all.map { ($0.member("id"), $0.member("name")?.string ?? "") })
    }
    let renamed = names[0].filter { names[1][$0.key] != $0.value }
    #expect((1...4).contains(renamed.count))
    for (id, name) in renamed { #expect(names[1][id] == "\(name) & Company") }
  }

  @Test("the service lives only where it is told to")
  func service() throws {
    let request = SkyRequest(path: "/v4/launches")
    let (frozen, alive) = (SpaceXService(seed: 7), SpaceXService(seed: 7, isAlive: true))
    let later = start + 30 * 86400
    #expect(frozen.answer(request, at: start)?.body == frozen.answer(request, at: later)?.body)
    let body = try #require(alive.answer(request, at: start)?.body)
    #expect(alive.answer(request, at: later)?.body != body)
    #expect(SpaceXService(seed: 7, isAlive: true).answer(request, at: start)?.body == body)
  }
}
