import Cluster
import Engine
import Glibc
import Language
import NATS
import Reactive
import Store
import System

/// `flow run --cluster`: the pipelines that one of several machines runs at a time.
struct RunCluster {
  static let servers = CommandOption(
    "cluster", .value("URL,…"),
    "run each pipeline on one of several machines, see below")

  static let about = """
    With --cluster, the same command on several machines runs each pipeline on one of them. Every epoch is stored on the \
    NATS servers (2.14 or newer, with sync_interval: always) before it is committed, so that another machine continues \
    when one dies: within about six seconds, with nothing lost and nothing committed twice. Files belong to one machine: a \
    pipeline with files names it, as in at: archive-1, and runs there only. A pipeline that reads standard input, prints, \
    or has no state is refused. Request budgets are shared by all machines. With three or more URLs the streams have three \
    replicas, otherwise one.
    """

  /// The options that make no sense on several machines.
  private static let excluded = [
    RunCommand.once, RunCommand.dryRun, RunCommand.watch, RunCommand.time, RunRecording.record,
    RunRecording.replay, RunSky.sky, RunState.none, RunOutputs.folder, RunPage.page, RunMetrics.file,
  ]
  /// The sources that read what one machine has.
  private static let sources = ["file", "replay", "listen"]
  /// The sinks that write nothing that one machine keeps.
  private static let sinks = ["nats", "http", "exec", "notify", "null"]

  let urls: [String]
  /// The request budgets, which all machines share.
  let sites = JournalSites()

  /// Nil without the option.
  init?(_ arguments: Arguments) throws(WrongUse) {
    guard let text = arguments.text(Self.servers) else { return nil }
    urls = try Self.urls(text)
    for option in Self.excluded where arguments.has(option) || arguments.text(option) != nil {
      throw WrongUse("--cluster and --\(option.name) exclude each other")
    }
    if let flaw = StateFile.logFlaw { throw WrongUse(flaw) }
  }

  /// The addresses of servers, separated by commas.
  static func urls(_ text: String) throws(WrongUse) -> [String] {
    let urls = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    for url in urls {
      if let flaw = NATSAddress.flaw(in: url) {
        throw WrongUse("\(quoted(NATSAddress.shown(url))) is not the address of a server: \(flaw)")
      }
    }
    return urls
  }

  static func replicas(_ urls: [String]) -> Int { urls.count >= 3 ? 3 : 1 }

  /// Why a pipeline cannot run in a cluster; nil where it can.
  func flaw(of plan: Plan) -> String? {
    let name = quoted(plan.name)
    if let sink = plan.sinks.first(where: { $0.spec.kind == "console" }) {
      return "\(name) cannot run in a cluster: nobody sees what its sink \(sink.name) (console) prints"
    }
    if let source = plan.sources.first(where: { $0.spec.kind == "stdin" }) {
      return "\(name) cannot run in a cluster: its source \(source.name) (stdin) ends with one run"
    }
    if plan.machine == nil, let node = Self.boundNode(of: plan) {
      return
        "\(name) cannot run in a cluster: its \(node) belongs to one machine; name that in the pipeline, as in "
        + "at: \(hostName())"
    }
    return plan.hasState
      ? nil : "\(name) cannot run in a cluster: it has no state that another machine could continue"
  }

  /// What a pipeline has only on one machine; nil for nothing.
  private static func boundNode(of plan: Plan) -> String? {
    if let source = plan.sources.first(where: { sources.contains($0.spec.kind) }) {
      return "source \(source.name) (\(source.spec.kind))"
    }
    if let sink = plan.sinks.first(where: { !sinks.contains($0.spec.kind) }) {
      return "sink \(sink.name) (\(sink.spec.kind))"
    }
    let policies = plan.streams.flatMap { $0.steps.map(\.onError) } + plan.sinks.map(\.onError)
    let hasLetters = policies.contains { if case .deadLetter = $0 { true } else { false } }
    return hasLetters ? "file of dead letters" : nil
  }

  /// The digest of a plan, the same on all machines.
  static func digest(of plan: Plan) -> String {
    var text = "\(VersionCommand.version) \(plan.name) \(plan.timeZone) \(plan.machine ?? "")\n"
    for source in plan.sources { text += "\(source.name) \(source.shown) \(source.shownSchedule)\n" }
    for stream in plan.streams {
      text += "\(stream.name) \(stream.from)\n"
      for step in stream.steps { text += "\(step.name) \(step.spec.kind) \(step.shown)\n" }
    }
    for sink in plan.sinks {
      text += "\(sink.name) \(sink.spec.kind) \(sink.shown) \(sink.from) \(sink.when?.text ?? "")\n"
    }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}

/// Runs the tasks of a cluster that are this machine's, until it is stopped.
struct ClusterRunner {
  let cluster: RunCluster
  let plans: [Plan]
  var options: RunOptions
  let roster: RunRoster
  let report: RunReport
  let printsStatistics: Bool
  let notices: ServiceNotices?
  let folder: (Plan) throws -> String

  /// The exit status.
  func run() -> Int32 {
    let log = NodeLog(log: options.log, pipeline: "", node: "")
    let signals = RunSignals(grace: options.grace)
    // Set when nothing is waited for any more.
    let stop = StopSign()
    defer { stop.set() }
    let status: Int32
    do {
      var folders: [String: String] = [:]
      for plan in plans { folders[plan.name] = try folder(plan) + "/cluster" }
      status = try run(folders, signals, stop, log)
    } catch {
      log.error("\(error)")
      status = ExitStatus.failed
    }
    signals.finish(status)
    return status
  }

