import Expectations
import Reactive
import Testing

@Suite struct DebounceMachineTests {
  /// An element of a key.
  struct Element: Sendable, Equatable {
    var key: String
    var number: Int

    init(_ key: String, _ number: Int) { (self.key, self.number) = (key, number) }
  }

  private typealias Machine = DebounceMachine<MemoryState<String, Pending<Element>>, Element>

  private func host(
    _ state: MemoryState<String, Pending<Element>> = MemoryState(), maxWait: Duration? = nil, bound: Int = 10
  ) -> TestHost<Machine> {
    TestHost(Machine(state: state, quiet: .seconds(3), maxWait: maxWait, bound: bound) { $0.key })
  }

  @Test func anElementIsDueWhenItsKeyHasBeenQuiet() throws {
    let host = host()
    expectNil(host.deadline)
    try expect(host.take(Element("a", 1), at: 0), equals: [])
    try expect(host.take(Element("a", 2), at: 2), equals: [])
    try expect(host.wake(at: 3), equals: [])
    expect(host.deadline, equals: 5)
    try expect(host.wake(at: 4), equals: [])
    expect(host.machine.waiting, equals: 1)
    try expect(host.wake(at: 5), equals: [Element("a", 2)])
    try expect(host.wake(at: 99), equals: [])
    expectNil(host.deadline)
    expect(host.machine.waiting, equals: 0)
  }

  @Test func keysAreDueInTheirOwnTime() throws {
    let host = host()
    for (time, key) in ["a", "b", "a"].enumerated() { _ = try host.take(Element(key, time), at: time) }
    try expect(host.wake(at: 9), equals: [Element("b", 1), Element("a", 2)])
  }

  @Test func maxWaitEndsARowThatIsNeverQuiet() throws {
    let host = host(maxWait: .seconds(5))
    for time in 0...4 { _ = try host.take(Element("a", time), at: time) }
    try expect(host.wake(at: 4), equals: [])
    expect(host.deadline, equals: 5)
    try expect(host.wake(at: 5), equals: [Element("a", 4)])
  }

  @Test func aKeyTooManySendsTheOneQuietLongest() throws {
    let host = host(bound: 2)
    try expect(host.take(Element("a", 1), at: 0), equals: [])
    try expect(host.take(Element("b", 2), at: 0), equals: [])
    try expect(host.take(Element("a", 3), at: 1), equals: [])
    #expect(host.notes.isEmpty)
    try expect(host.take(Element("c", 4), at: 1), equals: [Element("b", 2)])
    expect(host.notes, equals: [.early])
    expect(host.machine.state.count, equals: 2)
  }

  @Test func aKeySentEarlyHasNoDeadlineAnyMore() throws {
    let host = host(bound: 1)
    _ = try host.take(Element("a", 1), at: 0)
    try expect(host.take(Element("b", 2), at: 1), equals: [Element("a", 1)])
    expect(host.deadline, equals: 4)
    try expect(host.take(Element("a", 3), at: 2), equals: [Element("b", 2)])
    expect(host.deadline, equals: 5)
    try expect(host.wake(at: 9), equals: [Element("a", 3)])
  }

  @Test func flushSendsAllTheQuietestFirst() throws {
    let host = host()
    for (number, key) in ["a", "b", "a"].enumerated() { _ = try host.take(Element(key, number), at: number) }
    try expect(host.flush(), equals: [Element("b", 1), Element("a", 2)])
    expectNil(host.deadline)
    expect(host.machine.state.count, equals: 0)
  }

  @Test func aKeyThatFailsTakesNothing() throws {
    let machine = DebounceMachine(
      state: MemoryState<Int, Pending<Int>>(), quiet: .seconds(1), bound: 9, by: { _ in throw Oops() })
    let host = TestHost(machine)
    #expect(throws: Oops.self) { try host.take(1) }
    #expect(host.machine.waiting == 0 && host.deadline == nil)
  }

  @Test func combinedElementsWaitInPlaceOfTheLast() throws {
    let machine = DebounceMachine(
      state: MemoryState<OneKey, Pending<Int>>(), quiet: .seconds(3), bound: 9, by: { _ in OneKey() },
      combine: { ($0 ?? 0) + $1 })
    let host = TestHost(machine)
    for number in 1...3 { try expect(host.take(number, at: number), equals: []) }
    try expect(host.wake(at: 6), equals: [6])
    try expect(host.take(4, at: 7), equals: [])
    try expect(host.wake(at: 10), equals: [4])
  }

  private struct OneKey: Hashable, Sendable {}

  @Test func atOneInstantTheElementThatCameFirstIsDueFirstInAMachineMadeAgainToo() throws {
    let first = host()
    for (number, key) in ["a", "b", "c"].enumerated() { _ = try first.take(Element(key, number), at: 0) }
    for (number, key) in ["c", "a"].enumerated() { _ = try first.take(Element(key, 10 + number), at: 0) }
    let again = host(first.machine.state)
    let right = [Element("b", 1), Element("c", 10), Element("a", 11)]
    try expect(first.wake(at: 3), equals: right)
    try expect(again.wake(at: 3), equals: right)
  }

  @Test func aStateThatIsInAnotherOrderThanItsDeadlinesIsDueByThem() throws {
    var state = MemoryState<String, Pending<Element>>()
    for (key, time) in [("a", 5), ("b", 2)] {
      let time = Instant() + .seconds(time)
      state.set(Pending(element: Element(key, 0), since: time, latest: time), for: key)
    }
    let host = host(state)
    expect(host.deadline, equals: 5)
    try expect(host.wake(at: 5), equals: [Element("b", 0)])
    try expect(host.take(Element("c", 0), at: 6), equals: [])
    try expect(host.wake(at: 9), equals: [Element("a", 0), Element("c", 0)])
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>, [Duration.seconds(7), nil])
  func agreesWithTheRuleAppliedToEachKey(seed: UInt64, maxWait: Duration?) throws {
    var random = SplitMix64(seed: seed)
    let host = host(maxWait: maxWait, bound: 100)
    let longest = maxWait.map { Int($0 / .seconds(1)) } ?? .max / 2
    var waiting: [String: (since: Int, latest: Int, element: Int)] = [:]
    for time in 0..<1000 {
      let due = waiting.filter { min($0.value.latest + 3, $0.value.since + longest) <= time }
      try expect(host.wake(at: time).map(\.number).sorted(), equals: due.values.map(\.element).sorted())
      for key in due.keys { waiting[key] = nil }
      let key = "\(random.below(8))"
      try expect(host.take(Element(key, time), at: time), equals: [])
      waiting[key] = (waiting[key]?.since ?? time, time, time)
    }
  }
}
