import Expectations
import Testing

@testable import Sky

@Suite struct SkyRandomTests {
  @Test("the same seed and name give the same numbers, another name or number others")
  func streams() {
    func first(_ seed: UInt64, _ name: String, _ number: Int) -> [UInt64] {
      var random = SkyRandom(seed, name, number)
      return (0..<4).map { _ in random.next() }
    }
    expect(first(1, "launch", 2), equals: first(1, "launch", 2))
    expect(
      Set([first(1, "launch", 2), first(2, "launch", 2), first(1, "pad", 2), first(1, "launch", 3)]).count,
      equals: 4)
  }

  @Test("what is picked follows the weights, and of nothing there is nothing")
  func weights() {
    var random = SkyRandom(7, "weights")
    let picked = (0..<10_000).compactMap { _ in random.pick([(3, "often"), (1, "seldom"), (0, "never")]) }
    expect(picked.count, equals: 10_000)
    #expect((7_200...7_800).contains(picked.count { $0 == "often" }))
    #expect(!picked.contains("never"))
    expectNil(random.pick([(Double, String)]()))
    let share = (0..<10_000).count { _ in random.happens(0.1) }
    #expect((850...1_150).contains(share))
  }

  @Test("a parameter and a header are found by their names")
  func request() {
    let request = SkyRequest(path: "/x", query: [("a", "1"), ("a", "2")], headers: [("X-Api-Key", "k")])
    expect(request[parameter: "a"], equals: "1")
    expect(request[header: "x-api-key"], equals: "k")
    expectNil(request[parameter: "b"])
  }
}
