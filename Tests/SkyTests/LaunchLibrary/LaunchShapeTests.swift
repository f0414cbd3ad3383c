import Expectations
import JSON
import Testing

@testable import Sky

@Suite struct LaunchShapeTests {
  /// A quarter of those there are after some months.
  private static let launches = LaunchLibraryServiceTests.world.launches(at: LaunchWorldTests.time(300))
    .filter { $0.number % 4 == 0 }
  private var launches: [LaunchState] { Self.launches }

  private func rows(_ mode: LaunchMode) -> [Value] {
    let shape = LaunchShape(mode: mode, origin: "http://sky")
    return launches.map(shape.write)
  }

  @Test("2.3.0 has objects for pictures and kinds, and numbers for places")
  func new() {
    for row in rows(.normal) {
      #expect(row.at("image", "image_url")?.string != nil || row.at("image") == .null)
      expect(row.at("pad", "latitude")?.kind, equals: .number)
      expect(row.at("pad", "country", "alpha_3_code")?.string?.utf8.count, equals: 3)
      #expect(row.at("response_mode")?.string == "normal" && row.at("vid_urls") == nil)
      #expect(row.at("holdreason") == nil && row.at("failreason")?.string != nil)
      #expect(
        row.at("launch_designator") != nil && row.at("rocket", "configuration", "families")?.items != nil)
    }
    for row in rows(.list) {
      #expect(row.at("launch_service_provider") == nil && row.at("pad") == nil && row.at("mission") == nil)
      expect(row.at("response_mode")?.string, equals: "list")
    }
    for row in rows(.detailed) {
      #expect(row.at("vid_urls")?.items != nil && row.at("info_urls")?.items != nil)
      expect(row.at("rocket", "configuration", "image"), equals: row.at("image"))
    }
  }

  @Test("what is sometimes null is null for some, and for others not")
  func nulls() {
    let all = rows(.normal)
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
    let shape = LaunchShape(mode: .detailed, origin: "http://sky")
    for launch in withBoth {
      let videos = shape.write(launch).at("vid_urls")?.items ?? []
      expect(videos.map { $0.at("priority") }, equals: [.number(8), .number(10)])
      expect(videos.last?.at("type", "name")?.string, equals: "Official Webcast")
    }
  }

  @Test("a failure says why")
  func reasons() {
    let failed = launches.filter { $0.status == .failure }
    #expect(!failed.isEmpty && failed.allSatisfy { !$0.failReason.isEmpty })
    #expect(launches.filter { $0.status != .failure }.allSatisfy { $0.failReason.isEmpty })
  }
}
