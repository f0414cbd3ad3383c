import JSON
import Testing

@testable import Sky

@Suite struct LaunchShapeTests {
  /// A quarter of those there are after some months.
  private static let launches = LaunchLibraryServiceTests.world.launches(at: LaunchWorldTests.time(300))
    .filter { $0.number % 4 == 0 }
  private var launches: [LaunchState] { Self.launches }

  private func rows(_ version: LaunchShape.Version, _ mode: LaunchShape.Mode) -> [Value] {
    let shape = LaunchShape(version: version, mode: mode, origin: "http://sky", linkSuffix: "")
    return launches.map(shape.write)
  }

  @Test("2.0.0 has short names, flags for dates and nothing of when it was changed")
  func oldest() throws {
    for row in rows(.v200, .normal) {
      #expect(row.at("status")?.names == ["id", "name"])
      #expect(!row.names.contains("last_updated") && !row.names.contains("net_precision"))
      #expect(!row.names.contains("vidURLs"))
      #expect(
        row.at("tbddate")?.bool != nil && row.at("tbdtime")?.bool != nil && row.at("inhold")?.bool != nil)
      #expect(row.at("pad", "latitude")?.string != nil)
      #expect(row.at("image")?.string?.hasPrefix("http://sky/") == true)
      #expect([1, 2, 3, 4, 5, 6, 7].contains(row.at("status", "id")?.double ?? 0))
    }
    #expect(rows(.v200, .detailed).allSatisfy { $0.at("vidURLs")?.items != nil })
    #expect(
      rows(.v200, .detailed).allSatisfy { $0.at("rocket", "configuration", "image_url")?.string != nil })
  }

  @Test("2.2.0 has everything in long, and names alone in its list mode")
  func old() {
    for row in rows(.v220, .normal) {
      #expect(row.at("status")?.names == ["id", "name", "abbrev", "description"])
      #expect(row.at("launch_service_provider")?.names == ["id", "url", "name", "type"])
      #expect(row.at("net_precision", "abbrev")?.string != nil)
      #expect(row.at("pad", "longitude")?.string != nil && row.at("pad", "country_code")?.string != nil)
      #expect(row.at("type")?.string == "normal" && row.at("vidURLs") == nil)
      #expect(row.at("status", "id")?.double != 9)
    }
    for row in rows(.v220, .list) {
      #expect(row.at("lsp_name")?.string != nil && row.at("launch_service_provider") == nil)
      #expect(row.at("pad")?.string != nil && row.at("location")?.string != nil && row.at("rocket") == nil)
    }
    for row in rows(.v220, .detailed) {
      #expect(row.at("vidURLs")?.items != nil && row.at("infoURLs")?.items != nil)
      #expect(row.at("pad", "location", "timezone_name")?.string != nil)
    }
  }

  @Test("2.3.0 has objects for pictures and kinds, and numbers for places")
  func new() {
    for row in rows(.v230, .normal) {
      #expect(row.at("image", "image_url")?.string != nil || row.at("image") == .null)
      #expect(row.at("pad", "latitude")?.kind == .number)
      #expect(row.at("pad", "country", "alpha_3_code")?.string?.utf8.count == 3)
      #expect(row.at("response_mode")?.string == "normal" && row.at("vid_urls") == nil)
      #expect(row.at("holdreason") == nil && row.at("failreason")?.string != nil)
      #expect(
        row.at("launch_designator") != nil && row.at("rocket", "configuration", "families")?.items != nil)
    }
    for row in rows(.v230, .list) {
      #expect(row.at("launch_service_provider") == nil && row.at("pad") == nil && row.at("mission") == nil)
      #expect(row.at("response_mode")?.string == "list")
    }
    for row in rows(.v230, .detailed) {
      #expect(row.at("vid_urls")?.items != nil && row.at("updates")?.items?.isEmpty == false)
      #expect(row.at("rocket", "configuration", "image") == row.at("image"))
    }
  }

  @Test(
    "what is sometimes null is null for some, and for others not", arguments: LaunchShape.Version.allCases)
  func nulls(_ version: LaunchShape.Version) {
    let all = rows(version, .normal)
    func count(_ isIt: (Value) -> Bool) -> Int { all.count(where: isIt) }
    for path in [
      ["mission"], ["mission", "orbit"], ["probability"], ["launch_service_provider", "type"],
      ["pad", "map_url"],
    ] {
      let nulls = count { row in path.reduce(Optional(row)) { $0?.member($1) } == .null }
      #expect(nulls > 0 && nulls < all.count, "\(path)")
    }
    #expect(count { $0.at("pad", "map_url")?.string == "" } > 0)
    #expect(count { $0.at("mission", "description")?.string == "Details TBD." } > 0)
    #expect(count { $0.at("program")?.items?.isEmpty == true } > 0)
  }

  @Test("videos come with those of the launch, the official one with the highest priority")
  func videos() {
    let withBoth = launches.filter { $0.videos.count == 2 }
    #expect(!withBoth.isEmpty)
    let shape = LaunchShape(version: .v230, mode: .detailed, origin: "http://sky", linkSuffix: "")
    for launch in withBoth {
      let videos = shape.write(launch).at("vid_urls")?.items ?? []
      #expect(videos.map { $0.at("priority") } == [.number(8), .number(10)])
      #expect(videos.last?.at("type", "name")?.string == "Official Webcast")
    }
  }

  @Test("what was said of a launch comes newest first")
  func comments() {
    let shape = LaunchShape(version: .v220, mode: .detailed, origin: "http://sky", linkSuffix: "")
    for launch in launches.prefix(20) {
      let updates = shape.write(launch).at("updates")?.items ?? []
      let times = updates.compactMap { $0.at("created_on")?.string }
      #expect(times == times.sorted(by: >))
      #expect(updates.last?.at("comment")?.string == "Added launch.")
      #expect(updates.count == launch.updates.count)
    }
  }

  @Test("a hold and a failure say why")
  func reasons() {
    let failed = launches.filter { $0.status == .failure }
    #expect(!failed.isEmpty && failed.allSatisfy { !$0.failReason.isEmpty })
    #expect(launches.filter { $0.status != .failure }.allSatisfy { $0.failReason.isEmpty })
    #expect(launches.filter { $0.status != .hold }.allSatisfy { $0.holdReason.isEmpty })
  }
}
