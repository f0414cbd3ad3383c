import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct RingTests {
  @Test func keepsTheLastOnesOldestFirst() {
    var ring = Ring<Int>(limit: 3)
    #expect(ring.isEmpty)
    expect((1...5).map { ring.append($0) }, equals: [nil, nil, nil, 1, 2])
    expect(ring.elements, equals: [3, 4, 5])
    expect(ring.last, equals: 5)
    expect(ring.count, equals: 3)
    #expect(ring.isFull)
  }

  @Test func startsWithASeed() {
    expect(Ring(limit: 2, seed: 7).elements, equals: [7])
    #expect(Ring(limit: 0, seed: 7).elements.isEmpty)
  }

  @Test func withoutRoomItHandsBackWhatComes() {
    var ring = Ring<Int>(limit: 0)
    expect(ring.append(1), equals: 1)
    expectNil(ring.last)
    #expect(ring.isFull)
  }

  @Test func canBeEmptiedAndFilledAgain() {
    var ring = Ring<Int>(limit: 2)
    for number in 1...3 { ring.append(number) }
    expect(ring.takeAll(), equals: [2, 3])
    #expect(ring.isEmpty)
    for number in 4...6 { ring.append(number) }
    expect(ring.elements, equals: [5, 6])
  }

}

/// Its values go into constants first: an expectation cannot take a buffer, which cannot be copied.
@Suite struct RingBufferTests {
  @Test(arguments: [0, 1, 3]) func growsFromTheRoomItBeginsWith(capacity: Int) {
    var buffer = RingBuffer<Int>(capacity: capacity)
    for number in 1...5 { buffer.append(number) }
    let first = buffer.removeFirst()
    for number in 6...9 { buffer.append(number) }
    var copy = buffer.copy()
    buffer.append(10)
    let (elements, count) = (copy.elements, buffer.count)
    let firstOfCopy = copy.removeFirst()
    expect(first, equals: 1)
    expect(elements, equals: Array(2...9))
    expect(firstOfCopy, equals: 2)
    expect(count, equals: 9)
  }

  @Test func releasesWhatItHolds() {
    weak var held: Canary?
    do {
      var buffer = RingBuffer<Canary>(capacity: 0)
      let canary = Canary()
      held = canary
      buffer.append(canary)
      let count = buffer.copy().count
      expect(count, equals: 1)
    }
    expectNil(held)
  }
}
