@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct QueueTests {
  @Test func firstInFirstOut() {
    var queue = Queue<Int>()
    #expect(queue.first == nil)
    #expect(queue.popFirst() == nil)
    for number in 1...3 { queue.append(number) }
    #expect(queue.first == 1)
    #expect(queue.popFirst() == 1)
    #expect(queue.count == 2)
    queue.append(4)
    #expect([queue.popFirst(), queue.popFirst(), queue.popFirst(), queue.popFirst()] == [2, 3, 4, nil])
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
    #expect(first == nil)
    #expect(queue.count == 1)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>) func agreesWithAnArray(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var queue = Queue<Int>()
    var model: [Int] = []
    for number in 0..<5000 {
      if random.below(100) < (number / 1000 % 2 == 0 ? 60 : 40) {
        queue.append(number)
        model.append(number)
      } else {
        #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      }
      #expect(queue.count == model.count)
      #expect(queue.first == model.first)
    }
  }
}
