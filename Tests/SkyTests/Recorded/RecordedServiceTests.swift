import Expectations
import JSON
import Testing

@testable import Sky

/// A recorded list as the API it came from.
@Suite("a recorded service") struct RecordedServiceTests {
  private static let hour: Int64 = 3_600_000
  private let service = RecordedService(
    at: "/list",
    [
      .init(at: SkyTime(milliseconds: hour), .rows((0..<5).map { .record(["id": .number($0)]) })),
      .init(at: SkyTime(milliseconds: 2 * hour), .failure("no answer")),
      .init(at: SkyTime(milliseconds: 3 * hour), .rows([])),
    ])

  private func answer(_ request: SkyRequest, hour: Double) -> SkyAnswer? {
    service.answer(request, at: SkyTime(milliseconds: Int64(hour * Double(Self.hour))))
  }

  @Test("the list is as in the latest poll: before the first as in that, after a failed one it fails")
  func times() throws {
    let list = SkyRequest(path: "/list")
    for hour in [0, 1, 1.99] {
      let rows = try Value.parse(try #require(answer(list, hour: hour)).body).items
      expect(rows?.compactMap { $0.member("id")?.double }, equals: [0, 1, 2, 3, 4])
    }
    let failed = try #require(answer(list, hour: 2.5))
    #expect(failed.status == 503 && failed.body == Array("no answer\n".utf8))
    for hour in [3.0, 99] { expect(answer(list, hour: hour)?.body, equals: Array("[]\n".utf8)) }
    expectNil(answer(SkyRequest(path: "/other"), hour: 1))
  }

  @Test("pages link to the next, and add up to the list")
  func pages() throws {
    var ids: [Double] = []
    var query: [(name: String, value: String)] = [("limit", "2")]
    for page in 0..<3 {
      let found = try #require(answer(SkyRequest(path: "/list", query: query), hour: 1))
      ids += try Value.parse(found.body).items?.compactMap { $0.member("id")?.double } ?? []
      let link = found.headers.first { $0.name == "Link" }?.value
      expect(
        link,
        equals: (page < 2 ? "<http://127.0.0.1/list?limit=2&offset=\(2 * page + 2)>; rel=\"next\"" : nil))
      query = [("limit", "2"), ("offset", "\(2 * page + 2)")]
    }
    expect(ids, equals: [0, 1, 2, 3, 4])
  }

  @Test("an unchanged list is answered with 304, a changed one whole")
  func tags() throws {
    let first = try #require(answer(SkyRequest(path: "/list"), hour: 1))
    let tag = try #require(first.headers.first { $0.name == "ETag" }?.value)
    let again = SkyRequest(path: "/list", headers: [("If-None-Match", tag)])
    let same = try #require(answer(again, hour: 1.5))
    #expect(same.status == 304 && same.body.isEmpty)
    expect(answer(again, hour: 3)?.status, equals: 200)
  }
}
