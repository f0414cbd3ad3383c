import Foundation
import Reactive
import TestSupport
import Testing

/// Nothing is lost: real pipelines are run as processes, killed at any moment and run again, and what they have
/// written at the end is compared with the truth, which is computed here.
///
/// `make crash KILLS=500` does it for long, with a command that can be killed at named points too; `make attack
/// MINUTES=30` goes from scenario to scenario with signals of every kind.
@Suite(.serialized, .timeLimit(.minutes(240))) struct CrashTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let kills = environment["FLOW_CRASH_KILLS"].flatMap { Int($0) }
  private static let minutes = environment["FLOW_ATTACK_MINUTES"].flatMap { Double($0) }
  /// A run can be had again by its seed, as far as it goes by choices and not by the machine's speed.
  private static let seed =
    environment["FLOW_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000_000)
  private static let kinds = ScenarioKind.allCases.filter { kind in
    if kind == .postgresqlTable, !PostgreSQLServer.isWanted { return false }
    if kind == .mqttRelay, !MQTTServer.isWanted { return false }
    if kind == .redisStream, !RedisServer.isWanted { return false }
    return environment["FLOW_CRASH_SCENARIO"].map { $0 == kind.rawValue } ?? true
  }

  init() {
    // A killed command does not read its input any more.
    signal(SIGPIPE, SIG_IGN)
  }

  @Test(
    "killed a few times at any moment, it has lost and doubled nothing",
    .enabled(if: kills == nil && minutes == nil),
    arguments: kinds)
  func few(_ kind: ScenarioKind) throws {
    var points = CrashPointNames()
    var ordeal = Ordeal(kind, seed: Self.seed, isLong: false)
    let tally = try ordeal.run(.kills(2), &points)
    for failure in tally.failures { Issue.record("\(failure)") }
    #expect(tally.kills >= 2)
    #expect(tally.verdict.count > 0)
  }

  @Test("killed as often as is requested, at named points too", .enabled(if: kills != nil))
  func many() throws {
    tell("FLOW_SEED=\(Self.seed)")
    let kills = try #require(Self.kills)
    var points = CrashPointNames()
    var tallies: [Tally] = []
    for (index, kind) in Self.kinds.enumerated() {
      let share = (kills * (index + 1)) / Self.kinds.count - (kills * index) / Self.kinds.count
      var ordeal = Ordeal(kind, seed: Self.seed, isLong: true)
      let tally = try ordeal.run(.kills(share), &points)
      tallies.append(tally)
      tell(Tally.table([tally]))
      for failure in tally.failures { Issue.record("\(failure)") }
    }
    tell(Tally.table(tallies))
    if CrashPointNames.areBuilt { tell("kills at each point:\n\(points.text)") }
  }

  @Test("signalled for as long as is requested", .enabled(if: minutes != nil))
  func attack() throws {
    tell("FLOW_SEED=\(Self.seed)")
    let end = Date(timeIntervalSinceNow: try #require(Self.minutes) * 60)
    var points = CrashPointNames()
    var tallies = Self.kinds.map { Tally(name: $0.rawValue) }
    var round: UInt64 = 0
    while Date() < end {
      for (index, kind) in Self.kinds.enumerated() where Date() < end {
        var ordeal = Ordeal(kind, seed: Self.seed &+ round, isLong: true)
        let tally = try ordeal.run(.signals(Ordeal.signalsInOnePlace / 2, until: end), &points)
        tallies[index].add(tally)
        for failure in tally.failures {
          tell(failure)
          Issue.record("\(failure)")
        }
      }
      round += 1
      tell(Tally.table(tallies))
    }
    tell(CrashPointNames.areBuilt ? "kills at each point:\n\(points.text)" : "no named points in this build")
  }

  /// Prints at once, also where standard output is no terminal.
  private func tell(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
}
