import Glibc
import JSON
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
      hold. A second signal stops at once. SIGUSR1 prints the counters of each node. FILE may be the name of an installed \
      pipeline, or a folder; all its pipelines run.

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
      ("flow run new-launches", "until stopped"),
      ("flow run --once --stats new-launches", "one poll of each source"),
      ("flow run --once --wait-budget 0 -q new-launches", "the same from cron"),
      ("flow run --sky --speed 21600 new-launches", "simulated, six hours a second"),
      ("flow run --page new-launches", "with a live page at http://127.0.0.1:8787/"),
      ("flow run --record rec a.yaml", "record each poll"),
      ("flow run --watch pipelines", "all pipelines of a folder, reloaded as they change"),
      ("flow run --replay rec a.yaml", "replay them, in seconds"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let notices = ServiceNotices.take()
    let settings = try RunSettings(arguments)
    // Before any thread is started, so that all of them have the signals blocked.
    let signals = RunSignals(grace: settings.grace)
    // A replay sends nothing, so it needs no secrets.
    let isReplay = arguments.has(RunRecording.replay) && !arguments.has(RunOutputs.live)
    let files = try PipelineFiles(arguments.operands, arguments, isForRun: true, mayLack: isReplay)
    let screen = Terminal.screen
    let secrets = RunSecrets(files.secrets)
    let log = RunLog.make(
      arguments, masking: secrets, manyPipelines: files.plans.count > 1, beside: screen)
    if settings.isJSON { files.complain(to: log) } else { files.complain() }
    if !files.isRight || !files.isDecided { return ExitStatus.usage }
    if !files.hasTimeZones { return ExitStatus.failed }
    if !settings.isOnce { RunLog.write(files, to: log) }
    var start = try RunStart(settings, files, secrets, log, screen, signals, notices)
    return try start.run()
  }
}
