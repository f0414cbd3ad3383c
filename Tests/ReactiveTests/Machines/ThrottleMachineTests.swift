import Reactive
import Testing

@Suite struct ThrottleMachineTests {
  private typealias Machine = ThrottleMachine<MemoryState<Int, OpenPeriod<Int>>, Int>

  /// Keys are tens.
  private func host(latest: Bool, bound: Int = 10) -> TestHost<Machine> {
    TestHost(Machine(state: MemoryState(), period: .seconds(3), latest: latest, bound: bound) { $0 / 10 })
  }

  @Test func theFirstOpensAPeriod() throws {
    let host = host(latest: false)
    #expect(try host.take(1, at: 0) == [1])
    #expect(try host.take(2, at: 2) == [])
    #expect(host.machine.waiting == 0)
    #expect(try host.wake(at: 3) == [])
    #expect(host.deadline == nil)
    #expect(try host.take(3, at: 3) == [3])
    #expect(try host.take(4, at: 5) == [])
  }

  @Test func theLatestIsDueAtTheEndAndOpensTheNext() throws {
    let host = host(latest: true)
    #expect(try host.take(1, at: 0) == [1])
    #expect(try host.take(2, at: 1) == [])
    #expect(try host.take(3, at: 2) == [])
    #expect(host.deadline == 3 && host.machine.waiting == 1)
    #expect(try host.wake(at: 2) == [])
    #expect(try host.wake(at: 3) == [3])
    #expect(try host.take(4, at: 5) == [])
    #expect(host.deadline == 6)
  }

  @Test func anElementThatIsDueGoesFirst() throws {
    let host = host(latest: true)
    _ = try host.take(1, at: 0)
    _ = try host.take(2, at: 1)
    #expect(try host.take(3, at: 9) == [2])
    #expect(try host.wake(at: 12) == [3])
  }

  @Test func keysHaveTheirOwnPeriods() throws {
    let host = host(latest: false)
    #expect(try [1, 11, 2, 12].flatMap { try host.take($0, at: 0) } == [1, 11])
  }

  @Test func beyondTheBoundThePeriodThatEndsFirstIsClosed() throws {
    let host = host(latest: true, bound: 1)
    #expect(try [1, 2].flatMap { try host.take($0, at: 0) } == [1])
    #expect(try host.take(11, at: 1) == [11, 2])
    #expect(host.notes == [.forgotten])
    #expect(try host.take(3, at: 2) == [3])
  }

  @Test func aPeriodThatALaterRunHasOpenedMayEndBeforeOneThatWasStored() throws {
    var state = MemoryState<Int, OpenPeriod<Int>>()
    state.set(OpenPeriod(end: Instant() + .seconds(9), held: nil), for: 0)
    let host = TestHost(Machine(state: state, period: .seconds(3), latest: false, bound: 10) { $0 / 10 })
    #expect(try [1, 11].flatMap { try host.take($0, at: 0) } == [11])
    #expect(try [2, 12].flatMap { try host.take($0, at: 3) } == [12])
    #expect(try host.take(3, at: 9) == [3])
  }

  @Test func beyondTheBoundThePeriodThatWasOpenedFirstIsClosed() throws {
    let host = host(latest: false, bound: 2)
    #expect(try [1, 11, 21, 12, 2].flatMap { try host.take($0, at: 0) } == [1, 11, 21, 2])
    #expect(host.notes == [.forgotten, .forgotten])
    #expect(host.deadline == 3)
    #expect(try host.wake(at: 3) == [])
    #expect(host.deadline == nil)
  }

  @Test func flushSendsWhatWaits() throws {
    let host = host(latest: true)
    _ = try host.take(1, at: 0)
    _ = try host.take(2, at: 1)
    #expect(try host.flush() == [2])
    #expect(try host.flush() == [])
    #expect(host.deadline == nil)
  }
}
