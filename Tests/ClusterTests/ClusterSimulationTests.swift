import Expectations
import Foundation
import Reactive
import SimulatedDisk
import SimulatedJournal
import Store
import System
import TestScale
import Testing

@testable import Cluster

/// Workers over a journal in memory, with lost, late and stale answers, killed and frozen workers, full streams and full
/// disks.
///
/// The oracle is what one process would do with the same input. A failure names its seed; `FLOW_SEED` repeats it.
@Suite struct ClusterSimulationTests {
  static var seeds: Range<UInt64> {
    func number(_ name: String) -> UInt64? {
      ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
    if let seed = number("FLOW_SEED") { return seed..<seed + 1 }
    return 1..<1 + (number("FLOW_SEEDS") ?? UInt64(TestScale.count(12)))
  }

  @Test("whatever happens to workers and servers, tasks continue as in one process")
  func histories() throws {
    var counts = MemoryJournal.Counts()
    var (fenced, full) = (0, 0)
    for seed in Self.seeds {
      let simulation = try ClusterSimulation(seed: seed)
      let failure = simulation.run()
      expectNil(failure, "FLOW_SEED=\(seed): \(failure ?? "")")
      if failure != nil { break }
      let seen = simulation.journal.counts
      counts.conflicts += seen.conflicts
      counts.doubts += seen.doubts
      counts.late += seen.late
      fenced += simulation.fenced
      full += simulation.full
    }
    // Otherwise nothing was tested.
    if Self.seeds.count >= 10 {
      #expect(counts.conflicts > 0 && counts.doubts > 0 && counts.late > 0 && fenced > 0 && full > 0)
    }
  }

  @Test("a machine whose disk is full leaves its tasks to another until there is room", arguments: 1...8)
  func fullDisk(seed: UInt64) throws {
    let failure = try ClusterSimulation(seed: seed).runWithFullDisk()
    expectNil(failure, "\(failure ?? "")")
  }

  @Test(
    "seeds that have failed once",
    arguments: [
      (
        4861,
        "a worker that could not open a state waited for its own takeover, which the next owner had purged"
      ),
      (3119, "twelve answers in a row that were old were taken for a loss"),
    ])
  func found(seed: UInt64, what: String) throws {
    try expectNil(ClusterSimulation(seed: seed).run(), "\(what)")
  }
}

/// What receives the outputs of all workers, at least once each: it drops repeats by their ids.
///
/// It also knows how much of its input each task has committed, which is removed then, as packs are.
final class Receiver {
  private(set) var received: [String: [[UInt8]]] = [:]
  var removed: [String: Int64] = [:]
  private var ids: [String: [UInt8]] = [:]
  var failure: String?

  func receive(_ entry: OutboxEntry, of task: String) {
    if let before = ids["\(task) \(entry.id)"] {
      if before != entry.bytes { failure = "two outputs of \(task) have the id \(entry.id)" }
      return
    }
    ids["\(task) \(entry.id)"] = entry.bytes
    received[task, default: []].append(entry.bytes)
  }
}

/// A pipeline of one process: it counts its input by key, and sends each count.
final class CountingRun: AssignmentRun {
  private let task: String
  private let file: StateFile
  private let input: [Int]
  private let receiver: Receiver
  private var position: Int64
  /// What the last commit has stored, and was not written before a crash.
  private var isRecovered = false
  private var failed: StoreError?
  private var isStopping = false
  private var isAborted = false
  private(set) var lacksRoom = false
  /// The epoch under way, which is repeated as it is after a full journal.
  private var open: (end: Int64, outputs: [[UInt8]])?
  private var mark: OutputPlace?

  init(_ task: String, _ file: StateFile, _ input: [Int], _ receiver: Receiver) throws {
    (self.task, self.file, self.input, self.receiver) = (task, file, input, receiver)
    position = try file.fact(owner: "source", name: "position")?.integer ?? 0
  }

  var isOver: Bool { failed != nil || isAborted || isStopping && open == nil }
  var error: StoreError? { failed }
  var failure: String? { failed?.description }
  func stop() { isStopping = true }
  func abort() { isAborted = true }

  /// One turn: an epoch of some events, its commit, and the writing of its outputs.
  func turn(_ count: Int) {
    if isOver { return }
    do throws(StoreError) {
      if !isRecovered { try write() }
      isRecovered = true
      if open == nil {
        let table = try file.table(node: "count", description: ".")
        let end = min(Int64(input.count), position + Int64(count))
        // What another worker has committed meanwhile is not there any more.
        if end == position || position < receiver.removed[task] ?? 0 { return }
        var outputs: [[UInt8]] = []
        for number in input[Int(position)..<Int(end)] {
          let key = Array("\(number)".utf8)
          let before = table.value(for: key).flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
          table.set(Array("\(before + 1)".utf8), for: key)
          outputs.append(Array("\(number):\(before + 1)".utf8))
        }
        open = (end, outputs)
      }
      guard let open else { return }
      let mark = mark
      try file.commit { (epoch) throws(StoreError) in
        try epoch.set(.integer(open.end), owner: "source", name: "position")
        if let mark { try epoch.markWritten(sink: "out", through: mark) }
        for (index, bytes) in open.outputs.enumerated() {
          let place = OutputPlace(epoch: epoch.number, index: Int64(index))
          try epoch.put(
            OutboxEntry(sink: "out", place: place, id: "\(epoch.number)-\(index)", bytes: bytes))
        }
      }
      position = open.end
      receiver.removed[task] = position
      self.open = nil
      self.mark = nil
      lacksRoom = false
      try write()
    } catch {
      lacksRoom = error.isFull
      if !error.isPassing { failed = error }
    }
  }

