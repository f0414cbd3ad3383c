import Expectations
import SimulatedJournal
import Store
import Testing

@testable import Cluster

/// Workers over a journal in memory, with runs that do nothing.
@Suite struct ClusterWorkerTests {
  private final class IdleRun: AssignmentRun {
    private(set) var isOver = false
    let lacksRoom = false
    let failure: String? = nil

    func stop() { isOver = true }
    func abort() { isOver = true }
  }

  private final class IdleHost: AssignmentHost {
    var generations: [String: Int64] = [:]
    let freeBytes = 1 << 30
    let fails: Bool

    init(fails: Bool) { self.fails = fails }

    func start(_ assignment: Assignment, _ log: CommitLog, _ takeover: LogTakeover) throws
      -> any AssignmentRun
    {
      if fails { throw StoreError(assignment.name, .disk, "it cannot be read") }
      generations[assignment.name] = log.generation
      return IdleRun()
    }

    func note(_ assignment: Assignment, _ event: AssignmentEvent) {
      if case .taken(_, let generation) = event { generations[assignment.name] = generation }
      if event == .released || event == .fenced { generations[assignment.name] = nil }
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
}
