import Reactive
import System
import Testing

@testable import Engine

@Suite struct WorldTests {
  private func world(_ now: @escaping @Sendable () -> Instant) -> World {
    var world = World(wallClock: { 0 }, random: { 0 }, environment: { _ in nil }, pause: { $1.isSet })
    world.diskPatience = DiskPatience(.seconds(2), now: now)
    return world
  }

  @Test("a bounded wait for a disk is over for its run alone, and no other pause is")
  func patience() {
    let clock = Locked(Instant())
    let world = world { clock.withLock { $0 } }
    let (stop, other) = (StopSign(), StopSign())
    func pause(_ stop: StopSign) -> Bool {
      clock.withLock { $0 = $0 + .milliseconds(500) }
      return world.pauseForDisk(0.5, stop)
    }
    #expect((1...6).map { _ in pause(stop) } == [false, false, false, false, false, true])
    #expect(!pause(other) && !world.pause(1, stop))
    // Another wait, much later.
    clock.withLock { $0 = $0 + .seconds(60) }
    #expect(!pause(stop))
  }

  @Test("a stop ends a wait for a disk at once, and without patience it lasts")
  func stops() {
    var world = world { Instant() }
    let stop = StopSign()
    world.diskPatience = nil
    #expect((0..<100).allSatisfy { _ in !world.pauseForDisk(0.5, stop) })
    stop.set()
    #expect(world.pauseForDisk(0.5, stop))
  }
}
