import Glibc
import JSON
import Nodes
import Engine
import Language

/// `flow run`: runs pipelines until they end or are stopped.
enum RunCommand {
  static let manual = Manual(
    "run", "run pipelines until they end or are stopped", operands: .some("FILE", or: .installed),
    options: [
      RunOption.once, RunOption.time, RunOption.dryRun, PipelineFiles.set, PipelineFiles.config,
      RunState.folder, RunState.none,
      RunState.reset,
      RunWeb.refresh, RunWeb.waitBudget, RunRecording.record, RunRecording.replay, RunOutputs.folder,
      RunOutputs.live,
      RunSky.sky,
    ] + SkyOptions.all + RunPage.options + [
      RunOption.stats, RunOption.watch, RunOption.grace, RunOption.lanes, RunCluster.servers, RunMetrics.file,
      RunLog.quiet, RunLog.verbose,
      RunLog.format,
    ],
    about: """
      Ctrl-C or SIGTERM shuts down cleanly: sources stop, events in flight are processed, and sinks write what they \
      hold. A second signal stops at once. SIGUSR1 prints the counters of each node. FILE may be a folder; all its \
      pipelines run.

      SIGHUP, or a change of a file with --watch, reloads pipelines: one whose file, includes or config have changed \
      stops and continues with its state; the others are untouched, and no source is polled because of it. A file that is \
      wrong is reported as by flow check, and the pipeline that runs continues. On a terminal, SIGHUP ends the run.

      Under systemd it notifies the manager (Type=notify): when it has started, reloads and stops, and its status in a \
      line. With WatchdogSec, a pipeline whose steps or sinks hang is restarted; it wakes up every half of that time.

      The memory of steps, the positions of sources and the pending output of sinks are stored in the state of the \
      pipeline, so that after a crash nothing is lost or written twice: see flow help state.

      It exits with 1 if a pipeline has failed: stopped by an error, or ended with every poll failed, an event lost by \
      an error (with `on_error: { dead_letter: PATH }` none is), or a delivery given up. The last line says which, and \
      names the command that shows more.

      \(RunWeb.aboutBudget)

      \(RunLog.about)

      \(RunRecording.about)

      \(RunSky.about)

      \(RunOutputs.about)

      \(RunPage.about)

      \(RunMetrics.about)

      \(RunTelemetry.about)

      \(RunCluster.about)
      """,
    examples: [
      ("flow run pipelines/new-launches.yaml", "until stopped"),
      ("flow run --once --stats pipelines/new-launches.yaml", "one poll of each source"),
      ("flow run --once --wait-budget 0 -q pipelines/new-launches.yaml", "the same from cron"),
      ("flow run --sky --speed 21600 pipelines/new-launches.yaml", "simulated, six hours a second"),
      ("flow run --page pipelines/new-launches.yaml", "with a live page at http://127.0.0.1:8787/"),
      ("flow run --record rec a.yaml", "record each poll"),
      ("flow run --watch pipelines", "all pipelines of a folder, reloaded as they change"),
      ("flow run --replay rec a.yaml", "replay them, in seconds"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let notices = ServiceNotices.take()
    let state = try RunState(arguments)
    let grace = try RunOption.duration(arguments.text(RunOption.grace), RunOption.grace) ?? .seconds(10)
    let time = try RunOption.duration(arguments.text(RunOption.time), RunOption.time)
    // Before any thread is started, so that all of them have the signals blocked.
    let signals = RunSignals(grace: grace)
    let cluster = try RunCluster(arguments)
    let files = try PipelineFiles(arguments.operands, arguments, isForRun: true)
    let screen = Terminal.screen
    let secrets = RunSecrets(files.secrets)
    let log = RunLog.make(
      arguments, masking: secrets, manyPipelines: files.plans.count > 1, beside: screen)
    if RunLog.isJSON(arguments) { files.complain(to: log) } else { files.complain() }
    if !files.isRight { return ExitStatus.usage }
    if !files.hasTimeZones { return ExitStatus.failed }
    if !arguments.has(RunOption.once) { RunLog.write(files, to: log) }
    let report = RunReport(
      log: log, screen: screen, isJSON: RunLog.isJSON(arguments), isForPerson: Terminal.isTerminal(2))
    var options = RunOptions(world: .real, log: log, screen: screen)
    options.isOnce = arguments.has(RunOption.once)
    options.isDryRun = arguments.has(RunOption.dryRun)
    options.grace = grace
    options.lanes =
      try arguments.number(RunOption.lanes, in: 1...32)
      ?? max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) - 1)
    options.world[Secrets.self] = files.secrets
    if let time { options.spreadPolls(within: time / 2) }
    let recording = try RunRecording(arguments, files.plans)
    let isVirtual = try recording.isVirtual(files.plans)
    if isVirtual {
      if arguments.has(RunSky.sky) {
        throw WrongUse("--sky cannot be combined with a recording: each has a clock of its own")
      }
      if time != nil {
        throw WrongUse("--for counts the time of a clock, and recordings run in virtual time")
      }
    }
    let sky = try RunSky(arguments)
    let isSimulated = isVirtual || sky != nil
    let outputs = try RunOutputs.outputs(
      arguments,
      of: sky != nil ? .sky : isVirtual ? .replay(isOption: arguments.has(RunRecording.replay)) : .real)
    options.outputs = outputs
    if !options.isDryRun {
      options.letters = appendLetter
      // A simulated run is a world of its own: it neither reads nor changes the state of real runs.
      if let state, !isSimulated || arguments.has(RunState.folder) {
        let simulation = sky?.simulation ?? (isVirtual ? "replays" : nil)
        options.state = { plan in
          let (file, isNew) = try state.open(plan, in: simulation, log: log)
          if !isNew { outputs.continueFiles(of: plan.name) }
          return file
        }
        try checkNames(files.plans)
      }
    }
    for plan in files.plans where plan.trace != nil && (options.state == nil || cluster != nil) {
      NodeLog(log: log, pipeline: plan.name, node: "").notice(
        "this run keeps no trace: that is part of a state on this machine")
    }
    sky?.install(in: &options.world)
    recording.install(in: &options, masking: files.secrets)
    recording.report(files.plans, to: log)
    ignoreSignalsOfWrites()
    if isSimulated, outputs.isLive {
      let access = try RunWeb.access(files.plans, state, under: nil, arguments, hiding: files.secrets)
      options.world[LiveWeb.self] = LiveWeb(access)
    }
    let line = ProgressLine.make(arguments, in: options.world, beside: screen)
    if let line {
      let areMany = files.plans.count > 1
      options.progress = { pipeline, source, progress in
        line.show(areMany ? "\(pipeline)/\(source)" : source, progress)
      }
    }
    if let line { signals.onSuspend { line.suspend() } }
    defer { line?.end() }
    if isVirtual {
      if arguments.has(RunMetrics.file) {
        throw WrongUse("--metrics needs a clock, and recordings run in virtual time")
      }
      if arguments.has(RunPage.page) {
        throw WrongUse("--page needs a clock, and recordings run in virtual time")
      }
      notices?.ready()
      SignalSet.ofRuns.unblock()
      return VirtualRunner(
        plans: files.plans, options: options, report: report,
        printsStatistics: arguments.has(RunOption.stats), settings: UnmatchedSettings(arguments)
      ).run()
    }
    let web = try RunWeb.access(
      files.plans, state, under: sky, arguments, hiding: files.secrets, sharing: cluster?.sites)
    options.world[WebAccess.self] = web
    let roster = RunRoster(
      simulation: sky?.simulation, hiding: secrets, budgets: { web.budgets() },
      wallClock: options.world.wallClock
    )
    if let cluster {
      if let flaw = files.plans.lazy.compactMap(cluster.flaw).first { throw WrongUse(flaw) }
      return ClusterRunner(
        cluster: cluster, plans: files.plans, options: options, roster: roster, report: report, line: line,
        printsStatistics: arguments.has(RunOption.stats), notices: notices, signals: signals,
        folder: { plan in try state?.folder(of: plan) ?? "." }
      ).run()
    }
    let monitor = RunMonitor(roster)
    options.world[RunMonitor.self] = monitor
    if arguments.has(RunMetrics.file), options.isDryRun {
      throw WrongUse("--metrics writes a file, and --dry-run writes none")
    }
    let metrics = try RunMetrics(arguments, monitor, log)
    defer { metrics?.stop() }
    let telemetry = isSimulated || options.isDryRun ? nil : try RunTelemetry(monitor, log)
    if let telemetry { options.polled = { telemetry.note($0) } }
    telemetry?.start()
    defer { telemetry?.stop() }
    sky?.report(to: log)
    let page = try RunPage(arguments, under: sky, in: &options.world)
    page?.report(log)
    defer { page?.stop() }
    let isDry = options.isDryRun
    var present = files
    let tools = Runner.Tools(
      roster: roster, report: report, line: line,
      folder: { plan in isDry ? nil : try? state?.folder(of: plan) },
      resetsCorrupt: arguments.has(RunState.reset), printsStatistics: arguments.has(RunOption.stats),
      time: time,
      staysUp: page != nil, inputs: { present.paths },
      watches: arguments.has(RunOption.watch), settings: UnmatchedSettings(arguments), notices: notices,
      signals: signals
    ) {
      guard let files = reread(arguments, recording, log) else { return nil }
      secrets.add(files.secrets)
      let changed = files.inputs.filter { present.inputs[$0.key] != $0.value }
      present = files
      return Reloaded(plans: files.plans, changed: Set(changed.keys), secrets: files.secrets)
    }
    var runner = Runner(files.plans, options, tools)
    return runner.run()
  }

