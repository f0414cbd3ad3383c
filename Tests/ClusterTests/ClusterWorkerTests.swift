import Expectations
import Reactive
import SimulatedDisk
import SimulatedJournal
import Store
import System
import TestScale
import Testing

@testable import Cluster

/// Workers over a journal in memory, with runs that do nothing.
@Suite struct ClusterWorkerTests {
  /// Ends as soon as it is asked to.
  final class IdleRun: AssignmentRun {
    private(set) var isOver = false
    let lacksRoom = false
    let failure: String? = nil

    func stop() { isOver = true }
    func abort() { isOver = true }
  }

  private final class IdleHost: AssignmentHost {
    var generations: [String: Int64] = [:]
    var fenced = 0
    let freeBytes = 1 << 30
    let fails: Bool
    var obstacle: () -> AssignmentWait? = { nil }

    init(fails: Bool) { self.fails = fails }

    /// Nothing to open.
    func opening(of assignment: Assignment) -> StateOpening {
      { _, _ in OpenedState(.failure(StoreError(assignment.name, .gone, "not opened"))) }
    }

    func start(_ assignment: Assignment, _ log: CommitLog, _ state: OpenedState) throws -> any AssignmentRun {
      if fails { throw StoreError(assignment.name, .disk, "it cannot be read") }
      if let wait = obstacle() { throw wait }
      generations[assignment.name] = log.generation
      return IdleRun()
    }

    func note(_ assignment: Assignment, _ event: AssignmentEvent) {
      if case .taken(_, let generation) = event { generations[assignment.name] = generation }
      if event == .released || event == .fenced { generations[assignment.name] = nil }
      if event == .fenced { fenced += 1 }
    }
  }

  private final class Clock: @unchecked Sendable { var time = 0.0 }

  @Test(
    "a worker that was frozen has everything again that others took over and gave back meanwhile",
    arguments: [false, true])
  func frozen(fails: Bool) throws {
    let clock = Clock()
    let journal = MemoryJournal(now: { clock.time })
    // More than are looked at in one step, or in a minute.
    let assignments = (0..<1000).map { Assignment(name: "a\($0)", digest: "d") }
    var ids: UInt64 = 0
    func worker(_ name: String, _ host: IdleHost) -> ClusterWorker {
      ClusterWorker(
        name, assignments, journal, host, ClusterWorker.Options(log: .init(pause: { _ in false })),
        now: { clock.time },
        random: {
          ids += 1
          return ids
        })
    }
    let (host, other) = (IdleHost(fails: fails), IdleHost(fails: false))
    let (frozen, second) = (worker("m1", host), worker("m2", other))
    try journal.renewLease(of: "m1", [])
    frozen.step()
    expect(host.generations.count, equals: 1000)
    clock.time = 5
    try journal.renewLease(of: "m2", [])
    second.step()
    expect(other.generations.count, equals: 1000)
    second.leave()
    for _ in 0..<3 { second.step() }
    #expect(other.generations.isEmpty && second.hasLeft)
    // It was released for the one that comes back, before that looks.
    for _ in 0..<300 {
      clock.time += 0.5
      try journal.renewLease(of: "m1", [])
      frozen.step()
    }
    #expect(host.generations.count == 1000 && host.generations.values.allSatisfy { $0 == 3 })
  }

  @Test("what waits for something on its machine is tried again at growing distances, until it runs")
  func waiting() throws {
    let clock = Clock()
    let journal = MemoryJournal(now: { clock.time })
    let host = IdleHost(fails: false)
    var attempts: [Double] = []
    host.obstacle = {
      attempts.append(clock.time)
      return attempts.count < 6 ? AssignmentWait("for a file") : nil
    }
    let worker = ClusterWorker(
      "m1", [Assignment(name: "a", digest: "d")], journal, host,
      ClusterWorker.Options(log: .init(pause: { _ in false })), now: { clock.time }, random: { 1 })
    for _ in 0..<100 {
      try journal.renewLease(of: "m1", [])
      worker.step()
      let report = worker.report.first
      expect(report?.reason, equals: attempts.count < 6 ? "for a file" : nil)
      expect(report?.phase, equals: attempts.count < 6 ? .waiting : .running)
      clock.time += 0.5
    }
    expect(attempts, equals: [0, 1, 3, 7, 15, 25])
  }

