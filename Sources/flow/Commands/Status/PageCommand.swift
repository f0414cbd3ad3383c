import Connectors
import Engine
import Glibc
import Language
import Page
import Reactive
import Store

/// `flow page`: serves the pages of pipelines that other processes run, or none, from what they have stored.
enum PageCommand {
  static let address = CommandOption(
    "at", .value("ADDRESS"), "where to serve (127.0.0.1:8787), also unix:PATH; port 0 is any free one")

  static let manual = Manual(
    "page", "serve stored rows and change logs as a web page", operands: .any("FILE", or: .installed),
    options: [
      address, RunPage.pictures, RunPage.name, PipelineFiles.set, PipelineFiles.config, StateCommand.folder,
    ],
    about: """
      For each pipeline it serves the rows of its sinks page, as its state has them, the change logs that its sinks jsonl \
      write, and its status, until Ctrl-C. It reads only, looks for changes every two seconds, and needs no pipeline to run; \
      flow run --page serves a page that is live. Without FILE it serves all pipelines that have state or run simulated, and \
      whose files exist and can be read; the others are listed. Logs are found as flow run writes them, from the folder it \
      was started in.
      """,
    examples: [
      ("flow page", "all pipelines that have run"),
      ("flow page --at :8080 upcoming-launches", "one of them"),
    ])

  /// How often to look for changes.
  private static let pause = Duration.seconds(2)

  static let command = Command(reporting: manual) { arguments in
    let states = try StateFiles(arguments)
    let files = try pipelines(arguments, states)
    if files.isEmpty { return ExitStatus.usage }
    let signals = RunSignals(grace: .seconds(2))
    signals.begin()
    let status = try serve(files, states, arguments, signals)
    signals.finish(status)
    return status
  }

  /// The pipelines that are named, or all with state, of which those that cannot be read are reported and left out.
  private static func pipelines(_ arguments: Arguments, _ states: StateFiles) throws -> [PipelineFiles] {
    if !arguments.operands.isEmpty {
      let files = try PipelineFiles(arguments.operands, arguments)
      files.complain()
      return files.isRight ? [files] : []
    }
    // Each by itself: what two have in common is no matter of a page.
    let all = try files(of: states).map { path in (path, try PipelineFiles([path], arguments)) }
    for (path, files) in all where !isServed(files) {
      Terminal.complain("flow page: without \(path), which cannot be read as a pipeline now\n")
      files.complain()
    }
    return all.map(\.1).filter(isServed)
  }

  private static func isServed(_ files: PipelineFiles) -> Bool {
    files.problems.isEmpty && !files.plans.isEmpty
  }

  /// The files of all pipelines that have state, and of simulated runs, which are shown with their status.
  private static func files(of states: StateFiles) throws -> [String] {
    let known = states.names.compactMap { name in
      (try? StateSummary(name, StateReader(path: states.path(of: name))))?.pipeline
    }
    let running = StatusClient.processes(in: states.folder).answers.flatMap(\.pipelines)
    let simulated = running.filter { $0.simulation != nil }.map(\.path)
    var seen: Set<String> = []
    let paths = (known + simulated).filter { path in
      access(path, R_OK) == 0 && seen.insert(RunState.absolute(path) ?? path).inserted
    }
    if paths.isEmpty {
      throw StateError.failed("no pipeline has state in \(states.folder); run one first, or name a FILE")
    }
    return paths
  }

  private static func serve(
    _ files: [PipelineFiles], _ states: StateFiles, _ arguments: Arguments, _ signals: RunSignals
  ) throws -> Int32 {
    let plans = Dictionary(files.flatMap(\.plans).map { ($0.name, $0) }) { first, _ in first }
    var secrets = Secrets()
    for file in files { secrets.add(file.secrets) }
    let monitor = StoredPipelines(plans: plans, secrets: secrets, states: states)
    let world = World.real
    let run = PageRun(monitor, speed: 1)
    let hub = PageHub(now: world.wallClock, run: run)
    let server = try RunPage.server(
      hub, at: arguments.text(address) ?? "", address, arguments, tokenIn: states.folder)
    defer { server.stop() }
    let views = files.flatMap(\.plans).map { StoredViews($0, state: states.path(of: $0.name), in: hub) }
    for url in server.urls { Terminal.complain("page: \(url)\n") }
    var reported: Set<String> = []
    while true {
      for view in views {
        do { try view.refresh() } catch {
          if reported.insert("\(error)").inserted { Terminal.complain("flow page: \(error)\n") }
        }
      }
      switch signals.next(until: MonotonicClock.now + pause) {
      case .signal(SIGUSR1), .reload, .woken, .timeOver: continue
      case .signal(let signal): return signal == SIGINT ? ExitStatus.interrupted : ExitStatus.done
      }
    }
  }
}

/// Pipelines that do not run, or in another process, as `flow status` shows them.
private struct StoredPipelines: RunMonitor {
  let plans: [String: Plan]
  let secrets: Secrets
  let states: StateFiles

  func status() -> RunStatus {
    let (processes, _) = StatusClient.processes(in: states.folder)
    let pipelines = plans.keys.sorted().map { name -> PipelineStatus in
      for process in processes {
        if let running = process.pipelines.first(where: { $0.name == name }) { return running }
      }
      return StatusReport(name, in: states, isNamed: false).status
    }
    var status = RunStatus(
      process: Int(getpid()), version: VersionCommand.version, at: World.real.wallClock(),
      pipelines: pipelines)
    status.budgets = processes.first?.budgets ?? []
    return status
  }

  func plan(of pipeline: String) -> (plan: Plan, secrets: Secrets)? { plans[pipeline].map { ($0, secrets) } }

  func why(_ key: String, of pipeline: String) -> [String]? {
    plans[pipeline].flatMap {
      WhyNotCommand.lines(of: KeyText(key), $0, state: states.path(of: pipeline), hiding: secrets)
    }
  }
}
