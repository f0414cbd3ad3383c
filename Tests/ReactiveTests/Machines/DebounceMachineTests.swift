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
    #expect(host.deadline == nil)
    #expect(try host.take(Element("a", 1), at: 0) == [])
    #expect(try host.take(Element("a", 2), at: 2) == [])
    #expect(try host.wake(at: 3) == [])
    #expect(host.deadline == 5)
    #expect(try host.wake(at: 4) == [])
    #expect(host.machine.waiting == 1)
    #expect(try host.wake(at: 5) == [Element("a", 2)])
    #expect(try host.wake(at: 99) == [])
    #expect(host.deadline == nil)
    #expect(host.machine.waiting == 0)
  }

  @Test func keysAreDueInTheirOwnTime() throws {
    let host = host()
    for (time, key) in ["a", "b", "a"].enumerated() { _ = try host.take(Element(key, time), at: time) }
    #expect(try host.wake(at: 9) == [Element("b", 1), Element("a", 2)])
  }

  @Test func maxWaitEndsARowThatIsNeverQuiet() throws {
    let host = host(maxWait: .seconds(5))
    for time in 0...4 { _ = try host.take(Element("a", time), at: time) }
    #expect(try host.wake(at: 4) == [])
    #expect(host.deadline == 5)
    #expect(try host.wake(at: 5) == [Element("a", 4)])
  }

  @Test func aKeyTooManySendsTheOneQuietLongest() throws {
    let host = host(bound: 2)
    #expect(try host.take(Element("a", 1), at: 0) == [])
    #expect(try host.take(Element("b", 2), at: 0) == [])
    #expect(try host.take(Element("a", 3), at: 1) == [])
    #expect(host.notes.isEmpty)
    #expect(try host.take(Element("c", 4), at: 1) == [Element("b", 2)])
    #expect(host.notes == [.early])
    #expect(host.machine.state.count == 2)
  }

  @Test func aKeySentEarlyHasNoDeadlineAnyMore() throws {
    let host = host(bound: 1)
    _ = try host.take(Element("a", 1), at: 0)
    #expect(try host.take(Element("b", 2), at: 1) == [Element("a", 1)])
    #expect(host.deadline == 4)
    #expect(try host.take(Element("a", 3), at: 2) == [Element("b", 2)])
    #expect(host.deadline == 5)
    #expect(try host.wake(at: 9) == [Element("a", 3)])
  }

  @Test func flushSendsAllTheQuietestFirst() throws {
    let host = host()
    for (number, key) in ["a", "b", "a"].enumerated() { _ = try host.take(Element(key, number), at: number) }
    #expect(try host.flush() == [Element("b", 1), Element("a", 2)])
    #expect(host.deadline == nil)
    #expect(host.machine.state.count == 0)
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
    for number in 1...3 { #expect(try host.take(number, at: number) == []) }
    #expect(try host.wake(at: 6) == [6])
    #expect(try host.take(4, at: 7) == [])
    #expect(try host.wake(at: 10) == [4])
  }

  private struct OneKey: Hashable, Sendable {}

  @Test func atOneInstantTheElementThatCameFirstIsDueFirstInAMachineMadeAgainToo() throws {
    let first = host()
    for (number, key) in ["a", "b", "c"].enumerated() { _ = try first.take(Element(key, number), at: 0) }
    for (number, key) in ["c", "a"].enumerated() { _ = try first.take(Element(key, 10 + number), at: 0) }
    let again = host(first.machine.state)
    let right = [Element("b", 1), Element("c", 10), Element("a", 11)]
    #expect(try first.wake(at: 3) == right)
    #expect(try again.wake(at: 3) == right)
  }

  @Test func aStateThatIsInAnotherOrderThanItsDeadlinesIsDueByThem() throws {
    var state = MemoryState<String, Pending<Element>>()
    for (key, time) in [("a", 5), ("b", 2)] {
      let time = Instant() + .seconds(time)
      state.set(Pending(element: Element(key, 0), since: time, latest: time), for: key)
    }
    let host = host(state)
    #expect(host.deadline == 5)
    #expect(try host.wake(at: 5) == [Element("b", 0)])
    #expect(try host.take(Element("c", 0), at: 6) == [])
    #expect(try host.wake(at: 9) == [Element("a", 0), Element("c", 0)])
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>, [Duration.seconds(7), nil])
  func agreesWithTheRuleAppliedToEachKey(seed: UInt64, maxWait: Duration?) throws {
    var random = SplitMix64(seed: seed)
    let host = host(maxWait: maxWait, bound: 100)
    let longest = maxWait.map { Int($0 / .seconds(1)) } ?? .max / 2
    var waiting: [String: (since: Int, latest: Int, element: Int)] = [:]
    for time in 0..<1000 {
      let due = waiting.filter { min($0.value.latest + 3, $0.value.since + longest) <= time }
      #expect(try host.wake(at: time).map(\.number).sorted() == due.values.map(\.element).sorted())
      for key in due.keys { waiting[key] = nil }
      let key = "\(random.below(8))"
      #expect(try host.take(Element(key, time), at: time) == [])
      waiting[key] = (waiting[key]?.since ?? time, time, time)
    }
  }
}
