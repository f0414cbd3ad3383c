import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct QueueTests {
  @Test func firstInFirstOut() {
    var queue = Queue<Int>()
    expectNil(queue.first)
    expectNil(queue.popFirst())
    for number in 1...3 { queue.append(number) }
    expect(queue.first, equals: 1)
    expect(queue.popFirst(), equals: 1)
    expect(queue.count, equals: 2)
    queue.append(4)
    expect([queue.popFirst(), queue.popFirst(), queue.popFirst(), queue.popFirst()], equals: [2, 3, 4, nil])
    #expect(queue.isEmpty)
  }

  @Test func doesNotKeepWhatIsTakenOut() {
    var queue = Queue<Canary>()
    weak var first: Canary?
    do {
      let canary = Canary()
      first = canary
      queue.append(canary)
    }
    queue.append(Canary())
    _ = queue.popFirst()
    expectNil(first)
    expect(queue.count, equals: 1)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>) func agreesWithAnArray(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var queue = Queue<Int>()
    var model: [Int] = []
    for number in 0..<5000 {
      if random.below(100) < (number / 1000 % 2 == 0 ? 60 : 40) {
        queue.append(number)
        model.append(number)
      } else if number % 3 == 0 {
        let index = model.firstIndex { $0 % 7 > 3 }
        expect(queue.popFirst { $0 % 7 > 3 }, equals: index.map { model.remove(at: $0) })
      } else {
        expect(queue.popFirst(), equals: (model.isEmpty ? nil : model.removeFirst()))
      }
      expect(queue.count, equals: model.count)
      expect(queue.first, equals: model.first)
      if number % 100 == 0 { expect(queue.elements, equals: model) }
    }
  }
}
