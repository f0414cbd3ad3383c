import Expectations
import Reactive
import SimulatedJournal
import Store
import TestScale
import Testing

@testable import Cluster

/// The messages of clusters of more and more workers, over a journal in memory.
@Suite struct ClusterScaleTests {
  private final class IdleHost: AssignmentHost {
    let freeBytes = 1 << 30

    func opening(of assignment: Assignment) -> StateOpening {
      { _, _ in OpenedState(.failure(StoreError(assignment.name, .gone, "not opened"))) }
    }

    func start(_ assignment: Assignment, _ log: CommitLog, _ state: OpenedState) -> any AssignmentRun {
      ClusterWorkerTests.IdleRun()
    }

    func note(_ assignment: Assignment, _ event: AssignmentEvent) {}
  }

  /// Workers that step twice in a second and renew their leases once, as those of a process do.
  private final class Cluster {
    private final class Weather: Sendable { let state = Locked((time: 0.0, isOut: false)) }

    let journal: SlowJournal
    private var workers: [ClusterWorker]
    private let weather: Weather
    private var halves = 0

    init(_ count: Int, assignments: Int) {
      let weather = Weather()
      self.weather = weather
      journal = SlowJournal(
        MemoryJournal(now: { weather.state.withLock(\.time) }) { _ in
          weather.state.withLock(\.isOut) ? .unavailable : nil
        }, delay: .zero)
      let assignments = (0..<assignments).map { Assignment(name: "a\($0)", digest: "d") }
      var options = ClusterWorker.Options(log: .init(pause: { _ in false }))
      options.takeoversAtOnce = 1
      workers = (0..<count).map { [journal] number in
        ClusterWorker(
          "m\(number)/1", assignments, journal, IdleHost(), options,
          now: { weather.state.withLock(\.time) }, random: { UInt64(number) })
      }
    }

    var isOut: Bool {
      get { weather.state.withLock(\.isOut) }
      set { weather.state.withLock { $0.isOut = newValue } }
    }

    /// The calls of some seconds.
    func run(_ seconds: Int) -> Int {
      let before = journal.counts.calls
      for _ in 0..<2 * seconds {
        weather.state.withLock { $0.time += 0.5 }
        if halves.isMultiple(of: 2) { for worker in workers { try? journal.renewLease(of: worker.name, []) } }
        for worker in workers { worker.step() }
        halves += 1
      }
      return journal.counts.calls - before
    }

    var running: Int { workers.reduce(0) { $0 + $1.report.count { $0.phase == .running } } }

    func die(_ count: Int) { workers.removeFirst(count) }
  }

  @Test(
    "messages grow no faster than workers, and the servers' return brings no more than an ordinary second")
  func growth() {
    let assignments = 50
    // A thousand with FLOW_TEST_SCALE=10.
    for count in [10, TestScale.count(100)] {
      let cluster = Cluster(count, assignments: assignments)
      let begun = cluster.run(6)
      expect(cluster.running, equals: assignments)
      // Each looks twice a second and renews its lease once; what is taken over takes a few calls more.
      #expect(begun <= 6 * 3 * count + 12 * assignments, "\(count) workers: \(begun)")
      expect(cluster.run(10), equals: 10 * 3 * count)
      cluster.isOut = true
      expect(cluster.run(10), equals: 10 * 3 * count)
      cluster.isOut = false
      let returned = cluster.run(1)
      // The owner of each looks whether it still is.
      #expect(returned <= 3 * count + assignments, "\(count) workers: \(returned)")
      expect(cluster.run(10), equals: 10 * 3 * count)
      expect(cluster.running, equals: assignments)
      // A tenth dies, and the others have what it had.
      cluster.die(count / 10)
      let died = cluster.run(10)
      #expect(died <= 10 * 3 * count + 12 * assignments, "\(count) workers: \(died)")
      expect(cluster.running, equals: assignments)
    }
  }
}
