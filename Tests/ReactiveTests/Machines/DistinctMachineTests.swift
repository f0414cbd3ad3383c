import Expectations
import Reactive
import Testing

@Suite struct DistinctMachineTests {
  private typealias Machine = DistinctMachine<MemoryState<String, Instant>, String>

  private func host(
    _ state: MemoryState<String, Instant> = MemoryState(), bound: Int = 10, lifetime: Duration? = nil
  ) -> TestHost<Machine> {
    TestHost(Machine(state: state, bound: bound, lifetime: lifetime) { $0 })
  }

  /// Takes keys, one a second if there are no times.
  private func passed(_ keys: [String], at times: [Int]? = nil, _ host: TestHost<Machine>) throws -> [String]
  {
    try keys.enumerated().flatMap { try host.take($1, at: times?[$0] ?? 0) }
  }

  @Test func aKeyIsNewOnce() throws {
    try expect(passed(["a", "b", "a", "b"], host()), equals: ["a", "b"])
  }

  @Test func remembersNoMoreThanItsBound() throws {
    let host = host(bound: 2)
    _ = try passed(["a", "b", "a", "c"], host)
    expect(host.machine.state.count, equals: 2)
    try expect(passed(["a", "b"], host), equals: ["b"])
  }

  @Test func aRepeatIsNotedOnceHalfOfTheBoundIsKept() throws {
    // "a" is seen again while two of four are kept, which is not noted, and "b" while three are, which is.
    let host = host(bound: 4)
    _ = try passed(["a", "b", "a", "c", "b", "d"], host)
    var order: [String] = []
    host.machine.state.forEach { key, _ in order.append(key) }
    expect(order, equals: ["a", "c", "b", "d"])
    try expect(passed(["e", "b", "a"], host), equals: ["e", "a"])
  }

  @Test func aLifetimeGoesByTheLastSightHoweverFewAreKept() throws {
    let host = host(bound: 1000, lifetime: .seconds(5))
    try expect(passed(["a", "a", "a", "a", "a"], at: [0, 4, 8, 12, 16], host), equals: ["a"])
  }

  @Test func forgetsAKeyThatWasNotSeenForItsLifetime() throws {
    let host = host(lifetime: .seconds(5))
    try expect(passed(["a", "a", "a"], at: [0, 4, 8], host), equals: ["a"])
    try expect(host.take("a", at: 13), equals: ["a"])
  }

  @Test func whatIsForgottenTakesNoPlace() throws {
    let host = host(lifetime: .seconds(5))
    for number in 0..<5 { _ = try host.take("\(number)", at: number) }
    expect(host.machine.state.count, equals: 5)
    _ = try host.take("x", at: 7)
    expect(host.machine.state.count, equals: 3)
  }

  @Test func goesOnFromAStateHandedIn() throws {
    var state = MemoryState<String, Instant>()
    state.set(Instant(), for: "a")
    try expect(host(state).take("a", at: 1), equals: [])
  }
}
