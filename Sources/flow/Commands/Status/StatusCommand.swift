import Engine
import Glibc
import JSON
import Language
import Store

/// `flow status`: what pipelines do, and what is wrong with them.
enum StatusCommand {
  static let all = CommandOption(
    "all", short: "a", .flag, "show the pipelines too that do not run and have not failed lately")
  static let json = CommandOption("json", .flag, "print a line of JSON for each pipeline")

  static let manual = Manual(
    "status", "show what pipelines do, and what is wrong", operands: .any("PIPELINE", or: .running),
    options: [all, json, StateCommand.folder],
    about: """
      For each pipeline: since when it runs, the last and the next poll of each source, or what a source has received that \
      is not polled, what fails and why, what was dropped, the keys that steps hold, outputs and lookups that wait, dead \
      letters, and what is left of the request budgets of the services that it calls. Those that run come first, the newest \
      on top. PIPELINE is the name of a pipeline or its YAML file; without one, all are shown that run, or that have failed or \
      were killed within the last day; the others are named, and shown with --all. For a pipeline that is named, the entries \
      of a source's list that fail are listed. Simulated runs are shown too, in the time of their world.

      It exits with 1 if something is wrong: a source is failing or stale, a lookup fails, there are dead letters, the last run failed or \
      was killed, or a pipeline does not respond. What does not run counts for a day, unless it is named. A pipeline that is \
      named must also be running, unless its last run ended by itself, as with --once from cron. So it serves as a health check.

      A running process answers through a socket in the state folder that only its user can open. Runs with --no-state, \
      --dry-run and replays have none.
      """,
    examples: [
      ("flow status", "all pipelines"), ("flow status slips", "one of them, as a health check"),
      ("flow status --all", "also those of the past"),
      ("flow status --json", "for other programs"),
    ])

  static let command = Command(reporting: manual) { arguments in
    let files = try StateFiles(arguments)
    let (processes, silent) = StatusClient.processes(in: files.folder)
    let running = processes.flatMap { process in process.pipelines.map(\.name) }
    let names =
      try arguments.operands.isEmpty
      ? Set(files.names + running).sorted()
      : arguments.operands.map { running.contains($0) ? $0 : try files.find($0) }
    var reports = silent.map { StatusReport(silent: $0) }
    for name in names {
      let live = processes.flatMap { process in
        process.pipelines.filter { $0.name == name }.map { StatusReport($0, of: process) }
      }
      // A simulated run says nothing about the real one.
      let isKnown = live.contains { $0.status.simulation == nil } || !files.names.contains(name)
      reports += live
      if !isKnown, arguments.operands.isEmpty || live.isEmpty {
        reports.append(StatusReport(name, in: files, isNamed: !arguments.operands.isEmpty))
      }
    }
    for index in reports.indices {
      let mute = Mute(of: reports[index].status.name, in: files.folder)
      reports[index].status.mutedUntil = mute.end(at: World.real.wallClock())
    }
    let areNamed = !arguments.operands.isEmpty
    if !areNamed { reports.sort { $0.comesBefore($1) } }
    let present = areNamed ? reports : reports.filter { $0.isLive || $0.isRecentFailure }
    let isWrong = present.contains { !$0.problems.isEmpty }
    if arguments.has(json) {
      let output = StateOutput()
      for report in reports { output.put(report.json) }
      return max(isWrong ? ExitStatus.failed : ExitStatus.done, output.end())
    }
    if reports.isEmpty { Terminal.complain("no pipeline runs or has state in \(printable(files.folder))\n") }
    let width = Terminal.columns(1) ?? 100
    let shown = arguments.has(all) ? reports : present
    let named = Set(shown.compactMap(\.process))
    var blocks = shown.map { $0.lines(width: width, listsEntries: areNamed) }
    blocks.append(StatusReport.budgets(processes.filter { named.contains($0.process) }, width: width))
    if shown.count < reports.count {
      blocks.append([others(reports.filter { !$0.isLive && !$0.isRecentFailure }, width: width)])
    }
    for (index, lines) in blocks.filter({ !$0.isEmpty }).enumerated() {
      for line in (index > 0 ? [""] : []) + lines { Terminal.say(line + "\n") }
    }
    return isWrong ? ExitStatus.failed : ExitStatus.done
  }

  /// As in “not running: stations (stopped 21m ago) and 26 more; --all shows them”.
  private static func others(_ reports: [StatusReport], width: Int) -> String {
    var mentions = reports.map(\.mention)
    func line() -> String {
      let more = reports.count - mentions.count
      let names = mentions.joined(separator: ", ")
      let rest = more == 0 ? "" : mentions.isEmpty ? StateText.count(more, "pipeline") : " and \(more) more"
      return "not running: \(names)\(rest); --all shows \(reports.count == 1 ? "it" : "them")"
    }
    while line().columns > width, !mentions.isEmpty { mentions.removeLast() }
    return Terminal.paint(line(), .dim)
  }
}
