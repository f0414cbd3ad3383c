import Expectations
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
    try expect(host.take(1, at: 0), equals: [1])
    try expect(host.take(2, at: 2), equals: [])
    expect(host.machine.waiting, equals: 0)
    try expect(host.wake(at: 3), equals: [])
    expectNil(host.deadline)
    try expect(host.take(3, at: 3), equals: [3])
    try expect(host.take(4, at: 5), equals: [])
  }

  @Test func theLatestIsDueAtTheEndAndOpensTheNext() throws {
    let host = host(latest: true)
    try expect(host.take(1, at: 0), equals: [1])
    try expect(host.take(2, at: 1), equals: [])
    try expect(host.take(3, at: 2), equals: [])
    #expect(host.deadline == 3 && host.machine.waiting == 1)
    try expect(host.wake(at: 2), equals: [])
    try expect(host.wake(at: 3), equals: [3])
    try expect(host.take(4, at: 5), equals: [])
    expect(host.deadline, equals: 6)
  }

  @Test func anElementThatIsDueGoesFirst() throws {
    let host = host(latest: true)
    _ = try host.take(1, at: 0)
    _ = try host.take(2, at: 1)
    try expect(host.take(3, at: 9), equals: [2])
    try expect(host.wake(at: 12), equals: [3])
  }

  @Test func keysHaveTheirOwnPeriods() throws {
    let host = host(latest: false)
    try expect([1, 11, 2, 12].flatMap { try host.take($0, at: 0) }, equals: [1, 11])
  }

  @Test func beyondTheBoundThePeriodThatEndsFirstIsClosed() throws {
    let host = host(latest: true, bound: 1)
    try expect([1, 2].flatMap { try host.take($0, at: 0) }, equals: [1])
    try expect(host.take(11, at: 1), equals: [11, 2])
    expect(host.notes, equals: [.forgotten])
    try expect(host.take(3, at: 2), equals: [3])
  }

  @Test func aPeriodThatALaterRunHasOpenedMayEndBeforeOneThatWasStored() throws {
    var state = MemoryState<Int, OpenPeriod<Int>>()
    state.set(OpenPeriod(end: Instant() + .seconds(9), held: nil), for: 0)
    let host = TestHost(Machine(state: state, period: .seconds(3), latest: false, bound: 10) { $0 / 10 })
    try expect([1, 11].flatMap { try host.take($0, at: 0) }, equals: [11])
    try expect([2, 12].flatMap { try host.take($0, at: 3) }, equals: [12])
    try expect(host.take(3, at: 9), equals: [3])
  }

  @Test func beyondTheBoundThePeriodThatWasOpenedFirstIsClosed() throws {
    let host = host(latest: false, bound: 2)
    try expect([1, 11, 21, 12, 2].flatMap { try host.take($0, at: 0) }, equals: [1, 11, 21, 2])
    expect(host.notes, equals: [.forgotten, .forgotten])
    expect(host.deadline, equals: 3)
    try expect(host.wake(at: 3), equals: [])
    expectNil(host.deadline)
  }

  @Test func flushSendsWhatWaits() throws {
    let host = host(latest: true)
    _ = try host.take(1, at: 0)
    _ = try host.take(2, at: 1)
    try expect(host.flush(), equals: [2])
    try expect(host.flush(), equals: [])
    expectNil(host.deadline)
  }
}
