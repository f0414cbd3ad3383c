import JSON
import Engine
import Language

/// The log of a run on standard error, for people or, with `--log json`, for machines.
enum RunLog {
  static let quiet = CommandOption("quiet", short: "q", .flag, "log only errors")
  static let verbose = CommandOption("verbose", short: "v", .flag, "log details")
  static let format = CommandOption("log", .choice(["text", "json"]), "the form of log messages")

  static func make(
    _ arguments: Arguments, masking secrets: Secrets, manyPipelines: Bool, beside screen: Screen
  ) -> Log {
    let level: Log.Level =
      arguments.has(quiet) ? .error : arguments.has(verbose) ? .detail : .notice
    if arguments.text(format) == "json" {
      return Log(level: level) { entry in
        Terminal.complain(secrets.masked(json(entry).description) + "\n", beside: screen)
      }
    }
    let paint = Paint(
      isOn: Paint.isWanted(isTerminal: Terminal.isTerminal(2)) { Terminal.environment($0) })
    return Log(level: level) { entry in
      Terminal.complain(secrets.masked(text(entry, paint, manyPipelines)) + "\n", beside: screen)
    }
  }

  /// Logs the warnings about pipelines.
  static func write(_ files: PipelineFiles, to log: Log) {
    for warning in files.problems.warnings {
      let plan = files.plans.first { $0.path == warning.place.file.path }
      NodeLog(log: log, pipeline: plan?.name ?? "flow", node: "")
        .warning(warning.summary(masking: files.secrets))
    }
  }

  private static func text(_ entry: Log.Entry, _ paint: Paint, _ manyPipelines: Bool) -> String {
    var place = entry.node
    if manyPipelines && !entry.pipeline.isEmpty || place.isEmpty {
      place = place.isEmpty ? entry.pipeline : "\(entry.pipeline)/\(place)"
    }
    let word: String =
      switch entry.level {
      case .error: paint("error: ", .red)
      case .warning: paint("warning: ", .yellow)
      case .notice, .detail: ""
      }
    let lines =
      ["\(printable(place)): \(word)\(printable(entry.message))"]
      + entry.details.flatMap { detail in
        detail.split(separator: "\n").map { printable(String($0)) }
      }
    return lines.joined(separator: "\n")
  }

  private static func json(_ entry: Log.Entry) -> JSON.Value {
    var members: [(String, JSON.Value)] = [
      ("at", .string(timestamp(World.real.wallClock()))), ("level", .string(entry.level.name)),
      ("pipeline", .string(entry.pipeline)), ("node", .string(entry.node)),
      ("message", .string(entry.message)),
    ]
    if !entry.details.isEmpty {
      members.append(("details", .string(entry.details.joined(separator: "\n"))))
    }
    return .record(members)
  }
}
