import Cluster
import System
import Glibc
import JSON
import Engine
import Language
import Reactive
import SimulatedDisk
import Store

/// The lives of one pipeline on a disk that loses power, fails and is full, from a seed, and what must be so at the
/// end of them.
struct Simulation {
  static let statePath = "/var/p.db"

  /// What simulations have come by.
  struct Count: Sendable, CustomStringConvertible {
    var seeds = 0
    var lives = 0
    var ends: [String: Int] = [:]
    var faults = 0
    var pauses = 0
    var epochs = 0
    var lines = 0
    var attempts = 0
    var aside = 0
    var outages = 0

    mutating func add(_ other: Count) {
      seeds += other.seeds
      lives += other.lives
      ends.merge(other.ends, uniquingKeysWith: +)
      faults += other.faults
      pauses += other.pauses
      epochs += other.epochs
      lines += other.lines
      attempts += other.attempts
      aside += other.aside
      outages += other.outages
    }

    var description: String {
      let ends = ends.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
      return "\(seeds) seeds, \(lives) lives (\(ends)), \(faults) faults, \(pauses) waits for room, "
        + "\(epochs) epochs, \(lines) lines, \(attempts) runs of commands, \(aside) files set aside, "
        + "\(outages) outages"
    }
  }

  let scenario: Scenario
  let disk: SimulatedDisk
  let witness = Witness()
  let attempts = Attempts()
  let diary = Diary()
  private let reach = Reach()
  /// The log that lives commit to where each is on another machine than the one before.
  private let log: SimulatedLog?
  var count = Count(seeds: 1)
  private var dice: SplitMix64
  private var follower = Follower()
  private var wall = Scenario.start
  private let isFaulty: Bool
  /// An hour, a day, a year.
  private static let farSteps = [-3600.0, 3600, -86_400, 86_400, -31_622_400, 31_622_400]
  let clockJumps: Bool
  private var wasCut = false
  /// Whether the disk has lost or refused anything, after which a file may be set aside.
  private(set) var hasLost = false

  /// With `isClustered` each life takes the pipeline over as a worker of a cluster, on one of three machines.
  init(seed: UInt64, isDivided: Bool = false, isClustered: Bool = false, hasOutages: Bool = false) throws {
    log = isClustered ? SimulatedLog(seed: seed) : nil
    scenario = try Scenario(seed: seed, isDivided: isDivided, hasOutages: hasOutages)
    dice = SplitMix64(seed: seed)
    disk = SimulatedDisk(
      .init(
        seed: dice.next(), names: dice.below(4) == 0 ? .separate : .journaled,
        leavesGarbage: dice.below(2) == 0, failedSyncLosesWrites: seed % 4 == 0))
    isFaulty = dice.below(2) == 0
    clockJumps = dice.below(2) == 0
  }

  /// Runs all lives and looks at what they have left; of what fails it says all that helps to find out why.
  mutating func run() throws {
    do {
      let first = disk.start()
      for folder in ["/var", "/out", TableCheck.folder, OutageCheck.folder] { try first.makeFolder(folder) }
      try first.syncFolder("/")
      let lives = 1 + dice.below(5)
      for number in 0...lives {
        wall += gap()
        try live(number, isLast: number == lives)
      }
      try check()
    } catch {
      throw Complaint(
        """
        seed \(scenario.seed): \(error)
        again: SWIFT_DETERMINISTIC_HASHING=1 FLOW_SEED=\(scenario.seed) swift test --filter SimulationTests\
        \(log == nil ? "" : ".*/clustered")
        \(scenario.yaml)\(disk.options)
        lives:
        \(diary.lines.suffix(120).joined(separator: "\n"))
        disk:
        \(disk.trace(last: 80).joined(separator: "\n"))
        """)
    }
  }

  /// How long the pipeline does not run, by a clock that may be set meanwhile.
  private mutating func gap() -> Double {
    let gap = [0.0, 3, 60, 4000][dice.below(4)]
    guard clockJumps, dice.below(2) == 0 else { return gap }
    let steps = scenario.setsClockFar ? Self.farSteps : [-5000.0, -70, -1, 100_000]
    return steps[dice.below(steps.count)]
  }

  // MARK: - A life

