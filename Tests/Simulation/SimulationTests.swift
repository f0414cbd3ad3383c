import Expectations
import Foundation
import TestScale
import Testing

/// Whole pipelines in virtual time, on a disk that loses power, fails and is full.
///
/// `FLOW_SEEDS=n` runs n seeds, from `FLOW_FIRST` on; `FLOW_SEED=s` that one alone, as does `make simulate SEEDS=n`. A
/// seed gives the same lives again where Swift hashes alike: with `SWIFT_DETERMINISTIC_HASHING=1`.
@Suite("Simulated pipelines") struct SimulationTests {
  static let environment = ProcessInfo.processInfo.environment

  static func number(_ name: String) -> UInt64? { environment[name].flatMap { UInt64($0) } }

  static var seeds: Range<UInt64> {
    if let seed = number("FLOW_SEED") { return seed..<seed + 1 }
    let first = number("FLOW_FIRST") ?? 0
    return first..<first + (number("FLOW_SEEDS") ?? UInt64(TestScale.count(40)))
  }

  @Test("nothing is lost or doubled, whatever becomes of the process and its disk")
  func lives() { simulate("") { try Simulation(seed: $0) } }

  @Test("nothing is lost, doubled or in another order below a partition, with one lane or several")
  func divided() {
    simulate(" below a partition") { seed in
      try Scenario(seed: seed, isDivided: true).partition == nil
        ? nil : try Simulation(seed: seed, isDivided: true)
    }
  }

  @Test(
    "nothing is lost, doubled or in another order where each life takes a pipeline over on another machine")
  func clustered() {
    simulate(" in a cluster") { try Simulation(seed: $0, isDivided: $0 % 4 == 1, isClustered: true) }
  }

  @Test("the errors of a pipeline come in pairs over its lives, and steps behind see what could be seen")
  func outages() {
    let count = simulate(" with outages") { try Simulation(seed: $0, hasOutages: true) }
    #expect(Self.seeds.count < 20 || count.outages > Self.seeds.count)
  }

  /// Runs the simulations of all seeds, without those that have none; none may fail.
  @discardableResult
  private func simulate(_ what: String, _ make: (UInt64) throws -> Simulation?) -> Simulation.Count {
    var count = Simulation.Count()
    var failed: [UInt64] = []
    for seed in Self.seeds {
      do {
        guard var simulation = try make(seed) else { continue }
        try simulation.run()
        count.add(simulation.count)
      } catch {
        failed.append(seed)
        // The others are named below, and can be had one by one.
        if failed.count <= 3 { Issue.record("\(error)") }
      }
    }
    #expect(failed.isEmpty, "seeds that failed")
    print("simulated \(count)\(what); failed: \(failed)")
    return count
  }

  /// Beside each one is what it once found.
  @Test(
    "seeds that have failed once",
    arguments: [
      (199, "what was made again, and waited for a mark, was not compared with the file"),
      (477, "after a commit that failed, what timers sent was written as if it could be made again"),
      (747, "a state that could not be put in write-ahead mode was used without"),
      (1005, "folders that a killed run had made were not made safe"),
      (21402, "lines of a file that was set aside were written again where the mark was in an old one"),
      (30560, "lines that a failed sync had left only in memory were skipped and taken for durable"),
      (60281, "stopped while it made lines again, a run kept how far it had come, and they were doubled"),
      (300_790, "an event that came when the clock was back before the end of a window was not in that"),
      (
        33,
        "windows of several keys that end at one instant came in the order in which the keys were first seen"
      ),
      (3_002_406, "lines were written again where others renamed the file that a rotation had begun"),
      (3_005_975, "after a write that failed halfway during regeneration, the half was written again"),
      (3_006_895, "a row hidden by a poll without an order was not removed when a horizon showed it gone"),
      (8_000_047, "the first event of a source was lost where the state of changes could not be read for it"),
      (2124, "an old file that a power cut had left with half a line was taken for whole"),
      (10, "a power cut undid the last commit to a table: the folder of its journal was not synced"),
      (
        9802,
        "killed before its first commit, a run's put-off of silences by the time between two runs was lost"
      ),
      (40_006_030, "half a line that a power cut left in a file renamed by others was taken for an error"),
    ] as [(UInt64, String)])
  func found(seed: UInt64, what: String) throws {
    var simulation = try Simulation(seed: seed)
    try simulation.run()
  }

