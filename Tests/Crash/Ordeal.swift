import Foundation
import Reactive

/// Runs a scenario, kills it over and over, and compares what is left with the truth.
struct Ordeal {
  let kind: ScenarioKind
  let seed: UInt64
  let isLong: Bool
  private var dice: SplitMix64
  private var tally: Tally
  /// In one place a process is killed at most so often; the next begins in another.
  private static let killsInOnePlace = 40
  /// Without anything new for so many seconds, nothing more will come.
  private static let patience = 8.0

  init(_ kind: ScenarioKind, seed: UInt64, isLong: Bool) {
    self.kind = kind
    self.seed = seed
    self.isLong = isLong
    // Each scenario has dice of its own, or one seed would bring the same fates to all.
    dice = SplitMix64(seed: kind.rawValue.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) })
    tally = Tally(name: kind.rawValue)
  }

  mutating func run(kills: Int, _ points: inout CrashPointNames) throws -> Tally {
    while tally.kills < kills, tally.failures.count < 3 {
      try suffer(until: min(kills, tally.kills + Self.killsInOnePlace), &points)
    }
    return tally
  }

  /// What one place goes through.
  private mutating func suffer(until goal: Int, _ points: inout CrashPointNames) throws {
    let place = try Place(kind.rawValue)
    let scenario = try kind.make(place, isLong: isLong)
    let readers = try scenario.logs.map { try TailReader($0, in: place) }
    var problem: String?
    var isAgain = false
    while tally.kills < goal, !scenario.isOver, problem == nil {
      let fate = Fate.drawn(&dice, point: points.next(in: place, &dice), isAgain: isAgain)
      try place.append("errors", "-- \(fate)\n")
      problem = try live(scenario, fate, &points)
      isAgain = dice.below(6) == 0
      if dice.below(3) == 0 {
        for _ in 0..<dice.below(20) {
          try scenario.tend(nil)
          usleep(1000)
        }
      }
    }
    if problem == nil, !scenario.isOver { problem = try end(scenario) }
    var verdict = try scenario.verdict()
    for reader in readers { if let difference = reader.difference() { verdict.findings.append(difference) } }
    if let problem { verdict.findings.insert(problem, at: 0) }
    tally.verdict.add(verdict)
    if !verdict.isGood {
      place.isKept = true
      tally.failures.append(
        """
        \(kind) with FLOW_SEED=\(seed): \(verdict.lost) lost, \(verdict.doubled) doubled, \(verdict.torn) torn, \
        after \(tally.kills) kills; everything is in \(place.path)
          \(verdict.findings.prefix(5).joined(separator: "\n  "))
        """)
    }
  }

  /// One life; what went wrong with it, if something did.
  private mutating func live(
    _ scenario: any Scenario, _ fate: Fate, _ points: inout CrashPointNames
  ) throws -> String? {
    var environment: [String: String] = [:]
    if CrashPointNames.areBuilt { environment["FLOW_CRASH_SEEN"] = scenario.place["seen-points"] }
    var wasStopped = false
    let end: Life.End
    switch fate {
    case .killed(let seconds):
      let life = try Life(scenario.place, scenario.options, environment)
      end = try ended(life, scenario, after: seconds)
    case .killedAt(let point, let number):
      environment["FLOW_CRASH_AT"] = "\(point):\(number)"
      let life = try Life(scenario.place, scenario.options, environment)
      if let own = try life.end(within: 1.5, { try scenario.tend(life) }) {
        end = own
        if own == .killed {
          tally.killsAtPoints += 1
          points.countKill(at: point)
        }
      } else {
        end = try ended(life, scenario, after: 0)
      }
    case .stopped(let seconds, let killedAfter):
      let life = try Life(scenario.place, scenario.options, environment)
      _ = try life.end(within: seconds) { try scenario.tend(life) }
      life.send(SIGTERM)
      wasStopped = true
      end = try ended(life, scenario, after: killedAfter ?? 30)
      if killedAfter == nil, end == .killed { return "it did not end when it was to stop" }
    }
    scenario.mourn(end, wasStopped: wasStopped)
    switch end {
    case .killed: tally.kills += 1
    case .exited(0): tally.stops += wasStopped ? 1 : 0
    case .exited(let status):
      return "\(fate), it ended with the status \(status): \(scenario.place.bytes("errors").lines.last ?? "")"
    }
    if case .exited = end, !wasStopped, !scenario.isOver { return "it ended by itself" }
    return nil
  }

  /// Kills it after some seconds, if it does not end before.
  private func ended(_ life: Life, _ scenario: any Scenario, after seconds: Double) throws -> Life.End {
    if let end = try life.end(within: seconds, { try scenario.tend(life) }) { return end }
    life.send(SIGKILL)
    return life.end(within: 60) ?? .killed
  }

  /// The last life, which is let do all that is to be done; what went wrong with it, if something did.
  private func end(_ scenario: any Scenario) throws -> String? {
    try scenario.prepareEnd()
    let place = scenario.place
    try place.append("errors", "-- to the end\n")
    let life = try Life(place, scenario.options)
    var size = -1
    var deadline = Date(timeIntervalSinceNow: 60)
    while life.isAlive, !scenario.isSettled, Date() < deadline {
      _ = try life.end(within: 0.05) { try scenario.tend(life) }
      let written = (try? FileManager.default.contentsOfDirectory(atPath: place.path))?.reduce(0) {
        $0 + ($1.hasPrefix("seen") ? 0 : place.size($1))
      }
      if written != size { deadline = Date(timeIntervalSinceNow: Self.patience) }
      size = written ?? -1
    }
    // What should not come would come now.
    _ = life.end(within: 0.2)
    life.send(SIGTERM)
    switch life.end(within: 30) {
    case .exited(0): return nil
    case .exited(let status):
      return "the last run ended with the status \(status): \(place.bytes("errors").lines.last ?? "")"
    case .killed, nil: return "the last run did not end when it was to stop"
    }
  }
}
