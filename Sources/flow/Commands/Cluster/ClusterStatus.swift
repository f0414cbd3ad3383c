import Cluster
import Engine
import JSON
import Language
import System

/// `flow cluster status`: the machines of a cluster, and what runs where.
struct ClusterStatus {
  static let command = Command(
    Manual(
      "cluster status", "show machines, and what runs where", operands: .one("URLS"),
      options: [StatusCommand.json],
      about: """
        For each pipeline: the machine that runs it, since when and from which machine it has taken it over, its commits, \
        the size of its state, what its sources have still to read where they can know, and what it waits for; in the last \
        line whether all is well. It exits \
        with 1 if a pipeline does not run, or the servers have lost what was on its way between tasks, which serves as a \
        health check.
        """)
  ) { arguments throws(WrongUse) in
    try ClusterCommand.run("status", arguments) { (journal) throws(JournalError) in
      let status = try ClusterStatus(journal)
      if arguments.has(StatusCommand.json) {
        Terminal.say(status.json.description + "\n")
      } else {
        for line in status.lines(width: Terminal.columns(1) ?? 100) { Terminal.say(line + "\n") }
      }
      return status.isWhole ? ExitStatus.done : ExitStatus.failed
    }
  }

  private struct Machine {
    var lease: WorkerLease
    var report: WorkerReport
  }

  private struct Pipeline {
    var name: String
    /// The worker that reports it, or has written last.
    var worker: String
    var task: WorkerReport.Task?
    /// The status by its log; all that is known where no worker reports it.
    var log: LogStatus?
    /// Whether a machine has taken it over that is there, and has not reported it yet.
    var isStarting = false

    /// Whether all is as it should be.
    var isWell: Bool {
      guard let task else { return log?.isReleased == true || isStarting }
      return task.phase == .running || task.phase == .ended
    }

    var state: String {
      if let task { return task.phase.rawValue }
      if isStarting { return "starting" }
      return log?.isReleased == true ? "released" : "owner is gone"
    }
  }

  private let machines: [Machine]
  private let pipelines: [Pipeline]
  private let hasPacks: Bool

  private init(_ journal: JetStreamJournal) throws(JournalError) {
    var machines: [Machine] = []
    for lease in try journal.workers() {
      let report = try journal.report(of: lease.name).flatMap { WorkerReport(json: $0) }
      machines.append(Machine(lease: lease, report: report ?? WorkerReport(version: "?", tasks: [])))
    }
    self.machines = machines
    var names = Set(try journal.assignments())
    for machine in machines { names.formUnion(machine.report.tasks.map(\.name)) }
    var pipelines: [Pipeline] = []
    for name in names.sorted() {
      let log = try journal.last(of: name).flatMap { LogStatus($0.bytes) }
      let reports = machines.flatMap { machine in
        machine.report.tasks.filter { $0.name == name }.map { (machine.lease.name, $0) }
      }
      // Before a machine that waits for it comes the one that has it.
      let report = reports.first { $0.1.phase != .waiting } ?? reports.first
      var pipeline = Pipeline(name: name, worker: report?.0 ?? log?.writer ?? "", task: report?.1, log: log)
      pipeline.isStarting = log?.isReleased == false && machines.contains { $0.lease.name == log?.writer }
      pipelines.append(pipeline)
    }
    self.pipelines = pipelines
    hasPacks = try journal.hasPacks()
  }

  private var isWhole: Bool { hasPacks && pipelines.allSatisfy(\.isWell) }

  private var json: Value {
    .record([
      ("lost", .array(hasPacks ? [] : [.string(JetStreamJournal.packs)])),
      (
        "machines",
        .array(
          machines.map {
            .record([
              ("name", .string($0.lease.name)), ("version", .string($0.report.version)),
              ("files", $0.report.files.map { .string($0) } ?? .null),
              ("leaving", .bool($0.lease.isLeaving)), ("full", .bool($0.lease.isFull)),
            ])
          })
      ),
      (
        "pipelines",
        .array(
          pipelines.map { pipeline in
            let place: [(String, Value)] = [
              ("owner", pipeline.worker.isEmpty ? .null : .string(pipeline.worker)),
              ("state", .string(pipeline.state)),
            ]
            let task = pipeline.task?.jsonValue ?? .record([("name", .string(pipeline.name))])
            var members = place
            task.forEachMember { name, value in if let name = name.string { members.append((name, value)) } }
            return .record(members)
          })
      ),
    ])
  }

  /// The digests of the machines' pipeline files.
  private var files: Set<String> { Set(machines.map { $0.report.files ?? "?" }) }

  private func lines(width: Int) -> [String] {
    let names = machines.map { machine in
      "\(printable(machine.lease.name)) (\(printable(machine.report.version))"
        + (files.count > 1 ? ", files \(printable(machine.report.files ?? "?"))" : "")
        + (machine.lease.isLeaving ? ", leaving" : "") + (machine.lease.isFull ? ", disk full)" : ")")
    }
    var table = TextTable(
      headers: ["pipeline", "owner", "state", "for", "from", "commits", "size", "behind", "note"],
      fit: .keepLeading)
    for pipeline in pipelines {
      let task = pipeline.task
      let commits = task.map { $0.generation > 0 ? $0.commits : 0 } ?? 0
      table.add([
        printable(pipeline.name), printable(WorkerLease.machine(of: pipeline.worker)), pipeline.state,
        task?.seconds.map { StateText.span($0) } ?? "",
        task?.from.map { printable(WorkerLease.machine(of: $0)) } ?? "",
        "\(max(commits, pipeline.log?.ordinal ?? 0))", task?.stateBytes.map { StateText.size($0) } ?? "",
        task?.backlog.map { "\($0)" } ?? "", printable(task?.reason ?? ""),
      ])
    }
    return ["machines: \(names.isEmpty ? "none" : names.joined(separator: ", "))"]
      + table.lines(width: width) + [verdict]
  }

  /// Whether all is well, and what is behind or moves, in a line.
  private var verdict: String {
    let ill = pipelines.count { !$0.isWell }
    if machines.isEmpty { return "no machine is in the cluster: nothing runs" }
    var parts = [
      ill == 0
        ? "all is well: \(StateText.count(pipelines.count, "pipeline")) on "
          + StateText.count(machines.count, "machine")
        : "not well: \(ill) of \(StateText.count(pipelines.count, "pipeline")) "
          + (ill == 1 ? "does not run" : "do not run")
    ]
    let behind = pipelines.reduce(0) { $0 + ($1.task?.backlog ?? 0) }
    if behind > 0 { parts.append("\(StateText.count(behind, "event")) to read") }
    let moving = pipelines.count { $0.task?.phase == .stopping }
    if moving > 0 { parts.append("\(moving) moving") }
    let leaving = machines.filter(\.lease.isLeaving).count
    if leaving > 0 { parts.append("\(StateText.count(leaving, "machine")) leaving") }
    let full = machines.filter(\.lease.isFull).count
    if full > 0 { parts.append("\(StateText.count(full, "full disk"))") }
    let versions = Set(machines.map(\.report.version))
    if versions.count > 1 { parts.append("versions \(versions.sorted().joined(separator: ", "))") }
    if files.count > 1 { parts.append("\(files.count) versions of the pipeline files") }
    if !hasPacks {
      parts.insert(
        "the servers have lost the stream \(JetStreamJournal.packs), and with it what was on its way to tasks below "
          + "partitions: start flow run again on a machine, which makes it, then see whether all is well",
        at: 0)
    }
    return printable(parts.joined(separator: "; "))
  }
}
