import Expectations
@testable import Delivery
import Reactive
import System
import Testing

/// A link: how often it connects, what it reports, and when it ends.
@Suite("A link") struct ConnectionLinkTests {
  private struct Refused: LinkError, CustomStringConvertible {
    var description = "refused"
    var mayPass = false
  }

  private struct Lost: Error, CustomStringConvertible { let description = "lost" }

  private final class Health: LinkHealth {
    var isStopped = false
    var isOnce = false
    let random: @Sendable () -> Double = { 0 }
    var told: [String] = []
    var waits: [Duration] = []
    var asked = Duration.zero

    func requestedWait(_ error: any Error) -> Duration { asked }
    func noteConnected() { told.append("connected") }
    func noteFailure(_ error: any Error, failures: Int, next: Duration) {
      told.append("\(error) \(failures)")
    }
    func wait(_ time: Duration, because reason: String) {
      waits.append(time)
      if waits.count > 9 { isStopped = true }
    }
  }

  @Test(
    "waits grow while it fails, up to the longest, and begin anew behind a connection that has brought something"
  )
  func waits() throws {
    let health = Health()
    let link = ConnectionLink(health, longest: .seconds(5))
    var number = 0
    try link.run {
      number += 1
      if number == 5 {
        link.noteConnected()
        link.noteReceived()
      }
      throw Lost()
    }
    expect(health.waits.prefix(6).map(\.inSeconds), equals: [1, 2, 4, 5, 1, 2])
    expect(
      health.told.prefix(7).map { $0 },
      equals: ["lost 1", "lost 2", "lost 3", "lost 4", "connected", "lost 1", "lost 2"])
  }

  @Test("a connection that ends in order is made again after the wait it names, and is no failure")
  func again() throws {
    let health = Health()
    let link = ConnectionLink(health)
    var number = 0
    try link.run {
      number += 1
      return number < 4 ? .again(after: .seconds(number), because: "it has ended") : .done
    }
    expect(health.waits.map(\.inSeconds), equals: [1, 2, 3])
    expect(health.told, equals: [])
  }

  @Test("what may not pass ends it before there was a connection, and later is tried again")
  func final() throws {
    let first = ConnectionLink(Health())
    #expect(throws: Refused.self) { try first.run { throw Refused() } }
    let health = Health()
    let link = ConnectionLink(health)
    try link.run {
      link.noteConnected()
      throw Refused()
    }
    expect(health.waits.count, equals: 10)
  }

  @Test(
    "once is one attempt; a stop ends it without an error; the other side's wait counts where it is longer")
  func ends() throws {
    let once = Health()
    once.isOnce = true
    #expect(throws: Lost.self) { try ConnectionLink(once).run { throw Lost() } }
    let stopped = Health()
    try ConnectionLink(stopped).run {
      stopped.isStopped = true
      throw Lost()
    }
    expect(stopped.told, equals: [])
    let asked = Health()
    asked.asked = .seconds(3)
    try ConnectionLink(asked, longest: .seconds(8)).run { throw Lost() }
    expect(asked.waits.prefix(4).map(\.inSeconds), equals: [3, 3, 4, 8])
  }
}
