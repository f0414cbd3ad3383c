import Testing

@testable import JSON

@Suite struct ConcurrencyTests {
  @Test func oneDocumentServesManyReadersAtOnce() async throws {
    let members = (0..<400).map { "\"k\($0)\":[\($0),\"\\u0041\"]" }.joined(separator: ",")
    let value = try json(
      "{\"big\":{\(members)},\"list\":[\((0..<400).map { "[\($0)]" }.joined(separator: ","))]}")
    let sums = await withTaskGroup(of: Double.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var sum = 0.0
          for number in 0..<400 {
            sum += value.member("big")?.member(Key("k\(number)"))?.element(0)?.double ?? 0
            sum += value.member("list")?.element(number)?.element(0)?.double ?? 0
          }
          var copy = value
          copy.setMember("own", .number(sum))
          return copy.member("own")?.double ?? 0
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sums.count == 8 && sums.allSatisfy { $0 == 159_600 })
  }
}
