import Engine
import Glibc
import JSON
import Language
import Store

/// `flow status`: what pipelines do, and what is wrong with them.
enum StatusCommand {
  static let json = CommandOption("json", .flag, "print a line of JSON for each pipeline")

  static let manual = Manual(
    "status", "show what pipelines do, and what is wrong", operands: .any("PIPELINE"),
    options: [json, StateCommand.folder],
    about: """
      For each pipeline that runs or has state: since when it runs, the last and the next poll of each source, what fails \
      and why, the keys that steps hold, outputs and lookups that wait, dead letters, and the request budgets that are left. \
      PIPELINE is the name of a pipeline or its YAML file; without one, all are shown. For a pipeline that is named, the \
      entries of a source's list that fail are listed.

      It exits with 1 if something is wrong: a source is failing or stale, a lookup fails, there are dead letters, the last run failed or \
      was killed, or a pipeline does not respond. A pipeline that is named must also be running, unless its last run ended \
      by itself, as with --once from cron. So it serves as a health check.

      A running process answers through a socket in the state folder that only its user can open. Runs with --no-state, \
      --dry-run and replays have none.
      """,
    examples: [
      ("flow status", "all pipelines"), ("flow status slips", "one of them, as a health check"),
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
      let isKnown = live.contains { $0.status.world == nil } || !files.names.contains(name)
      reports += live
      if !isKnown, arguments.operands.isEmpty || live.isEmpty {
        reports.append(StatusReport(name, in: files, isNamed: !arguments.operands.isEmpty))
      }
    }
    let isWrong = reports.contains { !$0.problems.isEmpty }
    if arguments.has(json) {
      let output = StateOutput()
      for report in reports { output.put(report.json) }
      return max(isWrong ? ExitStatus.failed : ExitStatus.done, output.end())
    }
    if reports.isEmpty { Terminal.complain("no pipeline runs or has state in \(printable(files.folder))\n") }
    let width = Terminal.columns(1) ?? 100
    for (index, report) in reports.enumerated() {
      let lines = report.lines(width: width, listsEntries: !arguments.operands.isEmpty)
      for line in (index > 0 ? [""] : []) + lines { Terminal.say(line + "\n") }
    }
    for line in StatusReport.budgets(processes, width: width) { Terminal.say(line + "\n") }
    return isWrong ? ExitStatus.failed : ExitStatus.done
  }
}
