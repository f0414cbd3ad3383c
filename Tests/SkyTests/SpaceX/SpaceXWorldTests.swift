import JSON
import Testing

@testable import Sky

@Suite struct SpaceXWorldTests {
  private let world = SpaceXWorld.all
  private var launches: [Value] { world.collections["launches"] ?? [] }

  private func at(_ path: String, _ value: Value) -> Value {
    value.all(at: path).first ?? .null
  }

  private func nulls(_ path: String) -> Int { launches.count { at(path, $0).isNull } }
  private func empty(_ path: String) -> Int { launches.count { at(path, $0).count == 0 } }

  @Test("there are 205 launches, numbered in their order, two numbers twice")
  func launchCounts() {
    #expect(SpaceXFlight.all.count == 205)
    #expect(launches.count == 205)
    #expect(launches.count { at("upcoming", $0).bool == false } == 187)
    #expect(launches.count { at("success", $0).bool == true } == 181)
    #expect(launches.count { at("success", $0).bool == false } == 5)
    #expect(nulls("success") == 19)
    #expect(empty("failures") == 200)
    #expect(launches.allSatisfy { (at("success", $0).bool == false) == (at("failures", $0).count == 1) })
    for unique in ["id", "name"] { #expect(Set(launches.map { at(unique, $0) }).count == 205) }
    #expect(launches.allSatisfy { at("id", $0).string?.count == 24 })
    let numbers = launches.compactMap { at("flight_number", $0).double.map { Int($0) } }
    #expect(numbers == numbers.sorted() && numbers.first == 1 && numbers.last == 203)
    let twice = Dictionary(grouping: numbers) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
    #expect(twice == [188, 198])
  }

  @Test("what is null or empty is so as often as it was counted in the original")
  func nullHabits() {
    let counted = [
      "fairings": 36, "links.patch.small": 16, "links.patch.large": 16, "links.webcast": 17,
      "links.youtube_id": 17, "links.article": 63, "links.wikipedia": 50, "links.presskit": 114,
      "links.reddit.campaign": 55, "links.reddit.launch": 41, "links.reddit.media": 117,
      "links.reddit.recovery": 110, "details": 71, "static_fire_date_utc": 84, "static_fire_date_unix": 84,
      "window": 88, "launch_library_id": 133, "rocket": 0, "launchpad": 0, "date_utc": 0,
    ]
    for (path, count) in counted { #expect(nulls(path) == count, "\(path)") }
    let emptied = [
      "links.flickr.original": 70, "links.flickr.small": 205, "payloads": 12, "ships": 85, "capsules": 170,
      "crew": 197, "cores": 0,
    ]
    for (path, count) in emptied { #expect(empty(path) == count, "\(path)") }
    #expect(launches.count { !at("fairings", $0).isNull && at("fairings.reused", $0).isNull } == 76)
  }

  @Test("cores know three answers to whether they were used before, and land in three ways or none")
  func cores() {
    let cores = launches.flatMap { at("cores", $0).items ?? [] }
    #expect(cores.count == 215)
    func count(_ name: String, _ value: Value) -> Int { cores.count { $0.member(name) == value } }
    let expected: [(String, Value, Int)] = [
      ("reused", .bool(true), 119), ("reused", .bool(false), 90), ("reused", .null, 6), ("core", .null, 19),
      ("landing_attempt", .null, 22), ("landing_success", .null, 53), ("landing_type", .string("ASDS"), 127),
      ("landing_type", .string("RTLS"), 30), ("landing_type", .string("Ocean"), 7),
      ("landing_type", .null, 51),
    ]
    for (name, value, wanted) in expected { #expect(count(name, value) == wanted, "\(name) \(value)") }
    #expect(world.collections["cores"]?.count == 78 && world.collections["payloads"]?.count == 225)
    let statuses = Set((world.collections["cores"] ?? []).compactMap { at("status", $0).string })
    #expect(statuses.isSuperset(of: ["active", "inactive", "expended", "lost"]))
    #expect(launches.count { at("cores", $0).count == 3 } == 5)
  }

  @Test("dates are as exact as they are known, and the clock of the place has its own offset")
  func dates() throws {
    let precisions = Dictionary(grouping: launches) { at("date_precision", $0).string ?? "" }
    #expect(precisions.mapValues(\.count) == ["hour": 192, "day": 5, "month": 8])
    let times = launches.compactMap { at("date_unix", $0).double }
    #expect(times != times.sorted(), "the order is that of the flight numbers")
    for launch in launches {
      let utc = try #require(at("date_utc", launch).string)
      let time = try #require(SkyTime(iso: utc))
      #expect(utc.hasSuffix(".000Z") && at("date_unix", launch).double == Double(time.seconds))
      let local = try #require(at("date_local", launch).string)
      #expect(SkyTime(iso: local) == time && !local.hasSuffix("Z"))
      if at("date_precision", launch).string == "month" { #expect(utc.hasSuffix("-01T00:00:00.000Z")) }
    }
    #expect(at("date_local", launches[0]).string?.hasSuffix("+12:00") == true)
  }

  @Test("each id leads to an entry, and each entry back to its launches")
  func references() throws {
    let kinds = [
      "rocket": "rockets", "launchpad": "launchpads", "payloads": "payloads", "ships": "ships",
      "capsules": "capsules", "crew.crew": "crew", "cores.core": "cores", "cores.landpad": "landpads",
      "fairings.ships": "ships",
    ]
    for (path, collection) in kinds {
      var seen = 0
      for launch in launches {
        for value in launch.all(at: path) {
          for id in value.items ?? [value] where !id.isNull {
            let name = try #require(id.string)
            let entry = try #require(world.index.at(collection, name), "\(path)")
            seen += 1
            if ["crew", "capsules", "cores"].contains(collection) {
              #expect(entry.member("launches")?.items?.contains(at("id", launch)) == true, "\(path)")
            }
          }
        }
      }
      #expect(seen > 20, "\(path)")
    }
    let rockets = try #require(world.collections["rockets"])
    #expect(rockets.map { at("name", $0).string } == ["Falcon 1", "Falcon 9", "Falcon Heavy", "Starship"])
    #expect(at("success_rate_pct", rockets[0]).double == 40 && at("success_rate_pct", rockets[3]).double == 0)
    #expect(
      at("first_stage.burn_time_sec", rockets[3]).isNull && at("diameter.meters", rockets[0]).double == 1.68)
    let attempts = try #require(world.collections["launchpads"]).map { at("launch_attempts", $0).double ?? 0 }
    #expect(attempts.reduce(0, +) == 187)
  }

  @Test("the counts of cores are those of their launches")
  func counts() throws {
    for core in try #require(world.collections["cores"]) {
      let flights = launches.filter { at("upcoming", $0).bool == false }.flatMap {
        at("cores", $0).items ?? []
      }
      .filter { at("core", $0) == at("id", core) }
      #expect(at("reuse_count", core).double == Double(max(0, flights.count - 1)))
      for (name, type) in [("rtls", "RTLS"), ("asds", "ASDS")] {
        let tries = flights.filter { at("landing_type", $0).string == type }
        #expect(at("\(name)_attempts", core).double == Double(tries.count))
        let landed = tries.count { at("landing_success", $0).bool == true }
        #expect(at("\(name)_landings", core).double == Double(landed))
      }
    }
  }
}
