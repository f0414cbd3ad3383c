import Glibc
import JSON
import Nodes
import Engine
import Language

/// `flow run`: runs pipelines until they end or are stopped.
enum RunCommand {
  static let once = CommandOption("once", .flag, "poll each source once, read files as they are, and end")
  static let dryRun = CommandOption("dry-run", .flag, "print what each sink would receive, and write nothing")
  static let time = CommandOption(
    "for", .value("TIME"), "shut down after this time, as in 45s or 2h")
  static let stats = CommandOption("stats", .flag, "print the counters of each node at the end")
  static let grace = CommandOption("grace", .value("TIME"), "the time limit of a shutdown (10s)")

  static let manual = Manual(
    "run", "run pipelines until they end or are stopped", operands: .some("FILE"),
    options: [
      once, time, dryRun, PipelineFiles.set, PipelineFiles.config, RunState.folder, RunState.none,
      RunState.reset,
      RunWeb.refresh, RunRecording.record, RunRecording.replay, RunOutputs.folder, RunOutputs.live,
      RunSky.sky,
    ] + SkyOptions.all + [
      stats, grace, RunLog.quiet, RunLog.verbose,
      RunLog.format,
    ],
    about: """
      Ctrl-C or SIGTERM shuts down cleanly: sources stop, events in flight are processed, and sinks write what they \
      hold. A second signal stops at once. SIGUSR1 prints the counters of each node.

      The memory of steps, the positions of sources and the pending output of sinks are stored in the state of the \
      pipeline, so that after a crash nothing is lost or written twice: see flow help state.

      \(RunRecording.about)

      \(RunSky.about)

      \(RunOutputs.about)
      """,
    examples: [
      ("flow run pipelines/new-launches.yaml", "until stopped"),
      ("flow run --once --stats pipelines/new-launches.yaml", "one poll of each source, as from cron"),
      ("flow run --sky --speed 21600 pipelines/new-launches.yaml", "simulated, six hours a second"),
      ("flow run --record rec a.yaml", "record each poll"),
      ("flow run --replay rec a.yaml", "replay them, in seconds"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let state = try RunState(arguments)
    let grace = try duration(arguments.text(grace), grace) ?? .seconds(10)
    let time = try duration(arguments.text(time), time)
    let files = try PipelineFiles(arguments.operands, arguments)
    files.complain()
    if !files.isRight { return ExitStatus.usage }
    if !files.hasTimeZones { return ExitStatus.failed }
    let screen = Terminal.screen
    let log = RunLog.make(
      arguments, masking: files.secrets, manyPipelines: files.plans.count > 1, beside: screen)
    if !arguments.has(once) { RunLog.write(files, to: log) }
    var options = RunOptions(world: .real, log: log, screen: screen)
    options.isOnce = arguments.has(once)
    options.isDryRun = arguments.has(dryRun)
    options.grace = grace
    options.world[Secrets.self] = files.secrets
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
        let world = sky?.world ?? (isVirtual ? "replays" : nil)
        options.state = { plan in
          let (file, isNew) = try state.open(plan, in: world, log: log)
          if !isNew { outputs.continueFiles(of: plan.name) }
          return file
        }
        try checkNames(files.plans)
      }
    }
    sky?.stand(in: &options.world)
    recording.stand(in: &options, masking: files.secrets)
    recording.report(files.plans, to: log)
    ignoreSignalsOfWrites()
    if isSimulated, outputs.isLive {
      let access = try RunWeb.access(files.plans, state, under: nil, arguments, hiding: files.secrets)
      options.world[LiveWeb.self] = LiveWeb(access)
    }
    if isVirtual {
      return VirtualRunner(
        plans: files.plans, options: options, printsStatistics: arguments.has(stats),
        settings: UnmatchedSettings(arguments)
      ).run()
    }
    options.world[WebAccess.self] = try RunWeb.access(
      files.plans, state, under: sky, arguments, hiding: files.secrets)
    sky?.report(to: log)
    let line = ProgressLine.make(arguments, in: options.world, beside: screen)
    if let line {
      let areMany = files.plans.count > 1
      options.progress = { pipeline, source, progress in
        line.show(areMany ? "\(pipeline)/\(source)" : source, progress)
      }
    }
    defer { line?.end() }
    return Runner(
      files.plans, options, printsStatistics: arguments.has(stats), for: time,
      settings: UnmatchedSettings(arguments)
    ).run()
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

  private static func duration(_ text: String?, _ option: CommandOption) throws(WrongUse) -> Duration? {
    guard let text else { return nil }
    do throws(TextError) { return try DurationText.parse(text) } catch {
      throw WrongUse("--\(option.name): \(error.message)\(error.hint.map { "; \($0)" } ?? "")")
    }
  }
}