  /// Runs that have a state each, on a disk of their machine.
  private final class StatesHost: AssignmentHost {
    var states: [String: StateFile] = [:]
    var events: [AssignmentEvent] = []
    let freeBytes = 1 << 30
    private let process: SimulatedProcess

    init(_ disk: SimulatedDisk) throws {
      process = disk.start()
      try process.makeFolder("/var")
    }

    func opening(of assignment: Assignment) -> StateOpening {
      states[assignment.name] = nil
      var options = StateFile.Options(disk: ProcessDisk(process: process))
      options.database.sync = .never
      return { [options] log, takeover in
        OpenedState(Result { try takeover.open(log, path: "/var/\(assignment.name).db", options) })
      }
    }

    func start(_ assignment: Assignment, _ log: CommitLog, _ state: OpenedState) throws -> any AssignmentRun {
      guard let file = try state.take() else { throw StoreError(assignment.name, .gone, "taken twice") }
      states[assignment.name] = file
      return IdleRun()
    }

    func note(_ assignment: Assignment, _ event: AssignmentEvent) { events.append(event) }
  }

  @Test("what a dead worker had is taken over side by side, and not one after another")
  func sideBySide() throws {
    let clock = Clock()
    let journal = MemoryJournal(now: { clock.time })
    let assignments = (0..<TestScale.count(40, atMost: 200)).map { Assignment(name: "a\($0)", digest: "d") }
    func worker(_ name: String, _ journal: any Journal, _ host: StatesHost) -> ClusterWorker {
      ClusterWorker(
        name, assignments, journal, host, ClusterWorker.Options(log: .init(pause: { _ in false })),
        now: { clock.time }, random: { 1 })
    }
    let first = try StatesHost(SimulatedDisk(.init(seed: 1)))
    try journal.renewLease(of: "m1", [])
    worker("m1", journal, first).step()
    for state in first.states.values {
      try state.table(node: "n", description: ".").set([1], for: [2])
      try state.commit { _ in }
    }
    clock.time = 5
    let delay = Duration.milliseconds(20)
    let slow = SlowJournal(journal, delay: delay)
    let second = try StatesHost(SimulatedDisk(.init(seed: 2)))
    let taking = worker("m2", slow, second)
    taking.step()
    let counts = slow.counts
    for name in assignments.map(\.name) {
      let table = try second.states[name]?.table(node: "n", description: ".")
      expect(table?.value(for: [2]), equals: [1])
    }
    #expect(counts.calls >= 4 * assignments.count)
    expect(counts.most, equals: 8)
    // One after another, all calls of an assignment would come before those of the next.
    #expect(counts.switches > counts.calls / 2, "\(counts.switches) of \(counts.calls)")
  }

  @Test("a worker that began while another read the list of workers is not taken for dead")
  func beganMeanwhile() throws {
    let clock = Clock()
    let journal = MemoryJournal(now: { clock.time })
    let assignments = (0..<20).map { Assignment(name: "a\($0)", digest: "d") }
    func worker(_ name: String, _ journal: any Journal, _ host: IdleHost) -> ClusterWorker {
      ClusterWorker(
        name, assignments, journal, host, ClusterWorker.Options(log: .init(pause: { _ in false })),
        now: { clock.time }, random: { 1 })
    }
    let (host, other) = (IdleHost(fails: false), IdleHost(fails: false))
    // Called from the journal, on this thread.
    nonisolated(unsafe) let first = worker("m1", journal, host)
    let hasBegun = Locked(false)
    let late = worker(
      "m2",
      SlowJournal(
        journal, delay: .zero,
        afterWorkers: {
          guard
            hasBegun.withLock({ hasBegun in
              defer { hasBegun = true }
              return !hasBegun
            })
          else { return }
          try? journal.renewLease(of: "m1", [])
          first.step()
        }), other)
    late.step()
    #expect(other.generations.isEmpty, "nothing is taken from a live worker")
    expect(host.generations.count, equals: 20)
    try journal.renewLease(of: "m2", [])
    // It gives its half up.
    for _ in 0..<4 {
      first.step()
      late.step()
    }
    expect(host.generations.count + other.generations.count, equals: 20)
    #expect(other.generations.count > 2)
    #expect(host.fenced + other.fenced == 0)
  }
}
