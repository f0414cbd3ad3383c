import Reactive
import Testing

@Suite struct DebounceMachineTests {
  private typealias Machine = DebounceMachine<MemoryState<String, Pending<Int>>, Int>

  private func second(_ number: Int) -> Instant { Instant() + .seconds(number) }

  private func machine(maxWait: Duration? = nil, bound: Int = 10) -> Machine {
    Machine(state: MemoryState(), quiet: .seconds(3), maxWait: maxWait, bound: bound)
  }

  @Test func anElementIsDueWhenItsKeyHasBeenQuiet() {
    var machine = machine()
    #expect(machine.nextDeadline == nil)
    #expect(machine.accept(1, for: "a", at: second(0)) == nil)
    #expect(machine.accept(2, for: "a", at: second(2)) == nil)
    #expect(machine.due(at: second(3)) == nil)
    #expect(machine.nextDeadline == second(5))
    #expect(machine.due(at: second(4)) == nil)
    #expect(machine.due(at: second(5)) == 2)
    #expect(machine.due(at: second(99)) == nil)
    #expect(machine.nextDeadline == nil)
  }

  @Test func keysAreDueInTheirOwnTime() {
    var machine = machine()
    _ = machine.accept(1, for: "a", at: second(0))
    _ = machine.accept(2, for: "b", at: second(1))
    _ = machine.accept(3, for: "a", at: second(2))
    #expect(machine.due(at: second(9)) == 2)
    #expect(machine.due(at: second(9)) == 3)
  }

  @Test func maxWaitEndsARowThatIsNeverQuiet() {
    var machine = machine(maxWait: .seconds(5))
    for time in 0...4 { _ = machine.accept(time, for: "a", at: second(time)) }
    #expect(machine.due(at: second(4)) == nil)
    #expect(machine.nextDeadline == second(5))
    #expect(machine.due(at: second(5)) == 4)
  }

  @Test func aKeyTooManyHandsBackTheOneQuietLongest() {
    var machine = machine(bound: 2)
    #expect(machine.accept(1, for: "a", at: second(0)) == nil)
    #expect(machine.accept(2, for: "b", at: second(0)) == nil)
    #expect(machine.accept(3, for: "a", at: second(1)) == nil)
    #expect(machine.accept(4, for: "c", at: second(1)) == 2)
    #expect(machine.state.count == 2)
  }

  @Test func aKeyHandedBackHasNoDeadlineAnyMore() {
    var machine = machine(bound: 1)
    _ = machine.accept(1, for: "a", at: second(0))
    #expect(machine.accept(2, for: "b", at: second(1)) == 1)
    #expect(machine.nextDeadline == second(4))
    #expect(machine.accept(3, for: "a", at: second(2)) == 2)
    #expect(machine.nextDeadline == second(5))
    #expect(machine.due(at: second(9)) == 3)
  }

  @Test func flushTakesOutAllTheQuietestFirst() {
    var machine = machine()
    for (number, key) in ["a", "b", "a"].enumerated() {
      _ = machine.accept(number, for: key, at: second(number))
    }
    #expect(machine.flush() == [1, 2])
    #expect(machine.nextDeadline == nil)
    #expect(machine.state.count == 0)
  }

  @Test func atOneInstantTheElementThatCameFirstIsDueFirstInAMachineMadeAgainToo() {
    var machine = machine()
    for (number, key) in ["a", "b", "c"].enumerated() { _ = machine.accept(number, for: key, at: second(0)) }
    for (number, key) in ["c", "a"].enumerated() { _ = machine.accept(10 + number, for: key, at: second(0)) }
    var other = Machine(state: machine.state, quiet: .seconds(3), bound: 10)
    for right in [1, 10, 11] {
      #expect(machine.due(at: second(3)) == right)
      #expect(other.due(at: second(3)) == right)
    }
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>) func agreesWithTheRuleAppliedToEachKey(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var machine = machine(maxWait: .seconds(7), bound: 100)
    var waiting: [String: (since: Int, latest: Int, element: Int)] = [:]
    for time in 0..<1000 {
      let due = waiting.filter { min($0.value.latest + 3, $0.value.since + 7) <= time }
      var emitted: [Int] = []
      while let element = machine.due(at: second(time)) { emitted.append(element) }
      #expect(emitted.sorted() == due.values.map(\.element).sorted())
      for key in due.keys { waiting[key] = nil }
      let key = "\(random.below(8))"
      #expect(machine.accept(time, for: key, at: second(time)) == nil)
      waiting[key] = (waiting[key]?.since ?? time, time, time)
    }
  }
}
