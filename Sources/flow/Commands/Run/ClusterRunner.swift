import Cluster
import Engine
import Glibc
import Language
import Reactive
import Store
import System

/// Runs the assignments of a cluster that are this machine's, until it is stopped.
struct ClusterRunner {
  let cluster: RunCluster
  let plans: [Plan]
  var options: RunOptions
  let roster: RunRoster
  let report: RunReport
  /// The line at the end of the terminal; nil without one.
  let line: ProgressLine?
  let settings: RunSettings
  let notices: ServiceNotices?
  let signals: RunSignals
  let folder: (Plan) throws -> String

  /// The exit status.
  func run() -> Int32 {
    let log = NodeLog(log: options.log, pipeline: "", node: "")
    signals.begin()
    // Set when nothing is waited for any more.
    let stop = StopSign()
    defer { stop.set() }
    let status: Int32
    do {
      let jobs = cluster.jobs(of: plans)
      var folders: [String: String] = [:]
      for job in jobs { folders[job.plan.name] = try folder(job.plan) + "/cluster" }
      status = try run(jobs, folders, signals, stop, log)
    } catch {
      log.error("\(error)")
      status = ExitStatus.failed
    }
    signals.finish(status)
    return status
  }

  private func run(
    _ jobs: [ClusterJob], _ folders: [String: String], _ signals: RunSignals, _ stop: StopSign, _ log: NodeLog
  ) throws -> Int32 {
    let states = jobs.first { job in
      folders[job.plan.name].flatMap { StateFolder.file(of: job.plan.name, in: $0) }
        .map { access($0, F_OK) == 0 } == true
    }
    let start = states.flatMap { folders[$0.plan.name] }.map { JetStreamJournal.Start.goOn(folder: $0) }
    guard let journal = try connect(start ?? .begin, for: jobs, signals, stop, log) else {
      return ExitStatus.interrupted
    }
    cluster.sites.use(journal)
    let host = ClusterHost(jobs, journal, options, roster, folders) { signals.wake() }
    let name = Self.workerName(options.world)
    let worker = ClusterWorker(
      name, jobs.map(\.assignment), journal, host,
      ClusterWorker.Options(log: CommitLog.Options(pause: { stop.wait(seconds: $0) })),
      now: secondsOfClock,
      random: { [world = options.world] in
        UInt64(world.random() * Double(1 << 53))
      })
    let leases = SerialScheduler(name: "flow-lease")
    let ended = StopSign()
    var identity = WorkerReport(version: VersionCommand.inCluster, tasks: [])
    identity.files = RunCluster.digest(of: jobs)
    let account = Locked((report: identity, isFull: false))
    leases.perform {
      repeat {
        let (report, isFull) = account.withLock { $0 }
        try? journal.renewLease(of: name, Array(report.jsonValue.json))
        if isFull { try? journal.noteFullDisk(of: name) }
      } while !ended.wait(seconds: 1)
    }
    defer { leases.stop() }
    log.notice("this machine is \(name) of the cluster")
    let server = StatusServer(in: Set(folders.values).sorted(), roster)
    defer { server.close() }
    line?.follow { [roster] in roster.outlines() }
    notices?.ready()
    defer { notices?.stopping() }
    var deadline: Instant?
    var stoppedBy: Int32?
    var wasFull = false
    while true {
      worker.step()
      if worker.isFull != wasFull {
        wasFull = worker.isFull
        if wasFull {
          log.error("the disk is full: until there is room, pipelines run on other machines where they can")
        } else {
          log.notice("there is room on the disk again")
        }
      }
      if worker.hasLeft { break }
      let tasks = host.complete(worker.report)
      roster.note(status(of: worker, tasks, host))
      account.withLock { account in
        account.report.tasks = tasks
        account.isFull = worker.isFull
      }
      if worker.isLeaving, deadline == nil {
        if stoppedBy == nil { log.notice("leaves the cluster, as requested") }
        ended.set()
        deadline = MonotonicClock.now + options.grace
      }
      switch signals.next(until: MonotonicClock.now + .milliseconds(worker.isHandoverNear ? 50 : 500)) {
      case .signal(SIGUSR1): report.statistics(host.runs)
      case .signal(let signal):
        stoppedBy = stoppedBy ?? signal
        if deadline == nil { worker.leave() } else { deadline = MonotonicClock.now }
      case .reload: log.error("not reloaded: in a cluster, stop this machine and start it again")
      case .woken, .timeOver: break
      }
      if let deadline, deadline <= MonotonicClock.now {
        // What is not committed is done again by the next owner.
        stop.set()
        host.abort()
        log.error("not everything could be released in time")
        return ExitStatus.failed
      }
    }
    if settings.printsStatistics { report.statistics(host.runs) }
    return stoppedBy == SIGINT ? ExitStatus.interrupted : ExitStatus.done
  }

  private func status(
    of worker: ClusterWorker, _ tasks: [WorkerReport.Task], _ host: ClusterHost
  ) -> WorkerStatus {
    var status = WorkerStatus(name: worker.name)
    status.tasks = tasks.map {
      WorkerStatus.Task(
        name: $0.name, phase: $0.phase.rawValue, commits: Int($0.commits), stateBytes: $0.stateBytes)
    }
    (status.takeovers, status.releases) = host.moves
    (status.isLeaving, status.isFull) = (worker.isLeaving, worker.isFull)
    return status
  }

  /// Connects and asks whether these jobs may run here, until the servers answer; nil where a signal ends that.
  private func connect(
    _ start: JetStreamJournal.Start, for jobs: [ClusterJob], _ signals: RunSignals, _ stop: StopSign,
    _ log: NodeLog
  ) throws -> JetStreamJournal? {
    var settings = JetStreamJournal.Options(
      servers: cluster.urls, replicas: RunCluster.replicas(cluster.urls))
    settings.start = start
    var isReported = false
    while true {
      do {
        let journal = try JetStreamJournal(settings, stop: stop)
        try ClusterShape.check(jobs, journal)
        return journal
      } catch let error as JournalError {
        if case .refused = error { throw error }
        if !isReported { log.error("\(error); waiting for the cluster's servers") }
        isReported = true
      }
      if case .signal = signals.next(until: MonotonicClock.now + .seconds(1)) { return nil }
    }
  }

  /// A name that no other process has ever had.
  private static func workerName(_ world: World) -> String {
    "\(hostName())/\(getpid())-\(String(UInt32(world.random() * 4_294_967_295), radix: 36))"
  }
}

private func secondsOfClock() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
