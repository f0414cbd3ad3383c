import Delivery
import Engine
import Glibc
import Language
import Reactive

/// The start of a run: opens what its pipelines need, and gives them to the runner of their kind.
struct RunStart {
  private let settings: RunSettings
  private let files: PipelineFiles
  private let secrets: RunSecrets
  private let signals: RunSignals
  private let notices: ServiceNotices?
  private let world: RunWorld
  private let report: RunReport
  /// The line at the end of the terminal; nil without one.
  private let line: ProgressLine?
  private var options: RunOptions

  init(
    _ settings: RunSettings, _ files: PipelineFiles, _ secrets: RunSecrets, _ log: Log, _ screen: Screen,
    _ signals: RunSignals, _ notices: ServiceNotices?
  ) throws(WrongUse) {
    (self.settings, self.files, self.secrets) = (settings, files, secrets)
    (self.signals, self.notices) = (signals, notices)
    report = RunReport(
      log: log, screen: screen, isJSON: settings.isJSON, isForPerson: Terminal.isTerminal(2))
    world = try RunWorld(settings, files.plans)
    options = settings.options(log: log, screen: screen)
    options.world[Secrets.self] = files.secrets
    world.install(in: &options, masking: files.secrets)
    line = ProgressLine.make(settings.arguments, in: options.world, beside: screen)
    try addState()
    world.recording.report(files.plans, to: log)
    Self.ignoreSignalsOfWrites()
    try addLiveWeb()
    addProgress()
  }

  /// Runs the pipelines; returns the exit status.
  mutating func run() throws(WrongUse) -> Int32 {
    defer { line?.end() }
    if world.isVirtual { return runVirtually() }
    let web = try RunWeb.access(
      files.plans, settings.state, under: world.sky, settings.arguments, hiding: files.secrets,
      sharing: settings.cluster?.sites)
    options.world[WebAccess.self] = web
    let roster = RunRoster(
      simulation: world.simulation, hiding: secrets, budgets: { web.budgets() },
      wallClock: options.world.wallClock
    )
    if let cluster = settings.cluster { return try runInCluster(cluster, roster) }
    return try runHere(roster, web)
  }

  // MARK: - What the pipelines need

  private mutating func addState() throws(WrongUse) {
    let log = options.log
    if !options.isDryRun {
      options.letters = appendLetter
      if let state = settings.state, !world.isSimulated || settings.arguments.has(RunState.folder) {
        options.state = { [world] plan in
          let (file, isNew) = try state.open(plan, in: world.simulation, log: log)
          if !isNew { world.outputs.continueFiles(of: plan.name) }
          return file
        }
        try Self.checkNames(files.plans)
      }
    }
    let hasPage =
      settings.arguments.has(RunPage.page) || settings.isOnce || options.isDryRun || world.isVirtual
    for plan in files.plans where !hasPage && plan.sinks.contains(where: { $0.spec.kind == "page" }) {
      NodeLog(log: log, pipeline: plan.name, node: "").notice(
        "its page is not served; --page serves it live, flow page what is stored")
    }
    for plan in files.plans where plan.trace != nil && (options.state == nil || settings.cluster != nil) {
      NodeLog(log: log, pipeline: plan.name, node: "").notice(
        "this run keeps no trace: that is part of a state on this machine")
    }
  }

  /// The real network, for the sinks of a simulated run that are to act.
  private mutating func addLiveWeb() throws(WrongUse) {
    guard world.isSimulated, world.outputs.isLive else { return }
    let access = try RunWeb.access(
      files.plans, settings.state, under: nil, settings.arguments, hiding: files.secrets)
    options.world[LiveWeb.self] = LiveWeb(access)
  }

  private mutating func addProgress() {
    guard let line else { return }
    let areMany = files.plans.count > 1
    options.progress = { pipeline, source, progress in
      line.show(areMany ? "\(pipeline)/\(source)" : source, progress)
    }
    signals.onSuspend { line.suspend() }
  }