  private mutating func live(_ number: Int, isLast: Bool) throws {
    let isCalm = isLast || dice.below(4) == 0
    var ending = [Life.End.kill, .cut, .stop][dice.below(3)]
    if !scenario.syncs, ending == .cut { ending = .kill }
    if scenario.abortsLives, ending != .cut { ending = .abort }
    if isLast { ending = .stop }
    let seconds = isLast ? 1000 : 1 + dice.below([10, 40, 150][dice.below(3)])
    let seed = dice.next()
    let life = Life(
      number: number, disk, witness, attempts, end: ending, isLast: isLast, duration: .seconds(seconds),
      start: wall, seed: seed, roomAtStop: ending == .stop && !isLast ? roomAtStop(seed) : nil)
    note("life \(number) from \(wall - Scenario.start) for \(seconds)s, to be \(ending.rawValue)")
    // Who ends a run at once while the disk refuses lines gives those up, which the run reports.
    if !isCalm, ending != .abort { threaten() }
    disturb(life)
    var random = SplitMix64(seed: seed &+ 1)
    if scenario.renamesOutput { rename(number, life, &random) }
    // All times that were named are over then, whatever the clock has shown.
    if isLast {
      let isFar = scenario.setsClockFar
      _ = life.clock.schedule(after: .seconds(200)) {
        life.setClock(by: isFar ? Scenario.start - life.wallClock + 200_000 : 200_000)
      }
    }
    run(life)
    let faults = disk.faultCount
    disk.removeFaults()
    disk.capacity = nil
    if faults > 0 { count.faults -= min(faults, count.faults) }
    try end(life)
    wall = life.wallClock
    count.lives += 1
    count.pauses += life.pauses
    count.epochs = Int(witness.epoch)
    let mayFail = scenario.steps.contains { $0.step == .reading }
    if isLast, life.hasFailed != false, !mayFail || life.hasFailed == nil {
      throw Complaint("the last life failed, with nothing to fail on")
    }
  }

  /// The room on the disk after the first quarter of a life, up to its stop.
  private mutating func roomAtStop(_ seed: UInt64) -> Int? {
    guard scenario.fillsDiskAtStop else { return nil }
    hasLost = true
    var random = SplitMix64(seed: seed &+ 2)
    let room = random.below([1, 600, 6000][random.below(3)])
    note("the disk has room for \(room) bytes until the life is stopped")
    return room
  }

  /// What is going to go wrong with the disk.
  private mutating func threaten() {
    if dice.below(2) == 0 {
      let operation = 1 + dice.below([5, 60, 600][dice.below(3)])
      note("the disk stops at operation \(disk.operations + operation)")
      disk.stop(atOperation: operation)
    }
    guard isFaulty else { return }
    hasLost = true
    if dice.below(3) == 0 {
      let room = dice.below(20_000)
      note("room for \(room) bytes")
      disk.capacity = disk.usedBytes + room
    }
    for _ in 0..<dice.below(3) {
      let operation = [DiskOperation.write, .sync, .create, .rename, .read, .truncate][dice.below(6)]
      let suffix = ["", ".jsonl", ".db", "-wal"][dice.below(4)]
      let number = 1 + dice.below([3, 40][dice.below(2)])
      let before = dice.below(2) * dice.below(400)
      note("\(operation.rawValue) \(number) of \(suffix) fails")
      disk.add(DiskFault(operation, .number(number), code: EIO, bytesBefore: before, suffix: suffix))
      count.faults += 1
    }
  }

  private mutating func disturb(_ life: Life) {
    guard clockJumps else { return }
    for _ in 0..<dice.below(3) {
      let jumps = scenario.setsClockFar ? Self.farSteps : [-4000.0, -30, -0.5, 0.5, 45, 9000]
      let jump = jumps[dice.below(6)]
      let after = Duration.milliseconds(dice.below(60_000))
      note("the clock is set by \(jump)s after \(after)")
      _ = life.clock.schedule(after: after) { life.setClock(by: jump) }
    }
  }

  /// Others rename the log, as logrotate does, at any time.
  private func rename(_ number: Int, _ life: Life, _ random: inout SplitMix64) {
    for turn in 0..<random.below(3) {
      let after = Duration.milliseconds(random.below(40_000))
      note("the log is renamed after \(after)")
      _ = life.clock.schedule(after: after) {
        guard life.isRunning, life.process.exists("/out/log.jsonl") else { return }
        try? life.process.rename("/out/log.jsonl", to: "/out/log.jsonl.moved-\(number)-\(turn)")
      }
    }
  }

