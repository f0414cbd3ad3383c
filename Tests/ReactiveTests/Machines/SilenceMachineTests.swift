import Expectations
import Reactive
import Testing

@Suite struct SilenceMachineTests {
  private typealias Machine = SilenceMachine<Int, String, Stored>

  /// The stored silence of another run.
  private final class Stored: StoredCell {
    private let stored: Locked<Silence?>

    init(since: Instant? = nil) { stored = Locked(since.map { Silence(since: $0) }) }

    var value: Silence? { stored.withLock { $0 } }
    func set(_ value: Silence?) { stored.withLock { $0 = value } }
  }

  /// Elements above zero count.
  private func host(_ stored: Stored = Stored()) -> TestHost<Machine> {
    TestHost(
      Machine(
        limit: .seconds(5), stored: stored, counting: { $0 > 0 }, element: { "\($0)" },
        silent: { "silent since \(($0 - Instant()) / .seconds(1))" },
        back: { "back with \($0) since \(($1 - Instant()) / .seconds(1))" }))
  }

  @Test func aSilenceIsReportedOnceAndEndsBeforeTheElementThatEndsIt() throws {
    let host = host()
    try expect(host.take(1, at: 2), equals: ["1"])
    expect(host.deadline, equals: 5, "an element does not move it")
    #expect(try host.wake(at: 5).isEmpty && host.deadline == 7)
    try expect(host.wake(at: 7), equals: ["silent since 2.0"])
    expectNil(host.deadline)
    try expect(host.take(2, at: 10), equals: ["back with 2 since 2.0", "2"])
    expect(host.deadline, equals: 15)
  }

  @Test func theStartIsWhereTheFirstSilenceBegins() throws {
    let host = host()
    try expect(host.wake(at: 5), equals: ["silent since 0.0"])
  }

  @Test func whatDoesNotCountPassesAndEndsNoSilence() throws {
    let host = host()
    try expect(host.take(0, at: 4), equals: ["0"])
    try expect(host.wake(at: 5), equals: ["silent since 0.0"])
    try expect(host.take(0, at: 6), equals: ["0"])
  }

  @Test func aSilenceGoesOnInTheNextRun() throws {
    let stored = Stored()
    _ = try host(stored).wake(at: 5)
    let next = host(stored)
    expectNil(next.deadline)
    try expect(next.take(1, at: 3), equals: ["back with 1 since 0.0", "1"])
    expectNil(stored.value)
    expect(host(stored).deadline, equals: 5)
  }
}
