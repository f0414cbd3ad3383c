import Expectations
import Reactive
import Testing

@Suite struct LineMachineTests {
  /// The durable copy of a line, to look at.
  private final class Copy: StoredQueue {
    private let elements: Locked<[Waiting<String>]>
    private let count = Locked(0)

    /// How many elements were stored.
    var appends: Int { count.withLock { $0 } }

    init(_ elements: [Waiting<String>] = []) { self.elements = Locked(elements) }

    var waiting: [Waiting<String>] { elements.withLock { $0 } }
    func append(_ value: Waiting<String>) {
      count.withLock { $0 += 1 }
      elements.withLock { $0.append(value) }
    }
    func removeFirst() { elements.withLock { _ = $0.removeFirst() } }
    func removeAll() { elements.withLock { $0 = [] } }
  }

  /// Elements in brackets are marks.
  private func line<Rule: Pace>(
    _ pace: Rule, bound: Int = 10, _ whenFull: WhenFull = .sendOldest, copy: Copy = Copy()
  ) -> TestHost<LineMachine<Rule, String, Copy>> {
    TestHost(LineMachine(pace, bound: bound, whenFull: whenFull, copy: copy) { $0.first == "(" })
  }

  private func rate(_ horizon: Instant? = nil) -> Rate<NoStorage<Instant>> {
    Rate(TokenBucket(1, per: .seconds(10), horizon: horizon), horizon: NoStorage())
  }

  @Test func whatIsDelayedLeavesInOrderMarksToo() throws {
    let copy = Copy()
    let host = line(Lag(.seconds(5)), copy: copy)
    try expect(host.take("a", at: 1) + host.take("(b)", at: 2), equals: [])
    #expect(host.deadline == 6 && host.machine.waiting == 1)
    expect(copy.waiting.map(\.element), equals: ["a", "(b)"])
    try expect(host.wake(at: 6), equals: ["a"])
    try expect(host.wake(at: 7), equals: ["(b)"])
    #expect(host.deadline == nil && copy.waiting.isEmpty)
  }

  @Test func aRateHoldsElementsAndMarksBehindThem() throws {
    let host = line(rate())
    try expect(host.take("a"), equals: ["a"])
    try expect(host.take("(a)"), equals: ["(a)"])
    try expect(host.take("b", at: 1) + host.take("(b)", at: 1) + host.take("c", at: 1), equals: [])
    expect(host.deadline, equals: 10)
    try expect(host.wake(at: 10), equals: ["b", "(b)"])
    expect(host.deadline, equals: 20)
    try expect(host.flush(), equals: ["c"])
  }

  @Test func whatWaitedInTheLastRunGoesOnWaiting() throws {
    let since = Instant() + .seconds(-3)
    let delayed = line(Lag(.seconds(5)), copy: Copy([Waiting(element: "a", since: since)]))
    expect(delayed.deadline, equals: 2)
    let limited = line(rate(Instant() + .seconds(4)), copy: Copy([Waiting(element: "a", since: Instant())]))
    expect(limited.deadline, equals: 4)
  }

  @Test func aFullLineFollowsItsRule() throws {
    func outputs(_ whenFull: WhenFull) throws -> ([String], [Excess], [String]) {
      let copy = Copy()
      let host = line(rate(), bound: 2, whenFull, copy: copy)
      let sent = try ["a", "b", "(b)", "c", "(c)"].flatMap { try host.take($0) }
      return (sent, host.notes, copy.waiting.map(\.element))
    }
    #expect(try outputs(.sendOldest) == (["a", "b", "(b)"], [.early], ["c", "(c)"]))
    #expect(try outputs(.dropOldest) == (["a", "(b)"], [.droppedOldest], ["c", "(c)"]))
    #expect(try outputs(.dropNewest) == (["a"], [.droppedNewest, .droppedNewest], ["(b)", "(c)"]))
    let host = line(rate(), bound: 1, .fail("line"))
    _ = try host.take("a") + host.take("b")
    #expect(throws: ReactiveError.overflow(what: "the backlog of line", limit: 1)) { try host.take("c") }
  }

  @Test func timeThatWasLostIsNotMadeUpForByABurst() throws {
    let host = line(rate())
    _ = try host.take("a") + host.take("b") + host.take("c")
    try expect(host.wake(at: 60), equals: ["b"])
    expect(host.deadline, equals: 70)
  }

  @Test func droppingTheOldestDoesNotStoreTheOthersAgain() throws {
    let copy = Copy()
    let host = line(rate(), bound: 3, .dropOldest, copy: copy)
    for number in 0..<100 { _ = try host.take("\(number)") }
    expect(copy.waiting.map(\.element), equals: ["97", "98", "99"])
    #expect(host.notes.count == 96 && copy.appends == 99)
  }

  @Test func theEndOfAProgramsStreamHasItsTimeToo() {
    let now = Instant() + .seconds(3)
    expect(line(Lag(.seconds(5))).machine.end(at: now), equals: now + .seconds(5))
    expect(line(rate(now + .seconds(9))).machine.end(at: now), equals: now)
  }
}
