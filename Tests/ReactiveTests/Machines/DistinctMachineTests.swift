import Reactive
import Testing

@Suite struct DistinctMachineTests {
  private func machine(
    bound: Int = 10, lifetime: Duration? = nil
  ) -> DistinctMachine<MemoryState<String, Instant>> {
    DistinctMachine(state: MemoryState(), bound: bound, lifetime: lifetime)
  }

  private func second(_ number: Int) -> Instant { Instant() + .seconds(number) }

  @Test func aKeyIsNewOnce() {
    var machine = machine()
    #expect(["a", "b", "a", "b"].map { machine.isNew($0, at: Instant()) } == [true, true, false, false])
  }

  @Test func remembersNoMoreThanItsBound() {
    var machine = machine(bound: 2)
    for key in ["a", "b", "a", "c"] { _ = machine.isNew(key, at: Instant()) }
    #expect(machine.state.count == 2)
    #expect(machine.isNew("a", at: Instant()) == false)
    #expect(machine.isNew("b", at: Instant()) == true)
  }

  @Test func aRepeatIsNotedOnceHalfOfTheBoundIsKept() {
    // "a" is seen again while two of four are kept, which is not noted, and "b" while three are, which is.
    var machine = machine(bound: 4)
    for key in ["a", "b", "a", "c", "b", "d"] { _ = machine.isNew(key, at: Instant()) }
    var order: [String] = []
    machine.state.forEach { key, _ in order.append(key) }
    #expect(order == ["a", "c", "b", "d"])
    #expect(machine.isNew("e", at: Instant()) == true)
    #expect(machine.isNew("b", at: Instant()) == false)
    #expect(machine.isNew("a", at: Instant()) == true)
  }

  @Test func aLifetimeGoesByTheLastSightHoweverFewAreKept() {
    var machine = machine(bound: 1000, lifetime: .seconds(5))
    for number in [0, 4, 8, 12] { _ = machine.isNew("a", at: second(number)) }
    #expect(machine.isNew("a", at: second(16)) == false)
  }

  @Test func forgetsAKeyThatWasNotSeenForItsLifetime() {
    var machine = machine(lifetime: .seconds(5))
    #expect(machine.isNew("a", at: second(0)) == true)
    #expect(machine.isNew("a", at: second(4)) == false)
    #expect(machine.isNew("a", at: second(8)) == false)
    #expect(machine.isNew("a", at: second(13)) == true)
  }

  @Test func whatIsForgottenTakesNoPlace() {
    var machine = machine(lifetime: .seconds(5))
    for number in 0..<5 { _ = machine.isNew("\(number)", at: second(number)) }
    #expect(machine.state.count == 5)
    _ = machine.isNew("x", at: second(7))
    #expect(machine.state.count == 3)
  }

  @Test func goesOnFromAStateHandedIn() {
    var state = MemoryState<String, Instant>()
    state.set(second(0), for: "a")
    var machine = DistinctMachine(state: state, bound: 10)
    #expect(machine.isNew("a", at: second(1)) == false)
  }
}
