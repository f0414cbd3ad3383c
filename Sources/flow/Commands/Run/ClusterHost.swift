import Delivery
import Cluster
import Engine
import JSON
import Language
import Reactive
import Store
import System

/// Runs the pipelines that this machine has taken over.
final class ClusterHost: AssignmentHost {
  private final class Run: AssignmentRun {
    let run: PipelineRun
    let result: Runner.Result

    init(_ run: PipelineRun, _ result: Runner.Result) { (self.run, self.result) = (run, result) }

    func stop() { run.stop(.reload) }
    func abort() { run.abort() }
    var lacksRoom: Bool { run.lacksRoom }
    var isOver: Bool { result.hasFailed.withLock { $0 != nil } }
    var failure: String? {
      guard result.hasFailed.withLock({ $0 == true }) else { return nil }
      return run.outline().error ?? "its run has failed; the log of its machine says why"
    }
  }

  /// Packs that are done are removed this often.
  private static let purgePause = Duration.seconds(10)

  private let jobs: [String: ClusterJob]
  private let journal: JetStreamJournal
  private let options: RunOptions
  private let roster: RunRoster
  private let folders: [String: String]
  private let wake: @Sendable () -> Void
  private var members: [String: Run] = [:]
  private var reported: [String: AssignmentEvent] = [:]

  init(
    _ jobs: [ClusterJob], _ journal: JetStreamJournal, _ options: RunOptions, _ roster: RunRoster,
    _ folders: [String: String],
    wake: @escaping @Sendable () -> Void
  ) {
    self.jobs = Dictionary(jobs.map { ($0.assignment.name, $0) }) { first, _ in first }
    self.journal = journal
    (self.options, self.roster, self.folders, self.wake) = (options, roster, folders, wake)
  }

  var runs: [PipelineRun] { members.values.map(\.run) }

  /// Packs that have not come for so many seconds may be lost: the task is reported as waiting for them.
  private static let packPatience = 5.0

  /// How often a pipeline was taken over here, and how often one has gone to another machine.
  private(set) var moves = (here: 0, away: 0)

  /// Adds to what a worker reports of its tasks what only their runs know.
  func complete(_ tasks: [WorkerReport.Task]) -> [WorkerReport.Task] {
    let now = options.world.wallClock()
    return tasks.map { task in
      guard let run = members[task.name]?.run else { return task }
      var task = task
      if task.phase == .running, let packs = jobs[task.name]?.share?.source,
        let failure = run.outline().sources.first(where: { $0.name == packs })?.failure,
        now - failure.since >= Self.packPatience
      {
        (task.phase, task.reason) = (.waiting, failure.reason)
      }
      let backlogs = run.statistics.filter { $0.role == .source }.compactMap(\.queue)
      task.backlog = backlogs.isEmpty ? nil : backlogs.reduce(0, +)
      task.stateBytes = StateFolder.file(of: task.name, in: folders[task.name] ?? "").map {
        StateSummary.measure($0).size
      }
      return task
    }
  }

  /// The sum over all folders of states, which may be on several disks.
  var freeBytes: Int {
    Set(folders.values).reduce(0) { $0 + Self.freeBytes(in: $1) }
  }

  private static func freeBytes(in folder: String) -> Int {
    var folder = folder
    while true {
      if let free = SystemDisk().freeBytes(beside: folder + "/") { return free }
      // The folder may be what there was no room for.
      let above = splitPath(folder).folder
      if above == folder { return 0 }
      folder = above
    }
  }

  func abort() { for member in members.values { member.run.abort() } }

  func opening(of assignment: Assignment) -> StateOpening {
    // Its former run has closed the file.
    drop(assignment)
    let path = folders[assignment.name].flatMap { StateFolder.file(of: assignment.name, in: $0) }
    return { log, takeover in
      OpenedState(
        Result {
          guard let path else {
            throw StoreError(assignment.name, .refused, "its name cannot be that of a state file")
          }
          // The log makes epochs durable, not this machine.
          return try takeover.open(log, path: path, StateFile.Options(database: .init(sync: .never)))
        })
    }
  }

  func start(_ assignment: Assignment, _ log: CommitLog, _ state: OpenedState) throws -> any AssignmentRun {
    guard let job = jobs[assignment.name] else {
      throw StoreError(assignment.name, .refused, "this machine has no pipeline of that name")
    }
    var options = options
    options.isReplicated = true
    if let web = options.world[WebAccess.self] {
      options.world[WebAccess.self] = web.takenOver(at: options.world.wallClock())
    }
    options.state = { plan in
      guard let file = try state.take() else {
        throw StoreError(plan.name, .unavailable, "its state has another run")
      }
      return file
    }
    let result = Runner.Result()
    if let share = job.share { purgePacks(of: share, log) }
    let run: PipelineRun
    do {
      run = try PipelineRun(job.plan, options) { [wake] hasFailed in
        result.hasFailed.withLock { $0 = hasFailed }
        wake()
      }
    } catch let error as FileFailure where error.isInUse {
      // Another worker on this machine, which may be frozen or about to end, still has it.
      throw AssignmentWait("\(error)")
    }
    roster.add(run)
    let member = Run(run, result)
    members[assignment.name] = member
    run.start()
    return member
  }

  /// Removes the packs that a task has committed, now and then.
  private func purgePacks(of share: (pipeline: String, number: Int, source: String), _ log: CommitLog) {
    let next = Locked(MonotonicClock.now + Self.purgePause)
    log.onCommit { [journal] file in
      let isDue = next.withLock { next in
        let now = MonotonicClock.now
        guard now >= next else { return false }
        next = now + Self.purgePause
        return true
      }
      guard isDue, let text = try? file.fact(owner: share.source, name: "position")?.text,
        let position = try? Value.parse(text), let created = position.member("created")?.string,
        let sequence = position.member("sequence")?.string.flatMap({ UInt64($0) })
      else { return }
      // They are not read again; what stays is removed the next time.
      try? journal.purgePacks(
        of: share.pipeline, task: share.number, before: sequence + 1, ofStream: created)
    }
  }

  private func drop(_ assignment: Assignment) {
    guard let former = members.removeValue(forKey: assignment.name) else { return }
    roster.remove(former.run)
  }

  func note(_ assignment: Assignment, _ event: AssignmentEvent) {
    switch event {
    case .taken: moves.here += 1
    case .released, .fenced, .lost: moves.away += 1
    case .repaired, .replaced, .waitingForPlan, .waiting, .failed: break
    }
    // Some are noted at each step.
    if reported.updateValue(event, forKey: assignment.name) == event { return }
    let log = NodeLog(log: options.log, pipeline: assignment.name, node: "")
    switch event {
    case .taken(let former, let generation):
      let before = former.map { " from \($0.split(separator: "#").first ?? "")" } ?? ""
      log.notice("taken over\(before), generation \(generation)")
    case .released:
      drop(assignment)
      log.notice("released")
    case .fenced:
      drop(assignment)
      log.warning("another machine has taken it over; what was not committed is done again there")
    case .lost(let loss):
      drop(assignment)
      log.error("\(loss)")
    case .repaired(let loss):
      log.notice("\(loss); this machine had them, and has stored them again")
    case .replaced(let ordinal, let present):
      log.warning(
        "the state that this machine had, of transaction \(ordinal), is of another history than the servers' log, and was "
          + "replaced by the log's, of transaction \(present)")
    case .waiting(let wait): log.warning("waits: \(wait.reason)")
    case .waitingForPlan(let writer):
      log.warning("waits: \(writer) runs another version of this pipeline, or another version of flow")
    case .failed(let reason): log.error(reason)
    }
  }
}
