import Reactive
import Testing

@Suite struct ThrottleMachineTests {
  private func second(_ number: Int) -> Instant { Instant() + .seconds(number) }

  @Test func theFirstOpensAWindow() {
    var machine = ThrottleMachine<Int>(period: .seconds(3), latest: false)
    #expect(machine.accept(1, at: second(0)) == true)
    #expect(machine.accept(2, at: second(2)) == false)
    #expect(machine.nextDeadline == nil)
    #expect(machine.accept(3, at: second(3)) == true)
    #expect(machine.accept(4, at: second(5)) == false)
  }

  @Test func theLatestIsDueAtTheEndAndOpensTheNext() {
    var machine = ThrottleMachine<Int>(period: .seconds(3), latest: true)
    #expect(machine.accept(1, at: second(0)) == true)
    #expect(machine.accept(2, at: second(1)) == false)
    #expect(machine.accept(3, at: second(2)) == false)
    #expect(machine.nextDeadline == second(3))
    #expect(machine.due(at: second(2)) == nil)
    #expect(machine.due(at: second(3)) == 3)
    #expect(machine.accept(4, at: second(5)) == false)
    #expect(machine.nextDeadline == second(6))
  }

  @Test func anElementLaterThanTheWindowTakesThePlaceOfTheOneHeld() {
    var machine = ThrottleMachine<Int>(period: .seconds(3), latest: true)
    _ = machine.accept(1, at: second(0))
    _ = machine.accept(2, at: second(1))
    #expect(machine.accept(3, at: second(9)) == true)
    #expect(machine.due(at: second(20)) == nil)
  }

  @Test func flushTakesOutWhatWaits() {
    var machine = ThrottleMachine<Int>(period: .seconds(3), latest: true)
    _ = machine.accept(1, at: second(0))
    _ = machine.accept(2, at: second(1))
    #expect(machine.flush() == 2)
    #expect(machine.flush() == nil)
    #expect(machine.nextDeadline == nil)
  }
}
