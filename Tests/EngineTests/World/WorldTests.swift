import System
import Testing

@testable import Engine

@Suite struct WorldTests {
  @Test("bounded pauses end a run when they are over in all, and a stop ends it before")
  func boundedPauses() {
    var world = World(wallClock: { 0 }, random: { 0 }, environment: { _ in nil }, pause: { $1.isSet })
    world.boundPauses(to: 2)
    let stop = StopSign()
    let ends = (1...6).map { _ in world.pause(0.5, stop) }
    #expect(ends == [false, false, false, false, true, true])
    world = World(wallClock: { 0 }, random: { 0 }, environment: { _ in nil }, pause: { $1.isSet })
    world.boundPauses(to: 2)
    stop.set()
    #expect(world.pause(0, stop))
  }
}
