import Expectations
import JSON
import Testing

@testable import Sky

/// The versions of Launch Library 2 that are recorded.
@Suite struct RecordedLaunchTests {
  private let service = LaunchLibraryService(LaunchLibraryServiceTests.world)

  private func page(_ address: String, days: Double = 0) throws -> Value {
    let answer = try service.get(
      address, at: LaunchWorldTests.time(days), headers: [("Authorization", "Token k")])
    try #require(answer.status == 200, "\(address): \(answer.text)")
    return try answer.value()
  }

  private func rows(_ address: String) throws -> [Value] {
    let rows = try #require(page(address).member("results")?.items)
    #expect(rows.count > 6, "\(address)")
    return rows
  }

  @Test(
    "a recording has launches to come and launches before, and stands still", arguments: ["2.0.0", "2.2.0"])
  func lists(_ version: String) throws {
    let all = try page("/\(version)/launch/").rows("id")
    let (upcoming, previous) = try (
      page("/\(version)/launch/upcoming/?mode=list"), page("/\(version)/launch/previous/")
    )
    #expect(all.count == 10 && Set(upcoming.rows("id") + previous.rows("id")) == Set(all))
    #expect(previous.rows("net") == previous.rows("net").sorted(by: >) && previous.rows("id").count == 3)
    expect(
      Set(upcoming.rows("id")).intersection(previous.rows("id")).count, equals: 1, "it flew within a day")
    try expect(page("/\(version)/launch/upcoming/?mode=list", days: 300), equals: upcoming)
  }

  @Test("it has pages, filters and an order, as the living version has", arguments: ["2.0.0", "2.2.0"])
  func queries(_ version: String) throws {
    let path = "/\(version)/launch/upcoming/"
    var next: String? = path + "?limit=3&ordering=-net,id"
    var ids: [String] = []
    while let address = next {
      let page = try page(address)
      ids += page.rows("id")
      next = page.member("next")?.string.map { String($0.dropFirst("http://sky".count)) }
    }
    let all = try rows(path).sorted {
      ($1.at("net")?.string ?? "", $0.at("id")?.string ?? "") < (
        $0.at("net")?.string ?? "", $1.at("id")?.string ?? ""
      )
    }
    expect(ids, equals: all.compactMap { $0.at("id")?.string })
    for (query, names) in [
      ("lsp__name=SpaceX", ["launch_service_provider", "name"]), ("status__ids=2", ["status", "id"]),
      ("location__ids=12", ["pad", "location", "id"]),
    ] {
      let rows = try #require(page(path + "?" + query).member("results")?.items)
      let values = Set(rows.map { row in names.reduce(Optional(row)) { $0?.member($1) } })
      #expect(values.count == 1 && !rows.isEmpty && rows.count < all.count, "\(query)")
    }
    try expect(page(path + "?search=lattice").rows("id").count, equals: 2)
    try expect(page(path + "?net__gte=2026-01-31&net__lt=2026-02-01").rows("id").count, equals: 2)
  }

  @Test("2.0.0 has short names, flags for dates and nothing of when it was changed")
  func oldest() throws {
    for row in try rows("/2.0.0/launch/upcoming/?mode=list") {
      expect(row.at("status")?.names, equals: ["id", "name"])
      #expect(row.at("last_updated") == nil && row.at("net_precision") == nil && row.at("vidURLs") == nil)
      #expect(
        row.at("tbddate")?.bool != nil && row.at("tbdtime")?.bool != nil && row.at("inhold")?.bool != nil)
      #expect(row.at("pad", "latitude")?.string != nil)
      expect(row.at("image")?.string?.hasPrefix("http://sky/pictures/"), equals: true)
      let one = try page("/2.0.0/launch/\(row.at("id")?.string ?? "")/")
      #expect(one.at("vidURLs")?.items != nil && one.at("name") == row.at("name"))
      #expect(one.at("rocket", "configuration", "image_url")?.string != nil)
    }
  }

  @Test("2.2.0 has everything in long, and names alone in its list mode")
  func old() throws {
    for row in try rows("/2.2.0/launch/upcoming/") {
      expect(row.at("status")?.names, equals: ["id", "name", "abbrev", "description"])
      #expect(row.at("net_precision", "abbrev")?.string != nil && row.at("last_updated")?.string != nil)
      #expect(row.at("pad", "longitude")?.string != nil && row.at("pad", "country_code")?.string != nil)
      #expect(row.at("type")?.string == "normal" && row.at("vidURLs") == nil)
    }
    for row in try rows("/2.2.0/launch/upcoming/?mode=list") {
      #expect(row.at("lsp_name")?.string != nil && row.at("launch_service_provider") == nil)
      #expect(row.at("pad")?.string != nil && row.at("location")?.string != nil && row.at("rocket") == nil)
    }
    let detailed = try rows("/2.2.0/launch/upcoming/?mode=detailed")
    #expect(detailed.allSatisfy { $0.at("vidURLs")?.items != nil && $0.at("type")?.string == "detailed" })
    #expect(detailed.contains { $0.at("vidURLs")?.items?.isEmpty == false })
    #expect(
      detailed.contains { $0.at("mission") == .null }
        && detailed.contains { $0.at("pad", "map_url")?.string == "" })
  }
}