  private func run(
    _ folders: [String: String], _ signals: RunSignals, _ stop: StopSign, _ log: NodeLog
  ) throws -> Int32 {
    guard let journal = try connect(signals, stop, log) else { return ExitStatus.interrupted }
    cluster.sites.use(journal)
    let host = ClusterHost(plans, options, roster, folders) { signals.wake() }
    let name = Self.workerName(options.world)
    let worker = ClusterWorker(
      name, plans.map { ClusterTask(name: $0.name, digest: RunCluster.digest(of: $0), machine: $0.machine) },
      journal, host,
      ClusterWorker.Options(log: TaskLog.Options(pause: { stop.wait(seconds: $0) })),
      now: secondsOfClock,
      random: { [world = options.world] in
        UInt64(world.random() * Double(1 << 53))
      })
    let leases = SerialScheduler(name: "flow-lease")
    let ended = StopSign()
    let account = Locked(WorkerReport(version: VersionCommand.version, tasks: []))
    leases.perform {
      repeat {
        try? journal.renewLease(of: name, Array(account.withLock(\.json).description.utf8))
      } while !ended.wait(seconds: 1)
    }
    defer { leases.stop() }
    log.notice("this machine is \(name) of the cluster")
    let server = StatusServer(in: Set(folders.values).sorted(), roster)
    defer { server.close() }
    notices?.ready()
    defer { notices?.stopping() }
    var deadline: Instant?
    var stoppedBy: Int32?
    while true {
      worker.step()
      if worker.hasLeft { break }
      let tasks = host.complete(worker.report)
      account.withLock { $0.tasks = tasks }
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
    if printsStatistics { report.statistics(host.runs) }
    return stoppedBy == SIGINT ? ExitStatus.interrupted : ExitStatus.done
  }

  /// Connects, as often as it takes; nil where a signal ends that.
  private func connect(
    _ signals: RunSignals, _ stop: StopSign, _ log: NodeLog
  ) throws(JournalError) -> JetStreamJournal? {
    let settings = JetStreamJournal.Options(
      servers: cluster.urls, replicas: RunCluster.replicas(cluster.urls))
    var isReported = false
    while true {
      do throws(JournalError) { return try JetStreamJournal(settings, stop: stop) } catch {
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

/// Runs the pipelines that this machine has taken over.
private final class ClusterHost: TaskHost {
  private final class Run: TaskRun {
    let run: PipelineRun
    let result: Runner.Result

    init(_ run: PipelineRun, _ result: Runner.Result) { (self.run, self.result) = (run, result) }

    func stop() { run.stop(.reload) }
    var isOver: Bool { result.hasFailed.withLock { $0 != nil } }
  }

  private let plans: [String: Plan]
  private let options: RunOptions
  private let roster: RunRoster
  private let folders: [String: String]
  private let wake: @Sendable () -> Void
  private var members: [String: Run] = [:]
  private var reported: [String: TaskEvent] = [:]

  init(
    _ plans: [Plan], _ options: RunOptions, _ roster: RunRoster, _ folders: [String: String],
    wake: @escaping @Sendable () -> Void
  ) {
    self.plans = Dictionary(plans.map { ($0.name, $0) }) { first, _ in first }
    (self.options, self.roster, self.folders, self.wake) = (options, roster, folders, wake)
  }

  var runs: [PipelineRun] { members.values.map(\.run) }

  /// Adds to what a worker reports of its tasks what only their runs know.
  func complete(_ tasks: [WorkerReport.Task]) -> [WorkerReport.Task] {
    tasks.map { task in
      guard let run = members[task.name]?.run else { return task }
      var task = task
      let backlogs = run.statistics.filter { $0.role == .source }.compactMap(\.queue)
      task.backlog = backlogs.isEmpty ? nil : backlogs.reduce(0, +)
      task.stateBytes = StateFolder.file(of: task.name, in: folders[task.name] ?? "").map {
        StateSummary.measure($0).size
      }
      return task
    }
  }

  func abort() { for member in members.values { member.run.abort() } }

  func start(_ task: ClusterTask, _ log: TaskLog, _ takeover: TaskTakeover) throws -> any TaskRun {
    guard let plan = plans[task.name], let folder = folders[task.name],
      let path = StateFolder.file(of: task.name, in: folder)
    else { throw StoreError(task.name, .refused, "its name cannot be that of a state file") }
    drop(task)
    var options = options
    options.isReplicated = true
    options.state = { plan in
      // The log makes epochs durable, not this machine.
      try takeover.open(log, path: path, StateFile.Options(database: .init(sync: .never)))
    }
    let result = Runner.Result()
    let run = try PipelineRun(plan, options) { [wake] hasFailed in
      result.hasFailed.withLock { $0 = hasFailed }
      wake()
    }
    roster.add(run)
    let member = Run(run, result)
    members[task.name] = member
    run.start()
    return member
  }

  private func drop(_ task: ClusterTask) {
    guard let former = members.removeValue(forKey: task.name) else { return }
    roster.remove(former.run)
  }

  func note(_ task: ClusterTask, _ event: TaskEvent) {
    // Some are noted at each step.
    if reported.updateValue(event, forKey: task.name) == event { return }
    let log = NodeLog(log: options.log, pipeline: task.name, node: "")
    switch event {
    case .taken(let former, let generation):
      let before = former.map { " from \($0.split(separator: "#").first ?? "")" } ?? ""
      log.notice("taken over\(before), generation \(generation)")
    case .released:
      drop(task)
      log.notice("released")
    case .fenced:
      drop(task)
      log.warning("another machine has taken it over; what was not committed is done again there")
    case .waitingForPlan(let writer):
      log.warning("waits: \(writer) runs another version of this pipeline, or another version of flow")
    case .failed(let reason): log.error(reason)
    }
  }
}