  // MARK: - The runners

  private func runVirtually() -> Int32 {
    notices?.ready()
    SignalSet.ofRuns.unblock()
    return VirtualRunner(plans: files.plans, options: options, report: report, settings: settings).run()
  }

  private func runInCluster(_ cluster: RunCluster, _ roster: RunRoster) throws(WrongUse) -> Int32 {
    if let flaw = files.plans.lazy.compactMap(cluster.flaw).first { throw WrongUse(flaw) }
    if !files.alerts.isEmpty {
      NodeLog(log: options.log, pipeline: "", node: "").warning("with --cluster no alerts are sent")
    }
    let metrics = try RunMetrics(settings.arguments, roster, options.log)
    defer { metrics?.stop() }
    return ClusterRunner(
      cluster: cluster, plans: files.plans, options: options, roster: roster, report: report, line: line,
      settings: settings, notices: notices, signals: signals,
      folder: { [state = settings.state] plan in try state?.folder(of: plan) ?? "." }
    ).run()
  }

  private mutating func runHere(_ roster: RunRoster, _ web: WebAccess) throws(WrongUse) -> Int32 {
    let (log, arguments) = (options.log, settings.arguments)
    options.world[(any RunMonitor).self] = roster
    let metrics = try RunMetrics(arguments, roster, log)
    defer { metrics?.stop() }
    let telemetry = world.isSimulated || options.isDryRun ? nil : try RunTelemetry(roster, log)
    let old = OldAnswers(files.plans, options, web)
    options.polled = { poll in
      old.note(poll)
      telemetry?.note(poll)
    }
    telemetry?.start()
    defer { telemetry?.stop() }
    world.sky?.report(to: log)
    let alerts = alerts()
    if let alerts { options.alerts = { alerts.feed(of: $0) } }
    let page = try RunPage(arguments, files.plans, under: world.sky, in: &options.world)
    page?.report(log)
    defer { page?.stop() }
    var present = files
    let tools = Runner.Tools(
      settings: settings, roster: roster, report: report, line: line,
      folder: { [settings] plan in settings.isDryRun ? nil : try? settings.state?.folder(of: plan) },
      staysUp: page != nil, inputs: { present.paths }, notices: notices, signals: signals,
      alerts: alerts, settle: { old.finish() }
    ) { [settings, world, secrets] in
      guard let files = Self.reread(settings, world.recording, log) else { return nil }
      secrets.add(files.secrets)
      let changed = files.inputs.filter { present.inputs[$0.key] != $0.value }
      present = files
      alerts?.watch(files)
      return Reloaded(plans: files.plans, changed: Set(changed.keys), secrets: files.secrets)
    }
    var runner = Runner(files.plans, options, tools)
    return runner.run()
  }

  /// The alerts of this run; none where it is not for real, or polls once and says by its exit status how that went.
  private func alerts() -> RunAlerts? {
    if world.isSimulated || settings.isDryRun || settings.isOnce { return nil }
    let folder = files.plans.first.flatMap { plan in try? settings.state?.folder(of: plan) }
    return RunAlerts(files, options.world) { [now = options.world.wallClock] pipeline in
      folder.flatMap { Mute(of: pipeline, in: $0).end(at: now()) } != nil
    }
  }

  /// Reads the pipelines again; nil where one is wrong, which is reported, or where they cannot be read again.
  private static func reread(
    _ settings: RunSettings, _ recording: RunRecording, _ log: Log
  ) -> PipelineFiles? {
    let (arguments, log) = (settings.arguments, NodeLog(log: log, pipeline: "", node: ""))
    do throws(WrongUse) {
      if arguments.operands.contains("-") { throw WrongUse("a pipeline was read from standard input") }
      let files = try PipelineFiles(arguments.operands, arguments, isForRun: true)
      if !files.isRight {
        if settings.isJSON { files.complain(to: log.log) } else { files.complain() }
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
