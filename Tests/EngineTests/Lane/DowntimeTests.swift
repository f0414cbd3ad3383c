import Expectations
import Reactive
import Testing

@testable import Engine

@Suite struct DowntimeTests {
  @Test("outages add up, also one that goes on; another failure within one begins none")
  func total() {
    var downtime = Downtime()
    func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }
    var wasDown = [downtime.note(isDown: false, at: at(1))]
    expect(downtime.total(at: at(5)), equals: .zero)
    wasDown += [downtime.note(isDown: true, at: at(10)), downtime.note(isDown: true, at: at(12))]
    #expect(downtime.isDown && downtime.total(at: at(13)) == .seconds(3))
    wasDown += [downtime.note(isDown: false, at: at(15))]
    #expect(!downtime.isDown)
    wasDown += [downtime.note(isDown: true, at: at(20))]
    expect(downtime.total(at: at(21)), equals: .seconds(6))
    expect(wasDown, equals: [false, false, true, true, false])
  }

  @Test("a connection that comes back rings, and one that was not down does not")
  func bells() {
    let clock = VirtualScheduler()
    let lane = Lane(on: clock, world: .real, waiting: .withinTurn)
    let log = NodeLog(log: .silent, pipeline: "p", node: "s")
    let context = StepContext(
      name: "s", lane: lane, log: log, meter: Meter(name: "s", kind: ""), isGivenSnapshots: true)
    let rung = Locked(0)
    context.onReconnection { rung.withLock { $0 += 1 } }
    lane.noteConnection(of: "a", isDown: false)
    lane.noteConnection(of: "a", isDown: true)
    clock.advance(by: .seconds(5))
    #expect(context.downtime(of: "a") == (.seconds(5), true) && context.downtime(of: "b") == (.zero, false))
    expect(rung.withLock { $0 }, equals: 0)
    lane.noteConnection(of: "a", isDown: false)
    #expect(rung.withLock { $0 } == 1 && context.downtime(of: "a") == (.seconds(5), false))
  }
}
