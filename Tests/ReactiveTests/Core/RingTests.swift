@testable import Reactive
import Testing

@Suite struct RingTests {
  @Test func keepsTheLastOnesOldestFirst() {
    var ring = Ring<Int>(limit: 3)
    #expect(ring.isEmpty)
    #expect((1...5).map { ring.append($0) } == [nil, nil, nil, 1, 2])
    #expect(ring.elements == [3, 4, 5])
    #expect(ring.last == 5)
    #expect(ring.count == 3)
    #expect(ring.isFull)
  }

  @Test func startsWithASeed() {
    #expect(Ring(limit: 2, seed: 7).elements == [7])
    #expect(Ring(limit: 0, seed: 7).elements.isEmpty)
  }

  @Test func withoutRoomItHandsBackWhatComes() {
    var ring = Ring<Int>(limit: 0)
    #expect(ring.append(1) == 1)
    #expect(ring.last == nil)
    #expect(ring.isFull)
  }

  @Test func canBeEmptiedAndFilledAgain() {
    var ring = Ring<Int>(limit: 2)
    for number in 1...3 { ring.append(number) }
    #expect(ring.takeAll() == [2, 3])
    #expect(ring.isEmpty)
    for number in 4...6 { ring.append(number) }
    #expect(ring.elements == [5, 6])
  }

}
