import Expectations
import Testing

@testable import Reactive

struct RosterTests {
  @Test("items leave in any order, and the others stay in theirs")
  func anyOrder() {
    for leaving in [Array(1...100), Array((1...100).reversed()), (1...100).map { $0 * 37 % 101 }] {
      var roster = Roster<Int>()
      for key in 1...100 { roster.append(key * 10, key: key) }
      var left = Array(1...100)
      for key in leaving {
        expect(roster.remove(key), equals: key * 10)
        expectNil(roster.remove(key))
        left.removeAll { $0 == key }
        expect(roster.items, equals: left.map { $0 * 10 })
        expect(roster.count, equals: left.count)
      }
      roster.append(7, key: 101)
      expect(roster.takeAll(), equals: [7])
      #expect(roster.items.isEmpty)
    }
  }

  @Test("a key that was never put in is not found")
  func unknownKey() {
    var roster = Roster<Int>()
    expectNil(roster.remove(1))
    roster.append(20, key: 2)
    expectNil(roster.remove(1))
    expectNil(roster.remove(3))
    expect(roster.items, equals: [20])
  }
}
