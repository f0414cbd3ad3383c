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
  private func host(_ stored: Stored = Stored(), limit: Int = 5, start: Int = 0) -> TestHost<Machine> {
    TestHost(
      Machine(
        limit: .seconds(limit), stored: stored, counting: { $0 > 0 }, element: { "\($0)" },
        silent: { "silent since \(($0 - Instant()) / .seconds(1))" },
        back: { "back with \($0) since \(($1 - Instant()) / .seconds(1))" }), from: start)
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

  @Test func aSilenceThatARunLeavesIsAsOldInTheNext() throws {
    let stored = Stored()
    let first = host(stored)
    _ = try first.take(1, at: 2)
    first.machine.leave(at: Instant() + .seconds(3))
    let second = host(stored)
    expect(second.deadline, equals: 4, "of five seconds one is over")
    _ = try second.take(0, at: 1)
    second.machine.leave(at: Instant() + .seconds(1))
    let third = host(stored)
    expect(third.deadline, equals: 3)
    expect(host(stored, limit: 60).deadline, equals: 58, "of a limit that is another now")
    expect(host(stored, limit: 1).deadline, equals: 0)
    try expect(third.wake(at: 3), equals: ["silent since 2.0"])
    // What counts has all of the time again, also where the run is killed behind it.
    second.machine.leave(at: Instant() + .seconds(1))
    let fourth = host(stored)
    _ = try fourth.take(1, at: 2)
    #expect(try fourth.wake(at: 3).isEmpty && fourth.deadline == 7)
    expect(host(stored).deadline, equals: 5)
  }

  @Test(arguments: [false, true])
  func whatIsMadeAgainAfterAKillHasTheTimeFromTheStartOn(wasSilent: Bool) throws {
    let stored = Stored(since: wasSilent ? Instant() : nil)
    let host = host(stored, start: 100)
    _ = try host.take(1, at: 8)
    if !wasSilent { #expect(try host.wake(at: 104).isEmpty) }
    expect(host.deadline, equals: 105)
    host.machine.leave(at: Instant() + .seconds(101))
    expect(stored.value?.age, equals: .seconds(1))
    try expect(host.wake(at: 105), equals: ["silent since 8.0"])
  }
}
