import Expectations
@testable import Reactive
import Testing

@Suite struct TimerQueueTests {
  /// The same in a sorted array, as slow as it is simple.
  private struct Model {
    var timers: [(deadline: Instant, key: Int)] = []

    mutating func insert(_ deadline: Instant, _ key: Int) {
      timers.append((deadline, key))
      timers.sort { $0.deadline == $1.deadline ? $0.key < $1.key : $0.deadline < $1.deadline }
    }

    mutating func popFirst(dueBy limit: Instant) -> (deadline: Instant, key: Int)? {
      guard let first = timers.first, first.deadline <= limit else { return nil }
      return timers.removeFirst()
    }
  }

  @Test func comesOutInOrderOfTimeAndThenOfSetting() {
    var queue = TimerQueue<String>()
    for (time, name) in [(3, "d"), (1, "a"), (2, "c"), (1, "b")] {
      _ = queue.insert(at: Instant(nanoseconds: Int64(time)), name)
    }
    expect(queue.earliest, equals: Instant(nanoseconds: 1))
    var names: [String] = []
    while let timer = queue.popFirst(dueBy: .distantFuture) { names.append(timer.work) }
    expect(names, equals: ["a", "b", "c", "d"])
    #expect(queue.isEmpty)
    expectNil(queue.earliest)
  }

  @Test func keepsWhatIsNotDue() {
    var queue = TimerQueue<Int>()
    _ = queue.insert(at: Instant(nanoseconds: 5), 1)
    expectNil(queue.popFirst(dueBy: Instant(nanoseconds: 4)))
    expect(queue.popFirst(dueBy: Instant(nanoseconds: 5))?.work, equals: 1)
  }

  @Test func aTimerIsTakenBackOnce() {
    var queue = TimerQueue<String>()
    let key = queue.insert(at: Instant(nanoseconds: 5), "x")
    expect(queue.remove(key), equals: "x")
    expectNil(queue.remove(key))
    expectNil(queue.remove(99))
    expectNil(queue.earliest)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>) func agreesWithASortedArray(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var queue = TimerQueue<Int>()
    var model = Model()
    for number in 1...3000 {
      switch random.below(4) {
      case 0, 1:
        let deadline = Instant(nanoseconds: Int64(random.below(500)))
        model.insert(deadline, queue.insert(at: deadline, number))
      case 2:
        guard !model.timers.isEmpty else { continue }
        let gone = model.timers.remove(at: random.below(model.timers.count))
        #expect(queue.remove(gone.key) != nil)
      default:
        let limit = Instant(nanoseconds: Int64(random.below(300)))
        expect(queue.keys(dueBy: limit), equals: model.timers.filter { $0.deadline <= limit }.map(\.key))
        expect(queue.popFirst(dueBy: limit)?.deadline, equals: model.popFirst(dueBy: limit)?.deadline)
      }
      expect(queue.count, equals: model.timers.count)
      expect(queue.earliest, equals: model.timers.first?.deadline)
    }
  }

  @Test func staysInOrderWhenMostAreTakenBack() {
    var queue = TimerQueue<Int>()
    let keys = (0..<1000).map { queue.insert(at: Instant(nanoseconds: Int64($0 * 7919 % 1000)), $0) }
    for key in keys where key % 50 != 0 { #expect(queue.remove(key) != nil) }
    expect(queue.count, equals: 20)
    var times: [Int64] = []
    while let timer = queue.popFirst(dueBy: .distantFuture) { times.append(timer.deadline.nanoseconds) }
    expect(times.count, equals: 20)
    expect(times, equals: times.sorted())
  }
}