  /// Invariant: only what is committed is seen.
  private func write() throws(StoreError) {
    for entry in try file.outbox(sink: "out", limit: .max) {
      receiver.receive(entry, of: task)
      mark = entry.place
    }
  }
}

final class ClusterSimulation {
  private final class Host: AssignmentHost {
    let process: SimulatedProcess
    unowned let simulation: ClusterSimulation
    var runs: [String: CountingRun] = [:]

    init(_ process: SimulatedProcess, _ simulation: ClusterSimulation) {
      (self.process, self.simulation) = (process, simulation)
    }

    func opening(of task: Assignment) -> StateOpening {
      runs[task.name] = nil
      var options = StateFile.Options(disk: ProcessDisk(process: process))
      options.database.sync = .never
      return { [options] log, takeover in
        OpenedState(Result { try takeover.open(log, path: "/var/\(task.name).db", options) })
      }
    }

    func start(_ task: Assignment, _ log: CommitLog, _ state: OpenedState) throws -> any AssignmentRun {
      guard let file = try state.take() else { throw StoreError(task.name, .gone, "taken twice") }
      let run = try CountingRun(
        task.name, file, simulation.inputs[task.name] ?? [], simulation.receiver)
      runs[task.name] = run
      return run
    }

    func note(_ task: Assignment, _ event: AssignmentEvent) {
      if case .fenced = event { simulation.fenced += 1 }
      if case .lost(let loss) = event { simulation.failure = "\(task.name): \(loss)" }
      if case .failed(let reason) = event { simulation.failure = "\(task.name) failed: \(reason)" }
      if event == .released || event == .fenced { runs[task.name] = nil }
    }

    var freeBytes: Int {
      guard let disk = simulation.disk(of: process) else { return 0 }
      return disk.capacity.map { max(0, $0 - disk.usedBytes) } ?? .max / 2
    }
  }

  private struct Machine {
    var disk: SimulatedDisk
    var worker: ClusterWorker?
    var host: Host?
    /// Until when it is frozen.
    var frozen = 0.0
  }

  private final class Weather: Sendable {
    let state: Locked<(dice: SplitMix64, rate: Int, time: Double)>
    init(_ seed: UInt64) { state = Locked((SplitMix64(seed: seed ^ 0x5555), 0, 0)) }
  }

  let journal: MemoryJournal
  let receiver = Receiver()
  private(set) var inputs: [String: [Int]] = [:]
  var fenced = 0
  /// How often a machine was found to have a full disk.
  private(set) var full = 0
  var failure: String?
  /// Half of the seeds leave disks alone, as the first ones did.
  private let hasFullDisks: Bool
  private let weather: Weather
  private let tasks: [Assignment]
  private var dice: SplitMix64
  private var machines: [Machine] = []
  private var started = 0

  init(seed: UInt64) throws {
    dice = SplitMix64(seed: seed)
    hasFullDisks = seed.isMultiple(of: 2)
    let weather = Weather(seed)
    self.weather = weather
    journal = MemoryJournal(now: { weather.state.withLock(\.time) }) { isRead in
      weather.state.withLock { state in
        guard Int.random(in: 0..<100, using: &state.dice) < state.rate else { return nil }
        if isRead { return Bool.random(using: &state.dice) ? .stale : .unavailable }
        return [.unavailable, .full, .lostAnswer, .late].randomElement(using: &state.dice)
      }
    }
    tasks = (0..<3).map { Assignment(name: "task\($0)", digest: "d") }
    for task in tasks {
      inputs[task.name] = (0..<120).map { _ in Int.random(in: 0..<12, using: &dice) }
    }
    for _ in 0..<3 { machines.append(Machine(disk: newDisk())) }
  }

  private func newDisk() -> SimulatedDisk { SimulatedDisk(.init(seed: dice.next())) }

  private func disk(of process: SimulatedProcess) -> SimulatedDisk? {
    machines.first { $0.host?.process === process }?.disk
  }

