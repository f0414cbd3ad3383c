import JSON
import Testing

@testable import Sky

@Suite struct LaunchQueryTests {
  private let all = LaunchLibraryServiceTests.world.upcoming(at: LaunchWorld.start)

  private func select(_ query: String, _ version: LaunchShape.Version = .v230) throws -> [LaunchState] {
    try LaunchQuery(SkyRequest.get("/x/?\(query)"), version, defaultOrder: "net").select(all)
  }

  /// Each query with what it is to choose, of which there must be some, but not all.
  static let cases: [(query: String, isIt: @Sendable (LaunchState) -> Bool)] = [
    ("lsp__name=SpaceX", { $0.provider.name == "SpaceX" }),
    ("lsp__name=spacex,Rocket%20Lab", { ["SpaceX", "Rocket Lab"].contains($0.provider.name) }),
    ("lsp__id=121", { $0.provider.id == 121 }),
    ("lsp__id=121,147", { [121, 147].contains($0.provider.id) }),
    ("status=1", { $0.status == .go }),
    ("status__ids=1,8", { [.go, .toBeConfirmed].contains($0.status) }),
    ("location__ids=12,27", { [12, 27].contains($0.pad.location.id) }),
    ("pad=80", { $0.pad.id == 80 }),
    ("search=lattice", { $0.name.contains("Lattice") }),
    ("search=mahia%20electron", { $0.provider.name == "Rocket Lab" }),
    ("net__gte=2026-06-01", { $0.net >= SkyTime(iso: "2026-06-01") ?? .init(seconds: 0) }),
    ("net__lt=2026-06-01T00:00:00Z", { $0.net < SkyTime(iso: "2026-06-01") ?? .init(seconds: 0) }),
    ("window_start__gt=2026-06-01", { $0.windowStart > SkyTime(iso: "2026-06-01") ?? .init(seconds: 0) }),
    ("window_end__lte=2026-06-01", { $0.windowEnd <= SkyTime(iso: "2026-06-01") ?? .init(seconds: 0) }),
    ("last_updated__gte=2025-12-01", { $0.lastUpdated >= SkyTime(iso: "2025-12-01") ?? .init(seconds: 0) }),
    ("is_crewed=true", { $0.mission.isCrewed }),
    ("is_crewed=false", { !$0.mission.isCrewed }),
    ("include_suborbital=false", { $0.mission.orbit?.name != "Suborbital" }),
    ("rocket__configuration__name=falcon%209", { $0.rocket.name == "Falcon 9" }),
    ("rocket__configuration__full_name__icontains=long", { $0.rocket.family == "Long March" }),
    ("mission__orbit__name__icontains=sun", { $0.mission.orbit?.abbreviation == "SSO" }),
    ("year=2026&month=3", { $0.net.iso.hasPrefix("2026-03") }),
    (
      "lsp__id=121&status=2&program=801",
      {
        $0.provider.id == 121 && $0.status == .toBeDetermined && $0.mission.program?.id == 801
      }
    ),
  ]

  @Test("a filter leaves those it is for, and no others", arguments: cases.indices)
  func filters(_ number: Int) throws {
    let (query, isIt) = Self.cases[number]
    let found = Set(try select(query).map(\.id))
    #expect(found == Set(all.filter(isIt).map(\.id)), "\(query)")
    #expect(!found.isEmpty && found.count < all.count, "\(query): \(found.count)")
  }

  @Test(
    "what is unknown or empty is no filter", arguments: ["colour=red", "lsp__name=", "net__near=2026-01-01"])
  func unknown(_ query: String) throws {
    #expect(try select(query).count == all.count)
  }

  @Test("older versions are less strict with providers and places, and have lists of them by other names")
  func old() throws {
    func names(_ query: String, _ version: LaunchShape.Version) throws -> Set<String> {
      Set(try select(query, version).map(\.provider.name))
    }
    for version in [LaunchShape.Version.v200, .v220] {
      #expect(try names("lsp__name=space", version).count > 2, "a part of the name will do")
      #expect(try names("lsp__ids=121,147", version) == ["SpaceX", "Rocket Lab"])
      #expect(try names("lsp__id=121", version) == ["SpaceX"])
      for query in [
        "lsp__id=121,147", "lsp__ids=spacex", "location__ids=florida", "launch_designator=2026-001",
      ] {
        #expect(try select(query, version).count == all.count, "\(query) in \(version)")
      }
    }
    #expect(try names("lsp__name=space", .v230).isEmpty)
    #expect(try select("lsp__ids=121", .v230).count == all.count, "it is not known any more")
    #expect(throws: LaunchQuery.Wrong.self) { try select("location__ids=florida") }
  }

  @Test("what has flown is found by its designator")
  func designator() throws {
    let now = LaunchWorldTests.time(60)
    let launches = LaunchLibraryServiceTests.world.launches(at: now)
    let designator = try #require(launches.lazy.compactMap(\.designator).first)
    let query = try LaunchQuery(.get("/x/?launch_designator=\(designator)"), .v230, defaultOrder: "net")
    let found = query.select(launches)
    #expect(!found.isEmpty && found.allSatisfy { $0.designator == designator })
  }

  @Test("ids are looked for as they are")
  func ids() throws {
    #expect(
      try select("id=\(all[3].id),\(all[5].id),x").map(\.number).sorted()
        == [all[3].number, all[5].number].sorted())
    #expect(try select("slug=\(all[3].slug)").map(\.id).contains(all[3].id))
  }

  @Test("the order is that of the dates, or as it is asked for")
  func order() throws {
    let byNet = try select("").map(\.net)
    #expect(byNet == byNet.sorted())
    let backwards = try select("ordering=-net").map(\.net)
    #expect(backwards == byNet.reversed())
    let byName = try select("ordering=name").map(\.name)
    #expect(byName == byName.sorted())
    let updated = try select("ordering=-last_updated").map(\.lastUpdated)
    #expect(updated == updated.sorted(by: >))
    #expect(try select("ordering=colour").map(\.net) == byNet)
    let byBoth = try select("ordering=-net,colour,id")
    #expect(byBoth.map(\.id) == all.sorted { ($1.net, $0.id) < ($0.net, $1.id) }.map(\.id))
  }

  @Test("a time that is none is refused, with the name of the parameter")
  func wrong() throws {
    let service = LaunchLibraryService(LaunchLibraryServiceTests.world)
    let answer = try service.get("/2.3.0/launches/upcoming/?net__gte=soon")
    #expect(answer.status == 400)
    #expect(answer.text == #"{"net__gte":["Enter a valid date/time."]}"#)
    #expect(try service.get("/2.3.0/launches/upcoming/?status=go").status == 400)
  }
}
