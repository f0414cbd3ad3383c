import Expectations
import Reactive
import Testing

@Suite struct SampleMachineTests {
  private typealias Machine = SampleMachine<MemoryState<Int, Int>, Beginning, Int>

  /// The stored beginning of the first interval.
  private final class Beginning: StoredCell {
    private let stored: Locked<Instant?>

    init(_ stored: Instant? = nil) { self.stored = Locked(stored) }

    var value: Instant? { stored.withLock { $0 } }
    func set(_ value: Instant?) { stored.withLock { $0 = value } }
  }

  /// Keys are tens.
  private func host(
    _ state: MemoryState<Int, Int> = MemoryState(), since begin: Beginning = Beginning(),
    bound: Int = 10
  ) -> TestHost<Machine> {
    TestHost(Machine(state: state, begin: begin, every: .seconds(5), bound: bound) { $0 / 10 })
  }

  @Test func theLatestOfEachKeyIsEmittedAtTheEndOfItsInterval() throws {
    let host = host()
    expectNil(host.deadline)
    try expect([1, 11, 2].flatMap { try host.take($0, at: 1) }, equals: [])
    #expect(host.deadline == 5 && host.machine.waiting == 2)
    try expect(host.wake(at: 5), equals: [11, 2])
    expectNil(host.deadline)
    try expect(host.take(3, at: 12), equals: [])
    expect(host.deadline, equals: 15)
  }

  @Test func anElementAtTheEndBelongsToTheNextInterval() throws {
    let host = host()
    _ = try host.take(1, at: 1)
    try expect(host.take(2, at: 5), equals: [1])
    expect(host.deadline, equals: 10)
  }

  @Test func intervalsAreCountedFromTheFirstRun() throws {
    var state = MemoryState<Int, Int>()
    state.set(1, for: 0)
    let host = host(state, since: Beginning(Instant() + .seconds(-3)))
    expect(host.deadline, equals: 2)
    try expect(host.wake(at: 2), equals: [1])
    let first = Beginning()
    _ = self.host(since: first)
    expect(first.value, equals: Instant())
  }

  @Test func oneKeyTooManySendsTheOldest() throws {
    let host = host(bound: 1)
    try expect([1, 11].flatMap { try host.take($0, at: 1) }, equals: [1])
    expect(host.notes, equals: [.early])
    try expect(host.flush(), equals: [11])
  }
}
