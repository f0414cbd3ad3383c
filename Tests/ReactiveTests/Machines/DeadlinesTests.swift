import Expectations
import Reactive
import Testing

@Suite struct DeadlinesTests {
  private func second(_ number: Int) -> Instant { Instant() + .seconds(number) }

  private func popAll(_ deadlines: inout Deadlines<String>, at time: Int) -> String {
    var keys = ""
    while let key = deadlines.popFirst(dueBy: second(time)) { keys += key }
    return keys
  }

  @Test func theEarliestKeyComesFirst() {
    var deadlines = Deadlines<String>()
    for (key, time) in [("a", 3), ("b", 1), ("c", 2)] { deadlines.set(second(time), for: key) }
    expect(deadlines.earliest, equals: second(1))
    expect(popAll(&deadlines, at: 2), equals: "bc")
    expect(popAll(&deadlines, at: 3), equals: "a")
    expectNil(deadlines.earliest)
  }

  @Test func atOneInstantTheKeySetLongestAgoComesFirst() {
    var deadlines = Deadlines<String>()
    for key in ["a", "b", "c", "a"] { deadlines.set(second(1), for: key) }
    expect(popAll(&deadlines, at: 1), equals: "bca")
  }

  @Test func putOffAndBroughtForwardKeysKeepThatOrder() {
    var deadlines = Deadlines<String>()
    for (key, time) in [("a", 1), ("b", 2), ("c", 9), ("a", 5), ("c", 5), ("b", 5)] {
      deadlines.set(second(time), for: key)
    }
    #expect(popAll(&deadlines, at: 4).isEmpty)
    expect(popAll(&deadlines, at: 5), equals: "acb")
  }

  @Test func aKeyThatIsRemovedDoesNotComeAndMayBeSetAgain() {
    var deadlines = Deadlines<String>()
    deadlines.set(second(1), for: "a")
    deadlines.set(second(1), for: "b")
    deadlines.remove("a")
    expect(deadlines.earliest, equals: second(1))
    deadlines.set(second(1), for: "a")
    expect(popAll(&deadlines, at: 1), equals: "ba")
  }

  @Test("a copy made in the order of the last writes goes on alike", arguments: 1...20 as ClosedRange<UInt64>)
  func copies(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var deadlines = Deadlines<Int>()
    var model: [(key: Int, at: Instant)] = []
    for step in 0..<2000 {
      let key = random.below(50)
      switch random.below(8) {
      case 0:
        deadlines.remove(key)
        model.removeAll { $0.key == key }
      case 1:
        let limit = second(step / 20)
        let due = model.enumerated().filter { $1.at <= limit }.min { ($0.1.at, $0.0) < ($1.1.at, $1.0) }
        expect(deadlines.popFirst(dueBy: limit), equals: due?.element.key)
        if let due { model.remove(at: due.offset) }
      case 2 where random.below(20) == 0:
        deadlines = Deadlines()
        for (key, at) in model { deadlines.set(at, for: key) }
      default:
        let at = second(step / 20 + random.below(4))
        deadlines.set(at, for: key)
        model.removeAll { $0.key == key }
        model.append((key, at))
      }
      let earliest = model.map(\.at).min()
      #expect(deadlines.nextLook ?? .distantFuture <= earliest ?? .distantFuture)
      if random.below(2) == 0 { expect(deadlines.earliest, equals: earliest) }
    }
  }
}
