import Expectations
import JSON
import Testing

@testable import Sky

@Suite struct LaunchQueryTests {
  private let all = LaunchLibraryServiceTests.world.upcoming(at: LaunchWorld.start)

  private func select(_ query: String) throws -> [LaunchState] {
    try LaunchQuery(SkyRequest.get("/x/?\(query)"), defaultOrder: "net").select(all)
  }

  /// Each query with what it is to choose, of which there must be some, but not all.
  static let cases: [(query: String, isIt: @Sendable (LaunchState) -> Bool)] = [
    ("lsp__name=SpaceX", { $0.provider.name == "SpaceX" }),
    ("lsp__name=spacex,Rocket%20Lab", { ["SpaceX", "Rocket Lab"].contains($0.provider.name) }),
    ("status__ids=1,8", { [.go, .toBeConfirmed].contains($0.status) }),
    ("location__ids=12,27", { [12, 27].contains($0.pad.location.id) }),
    ("search=lattice", { $0.name.contains("Lattice") }),
    ("search=mahia%20electron", { $0.provider.name == "Rocket Lab" }),
    ("net__gte=2026-06-01", { $0.net >= SkyTime(iso: "2026-06-01") ?? .init(seconds: 0) }),
    ("net__lt=2026-06-01T00:00:00Z", { $0.net < SkyTime(iso: "2026-06-01") ?? .init(seconds: 0) }),
    (
      "lsp__name=SpaceX&status__ids=2&search=lattice",
      { $0.provider.id == 121 && $0.status == .toBeDetermined && $0.name.contains("Lattice") }
    ),
  ]

  @Test("a filter leaves those it is for, and no others", arguments: cases.indices)
  func filters(_ number: Int) throws {
    let (query, isIt) = Self.cases[number]
    let found = Set(try select(query).map(\.id))
    expect(found, equals: Set(all.filter(isIt).map(\.id)), "\(query)")
    #expect(!found.isEmpty && found.count < all.count, "\(query): \(found.count)")
  }

  @Test(
    "what is unknown or empty is no filter", arguments: ["colour=red", "lsp__name=", "net__gt=2026-01-01"])
  func unknown(_ query: String) throws {
    try expect(select(query).count, equals: all.count)
  }

  @Test("the order is that of the dates, or as it is asked for")
  func order() throws {
    let byNet = try select("").map(\.net)
    expect(byNet, equals: byNet.sorted())
    let backwards = try select("ordering=-net").map(\.net)
    expect(backwards, equals: byNet.reversed())
    let byName = try select("ordering=name").map(\.name)
    expect(byName, equals: byName.sorted())
    let updated = try select("ordering=-last_updated").map(\.lastUpdated)
    expect(updated, equals: updated.sorted(by: >))
    try expect(select("ordering=colour").map(\.net), equals: byNet)
    let byBoth = try select("ordering=-net,colour,id")
    expect(byBoth.map(\.id), equals: all.sorted { ($1.net, $0.id) < ($0.net, $1.id) }.map(\.id))
  }

  @Test("a time that is none is refused, with the name of the parameter")
  func wrong() throws {
    let service = LaunchLibraryService(LaunchLibraryServiceTests.world)
    let answer = try service.get("/2.3.0/launches/upcoming/?net__gte=soon")
    expect(answer.status, equals: 400)
    expect(answer.text, equals: #"{"net__gte":["Enter a valid date/time."]}"#)
    try expect(service.get("/2.3.0/launches/upcoming/?status__ids=go").status, equals: 400)
  }
}