  private var time: Double { weather.state.withLock(\.time) }
  private func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &dice) }

  func run() -> String? {
    weather.state.withLock { $0.rate = below(3) * 12 }
    for round in 0..<2000 {
      if round == 400 {
        // From now on all is well, and everything must get done.
        weather.state.withLock { $0.rate = 0 }
        for index in machines.indices {
          machines[index].frozen = 0
          // All disks but one may stay full: its machine takes over everything.
          if index == 0 || hasFullDisks && below(2) == 0 { machines[index].disk.capacity = nil }
        }
      }
      weather.state.withLock { $0.time += 0.5 }
      if below(4) == 0 { journal.arrive() }
      if round < 400 { disturb() } else if machines[0].worker == nil { start(0) }
      for index in machines.indices where machines[index].frozen <= time { step(index) }
      if let failure = failure ?? receiver.failure { return failure }
      if round > 400, isDone { return verdict }
    }
    return verdict ?? "not everything was done"
  }

  /// Two machines, and then the disk of one that has tasks is full until the other has done them.
  func runWithFullDisk() -> String? {
    start(0)
    start(1)
    var index: Int?
    for round in 0..<400 {
      weather.state.withLock { $0.time += 0.5 }
      for index in 0..<2 { step(index) }
      if let failure = failure ?? receiver.failure { return failure }
      if round == 20 {
        index = machines.firstIndex { $0.host?.runs.isEmpty == false }
        guard let index else { return "no machine has a task" }
        // What flow frees others take.
        machines[index].disk.capacity = 0
      }
      if let index, isDone {
        guard machines[index].worker?.isFull == true, machines[index].host?.runs.isEmpty == true else {
          return "the machine with the full disk has done it"
        }
        machines[index].disk.capacity = nil
        for _ in 0..<40 {
          weather.state.withLock { $0.time += 0.5 }
          for index in 0..<2 { step(index) }
        }
        guard machines[index].host?.runs.isEmpty == false else { return "its tasks have not come back" }
        return verdict
      }
    }
    return "not everything was done: \(receiver.received.mapValues(\.count))"
  }

  private var isDone: Bool {
    tasks.allSatisfy { receiver.received[$0.name]?.count ?? 0 >= inputs[$0.name]?.count ?? 0 }
  }

  private var verdict: String? {
    for task in tasks {
      var counts: [Int: Int] = [:]
      let expected = (inputs[task.name] ?? []).map { number in
        counts[number, default: 0] += 1
        return "\(number):\(counts[number] ?? 0)"
      }
      let received = (receiver.received[task.name] ?? []).map { String(decoding: $0, as: UTF8.self) }
      if received != expected { return "\(task.name) has sent \(received), expected \(expected)" }
    }
    return nil
  }

  private func start(_ index: Int) {
    started += 1
    var options = CommitLog.Options(pause: { _ in false })
    options.attempts = 1 + below(4)
    options.recordBytes = [100, 400, 100_000].randomElement(using: &dice) ?? 100
    options.imageBytes = [1000, 5000, 100_000].randomElement(using: &dice) ?? 1000
    let process = machines[index].disk.start()
    try? process.makeFolder("/var")
    let host = Host(process, self)
    let weather = weather
    var settings = ClusterWorker.Options(log: options)
    // The same for the same seed.
    settings.takeoversAtOnce = 1
    var ids = SplitMix64(seed: UInt64(started))
    machines[index].host = host
    machines[index].worker = ClusterWorker(
      "m\(index).\(started)", tasks, journal, host, settings,
      now: { weather.state.withLock(\.time) }, random: { ids.next() })
  }

  private func disturb() {
    let index = below(machines.count)
    switch below(40) {
    case 0:
      // Killed, or its power cut, which takes what its disk has not synced.
      if below(2) == 0 { machines[index].disk.crash() } else { machines[index].disk.kill() }
      machines[index].worker = nil
      machines[index].host = nil
    case 1: machines[index].frozen = time + Double(below(12))
    case 2: machines[index].worker?.leave()
    case 3:
      if machines[index].worker == nil {
        // Its disk was replaced.
        machines[index].disk = newDisk()
      }
    case 4: weather.state.withLock { $0.rate = [0, 5, 20, 60, 100][below(5)] }
    case 5...8: if machines[index].worker == nil { start(index) }
    case 9 where hasFullDisks:
      let disk = machines[index].disk
      disk.capacity = disk.capacity == nil ? [0, disk.usedBytes, disk.usedBytes + 8192][below(3)] : nil
    default: break
    }
  }

  private func step(_ index: Int) {
    guard let worker = machines[index].worker, let host = machines[index].host else { return }
    if !worker.hasLeft { try? journal.renewLease(of: worker.name, []) }
    let wasFull = worker.isFull
    worker.step()
    if worker.isFull, !wasFull { full += 1 }
    if worker.isFull { try? journal.noteFullDisk(of: worker.name) }
    if worker.hasLeft {
      machines[index].worker = nil
      machines[index].host = nil
      return
    }
    for task in tasks { if below(3) > 0 { host.runs[task.name]?.turn(1 + below(4)) } }
  }
}