  @Test("a commit whose sync failed and that a power cut brings back finds the outputs that its rows name")
  func commitThatFailed() throws {
    var simulation = try Simulation(seed: 627, hasOutages: true)
    try simulation.run()
  }

  @Test(
    "a clock that is set during a turn lets no timer below a partition ring without end",
    arguments: [81_434, 6095] as [UInt64])
  func clockDuringTurn(seed: UInt64) throws {
    var simulation = try Simulation(seed: seed, isDivided: true)
    try simulation.run()
  }

  @Test(
    "inputs that are rotated away in the first epoch, and logs that others rename",
    arguments: [5, 21, 37, 53, 69, 46, 54, 62] as [UInt64])
  func moved(seed: UInt64) throws {
    var simulation = try Simulation(seed: seed)
    #expect(simulation.scenario.renamesOutput || seed % 16 == 5)
    try simulation.run()
  }

  @Test(
    "inputs that are replaced or written over between two lives",
    arguments: [
      13, 29, 45, 61, 77, 93, 109, 125, 800_189, 800_237, 800_301, 2_001_245, 2_001_293, 3_002_717,
      20_001_293,
    ] as [UInt64]
  )
  func replaced(seed: UInt64) throws {
    var simulation = try Simulation(seed: seed)
    try simulation.run()
  }

  @Test(
    "lives that a second signal ends in the middle of a turn, several keys due at one instant, a clock set by a year",
    arguments: [2, 3, 18, 19, 34, 35, 50, 51, 4, 20, 36, 52] as [UInt64])
  func aborted(seed: UInt64) throws {
    var simulation = try Simulation(seed: seed)
    #expect(simulation.scenario.abortsLives || simulation.scenario.setsClockFar)
    try simulation.run()
  }

  @Test("disks that are full while lives are stopped")
  func full() throws {
    var count = Simulation.Count()
    for seed in 0..<160 as Range<UInt64> {
      var simulation = try Simulation(seed: seed)
      guard simulation.scenario.fillsDiskAtStop else { continue }
      try simulation.run()
      count.add(simulation.count)
    }
    #expect(count.ends["stops on a full disk"] ?? 0 > 5, "\(count)")
  }

  @Test(
    "polls that have not seen everything, and glitches",
    arguments: [4, 13, 22, 31, 40, 49, 58, 67] as [UInt64])
  func news(seed: UInt64) throws {
    var simulation = try Simulation(seed: seed)
    expect(simulation.scenario.steps.first?.step, equals: .news)
    try simulation.run()
  }

  @Test("the same seed gives the same lives, operation by operation")
  func same() throws {
    let traces = try (0..<2).map { _ in
      // With one log, since several are written in an order that is Swift's.
      var simulation = try Simulation(seed: 747)
      try simulation.run()
      return simulation.diary.lines + simulation.disk.trace(last: .max)
    }
    expect(traces[0], equals: traces[1])
  }

  @Test("simulations come by all that can go wrong")
  func met() throws {
    var count = Simulation.Count()
    for seed in UInt64(100)..<125 {
      var simulation = try Simulation(seed: seed)
      try simulation.run()
      count.add(simulation.count)
    }
    for end in [
      "clean stops", "failed", "kills", "kills in an operation", "power cuts", "power cuts in an operation",
    ] {
      #expect(count.ends[end] ?? 0 > 0, "\(end)")
    }
    #expect(count.faults > 0 && count.pauses > 0 && count.epochs > 300 && count.lines > 1000)
    #expect(count.attempts > count.lines / 4)
  }
}