  private func run(_ life: Life) {
    do {
      let run = try PipelineRun(scenario.plan, options(life), clock: life.clock) { life.done($0) }
      life.begin(run)
      run.start()
      while !life.isOver, life.left > .zero, life.hasFailed == nil {
        life.clock.advance(by: min(life.left, .seconds(10)))
      }
      life.finish()
      if life.end == .stop || life.end == .abort, life.hasFailed == nil, life.isRunning {
        life.clock.advance(by: .seconds(120))
      }
      if !life.isRunning { life.witness.end() }
      run.abort()
      life.clock.run(limit: 100_000)
    } catch {
      note("not begun: \(error)")
    }
  }

  private func options(_ life: Life) -> RunOptions {
    let (diary, number) = (diary, life.number)
    let screen = Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in })
    var options = RunOptions(
      world: life.world,
      log: Log { entry in
        guard life.isRunning, !entry.message.hasPrefix("Silent") else { return }
        diary.add("  \(number) \(life.clock.now) \(entry.level.name) \(entry.node): \(entry.message)")
      }, screen: screen)
    options.lanes = scenario.changesLanes && life.number % 2 == 1 ? 4 : 1
    let (syncs, largeOutput) = (scenario.syncs, [1, 200, 100_000][Int(scenario.seed % 3)])
    options.isReplicated = log != nil
    options.state = { [log] _ in
      if let log {
        let file = try log.open(life)
        try life.witness.begin(at: file.epoch)
        return file
      }
      let file = try life.process.state(Self.statePath) { options in
        options.database.sync = syncs ? .everyCommit : .never
        options.database.checkpointPages = 20
        options.largeOutputBytes = largeOutput
        options.tableCacheBytes = 2000
      }
      try life.witness.begin(at: file.epoch)
      return file
    }
    options.tap = { node, event in
      guard life.isRunning else { return }
      life.witness.note(node, event)
      life.passEvent()
    }
    let (kind, saying, other, reach) = (scenario.kind, scenario.saying, scenario.other, reach)
    let stopsEarly = scenario.seed % 8 == 1
    let (isRotated, isReplaced) = (scenario.rotatesInput, scenario.replacesInput && life.number % 2 == 1)
    options.source = { source in
      if source.name == "errors" { return nil }
      if source.name == "other" { return .poll { _, _ in SaidPolls(other, life) } }
      if kind == .polls { return .poll { _, _ in SaidPolls(saying, life) } }
      return .stream { _, context in
        diary.add(
          "  reads from \(context.position?.description ?? "the beginning"), read before was \(reach.farthest)"
        )
        return SaidPieces(
          saying, life, reach, from: context.position, stopsEarly: stopsEarly, isRotated: isRotated,
          isReplaced: isReplaced)
      }
    }
    options.sink = { plan, context in plan.name == "tell" ? Recorder(context, life) : nil }
    return options
  }

  /// The process goes, and with it or later the power.
  private mutating func end(_ life: Life) throws {
    let wasRunning = life.isRunning
    witness.end()
    if disk.isStopped {
      let isCut = scenario.syncs && dice.below(2) == 0
      count.ends[isCut ? "power cuts in an operation" : "kills in an operation", default: 0] += 1
      note(isCut ? "power cut in an operation" : "killed in an operation")
      if isCut { disk.crash() } else { disk.kill() }
      hasLost = hasLost || isCut
      wasCut = isCut
    } else if wasRunning {
      note("ended, failed: \(life.hasFailed.map { "\($0)" } ?? "not")")
      if life.wasFull { count.ends["stops on a full disk", default: 0] += 1 }
      let name = life.wasAborted ? "aborts" : life.hasFailed == false ? "clean stops" : "failed"
      count.ends[name, default: 0] += 1
      wasCut = scenario.syncs && !life.isLast && dice.below(2) == 0
      if wasCut { disk.crash() } else { disk.kill() }
      if wasCut { note("and the power goes") }
    } else {
      note(life.end.rawValue)
      count.ends[life.end == .cut ? "power cuts" : "kills", default: 0] += 1
      wasCut = life.end == .cut
    }
    hasLost = hasLost || wasCut
    disk.cancelStop()
    if let complaint = try follower.look(disk.start(), wasCut: wasCut) { throw Complaint(complaint) }
  }

  private func note(_ text: String) { diary.add(text) }
}

/// The trace of a simulation, to investigate one that has failed.
final class Diary: Sendable {
  private let entries = Locked<[String]>([])

  var lines: [String] { entries.withLock { $0 } }

  func add(_ line: String) { entries.withLock { $0.append(line) } }
}
