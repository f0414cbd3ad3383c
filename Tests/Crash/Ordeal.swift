import Foundation
import Reactive

/// Runs a scenario, kills it over and over, and compares what is left with the truth.
struct Ordeal {
  /// When a scenario has gone through enough.
  enum Goal {
    case kills(Int)
    /// So many signals of any kind, or the end of the time.
    case signals(Int, until: Date)

    func isReached(_ tally: Tally) -> Bool {
      switch self {
      case .kills(let count): tally.kills >= count
      case .signals(let count, let end): tally.allSignals >= count || Date() >= end
      }
    }
  }

  let kind: ScenarioKind
  let seed: UInt64
  let isLong: Bool
  private var dice: SplitMix64
  private var tally: Tally
  /// In one place a process is signalled at most so often; the next begins in another.
  static let signalsInOnePlace = 40
  /// The last words of a life that could not end in time.
  private static let late = "flow: error: not everything could be written in time"
  /// Without anything new for so many seconds, nothing more will come.
  private static let patience = 15.0

  init(_ kind: ScenarioKind, seed: UInt64, isLong: Bool) {
    self.kind = kind
    self.seed = seed
    self.isLong = isLong
    // Each scenario has dice of its own, or one seed would bring the same fates to all.
    dice = SplitMix64(seed: kind.rawValue.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) })
    tally = Tally(name: kind.rawValue)
  }

  mutating func run(_ goal: Goal, _ points: inout CrashPointNames) throws -> Tally {
    while !goal.isReached(tally), tally.failures.count < 3 { try suffer(goal, &points) }
    return tally
  }

  /// What one place goes through.
  private mutating func suffer(_ goal: Goal, _ points: inout CrashPointNames) throws {
    let place = try Place(kind.rawValue)
    let scenario = try kind.make(place, isLong: isLong)
    let readers = try scenario.logs.map { try TailReader($0, in: place) }
    let before = tally.allSignals
    var problem: String?
    var isAgain = false
    while !goal.isReached(tally), tally.allSignals < before + Self.signalsInOnePlace, !scenario.isOver,
      problem == nil
    {
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
        after \(tally.allSignals) signals; everything is in \(place.path)
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
    if case .killedAt(let point, let number) = fate { environment["FLOW_CRASH_AT"] = "\(point):\(number)" }
    let life = try Life(scenario.place, scenario.options, environment)
    tally.runs += 1
    /// The statuses of a life that was stopped; nil where it was not.
    var statuses: Set<Int32>?
    let end: Life.End
    switch fate {
    case .killed(let seconds): end = try ended(life, scenario, after: seconds)
    case .killedAt(let point, _):
      if let own = try life.end(within: 1.5, { try scenario.tend(life) }) {
        end = own
        if own == .killed {
          tally.killsAtPoints += 1
          tally.signals[SIGKILL, default: 0] += 1
          points.countKill(at: point)
        }
      } else {
        end = try ended(life, scenario, after: 0)
      }
    case .suspended(let seconds, let time, let isResumed):
      _ = try life.end(within: seconds) { try scenario.tend(life) }
      send(SIGSTOP, to: life)
      _ = try life.end(within: time) { try scenario.tend(life) }
      if isResumed { life.send(SIGCONT) }
      end = try ended(life, scenario, after: isResumed ? 0.1 : 0)
    case .stopped(let signal, let seconds, let then):
      _ = try life.end(within: seconds) { try scenario.tend(life) }
      if send(signal, to: life) { statuses = [signal == SIGINT ? 130 : 0] }
      if let then, try life.end(within: then.after, { try scenario.tend(life) }) == nil {
        // Of two signals that wait, the process may see either one first.
        if then.signal != SIGKILL { statuses?.formUnion([0, 1, 130]) }
        send(then.signal, to: life)
      }
      guard let own = try life.end(within: 30, { try scenario.tend(life) }) else {
        life.send(SIGKILL)
        return "it did not end when it was to stop"
      }
      end = own
      if end == .killed, then?.signal != SIGKILL { return "it died of the signal that was to stop it" }
    }
    scenario.mourn(end, wasStopped: statuses != nil)
    switch end {
    case .killed: tally.kills += 1
    case .exited(let status) where statuses?.contains(status) ?? (status == 0): break
    // On a busy machine the time to stop may not suffice: what is left is for the next life.
    case .exited(1) where statuses != nil && lastWords(scenario) == Self.late: break
    case .exited(1) where scenario.mayFail(lastWords(scenario)): break
    // A life that ends by itself may have been about to when the signal came.
    case .exited(0) where scenario.endsByItself: break
    case .exited(let status):
      return "\(fate), it ended with the status \(status): \(lastWords(scenario))"
    }
    if case .exited = end, statuses == nil, !scenario.isOver, !scenario.endsByItself {
      return "it ended by itself"
    }
    return nil
  }

  /// The last message, without its time, before the line that sums up a run that failed.
  private func lastWords(_ scenario: any Scenario) -> String {
    let lines = scenario.place.bytes("errors").lines
    let last = lines.last { !$0.contains(": error: failed after ") } ?? ""
    return last.prefix(2) == "20" ? last.drop { $0 != " " }.dropFirst().description : last
  }

  /// Sends a signal and counts it; false where the life is over.
  @discardableResult
  private mutating func send(_ signal: Int32, to life: Life) -> Bool {
    guard life.isAlive else { return false }
    life.send(signal)
    tally.signals[signal, default: 0] += 1
    return true
  }

  /// Kills it after some seconds, if it does not end before.
  private mutating func ended(
    _ life: Life, _ scenario: any Scenario, after seconds: Double
  ) throws -> Life.End {
    if let end = try life.end(within: seconds, { try scenario.tend(life) }) { return end }
    send(SIGKILL, to: life)
    return life.end(within: 60) ?? .killed
  }

  /// The last life, which does all that is left to be done; what went wrong with it, if something did.
  private mutating func end(_ scenario: any Scenario) throws -> String? {
    try scenario.prepareEnd()
    let place = scenario.place
    try place.append("errors", "-- to the end\n")
    tally.runs += 1
    let life = try Life(place, scenario.options)
    var size = -1
    var deadline = Date(timeIntervalSinceNow: scenario.endsByItself ? 300 : 60)
    while life.isAlive, !scenario.isSettled, Date() < deadline {
      _ = try life.end(within: 0.05) { try scenario.tend(life) }
      let written = (try? FileManager.default.contentsOfDirectory(atPath: place.path))?.reduce(0) {
        $0 + ($1.hasPrefix("seen") ? 0 : place.size($1))
      }
      // What ends by itself may gather much before it writes.
      if written != size, !scenario.endsByItself { deadline = Date(timeIntervalSinceNow: Self.patience) }
      size = written ?? -1
    }
    // What should not come would come now.
    _ = life.end(within: 0.2)
    life.send(SIGTERM)
    switch life.end(within: 30) {
    case .exited(0): return nil
    case .exited(1) where scenario.mayFail(lastWords(scenario)): return nil
    case .exited(let status):
      return "the last run ended with the status \(status): \(place.bytes("errors").lines.last ?? "")"
    case .killed, nil: return "the last run did not end when it was to stop"
    }
  }
}