  /// Reads the pipelines again; nil where one is wrong, which is reported, or where they cannot be read again.
  private static func reread(
    _ arguments: Arguments, _ recording: RunRecording, _ log: Log
  ) -> PipelineFiles? {
    let log = NodeLog(log: log, pipeline: "", node: "")
    do throws(WrongUse) {
      if arguments.operands.contains("-") { throw WrongUse("a pipeline was read from standard input") }
      let files = try PipelineFiles(arguments.operands, arguments, isForRun: true)
      if !files.isRight {
        if RunLog.isJSON(arguments) { files.complain(to: log.log) } else { files.complain() }
        throw WrongUse("the pipelines that run continue")
      }
      if try recording.isVirtual(files.plans) { throw WrongUse("recordings run in virtual time") }
      if !files.hasTimeZones { throw WrongUse("the pipelines that run continue") }
      try checkNames(files.plans)
      return files
    } catch {
      log.error("not reloaded: \(error.message)")
      return nil
    }
  }

  /// A closed pipe and a file at its size limit are errors of the write, not reasons to be killed.
  private static func ignoreSignalsOfWrites() {
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
  }

  /// State goes by the name of a pipeline.
  private static func checkNames(_ plans: [Plan]) throws(WrongUse) {
    var paths: [String: String] = [:]
    for plan in plans {
      if let other = paths.updateValue(plan.path, forKey: plan.name) {
        throw WrongUse(
          "\(other) and \(plan.path) are both called \(quoted(plan.name)); give each pipeline a name of its own"
        )
      }
    }
  }
}
