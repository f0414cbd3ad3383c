import Engine
import Glibc
import JSON
import Language

/// The log of a run on standard error, for people or, with `--log json`, for machines.
///
/// A line has a timestamp, unless it goes to a terminal or to the journal, which has its own. There it has a priority.
enum RunLog {
  static let quiet = CommandOption("quiet", short: "q", .flag, "log only errors")
  static let verbose = CommandOption("verbose", short: "v", .flag, "log details")
  static let format = CommandOption("log", .choice(["text", "json"]), "the form of log messages")

  static let about = """
    Messages go to standard error. Unless that is a terminal, each line begins with the time. Under systemd it begins \
    with a priority, as in <4>, and the journal adds the time. With --log json each line is an object. A source that \
    fails is reported once, then at growing intervals, and when it recovers.

    On a terminal the last line shows what the run does, and is gone at the end: rows, the last and the next poll, what \
    has come of them, what fails, why, and when it is tried again. There is none with -q, with --log json, with TERM=dumb, \
    in the background, or where standard output is a pipe, whose reader may write to the same terminal. A run that \
    completes reports what it has done, which elsewhere only one does that was stopped or has failed.
    """

  /// Where standard error leads.
  enum Destination {
    case terminal, journal, other
  }

  static func isJSON(_ arguments: Arguments) -> Bool { arguments.text(format) == "json" }

  static func make(
    _ arguments: Arguments, masking secrets: RunSecrets, manyPipelines: Bool, beside screen: Screen
  ) -> Log {
    let level: Log.Level =
      arguments.has(quiet) ? .error : arguments.has(verbose) ? .detail : .notice
    if isJSON(arguments) {
      return Log(level: level) { entry in
        Terminal.complain(secrets.masked(json(entry).description) + "\n", beside: screen)
      }
    }
    let destination = destination
    let paint = Paint(
      isOn: Paint.isWanted(isTerminal: destination == .terminal) { Terminal.environment($0) })
    return Log(level: level) { entry in
      let lines = lines(entry, paint, manyPipelines)
      let text = marked(lines, entry.level, destination, at: World.real.wallClock()).joined(separator: "\n")
      Terminal.complain(secrets.masked(text) + "\n", beside: screen)
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

  /// The journal names the device and inode of the stream that it reads in `JOURNAL_STREAM`.
  private static var destination: Destination {
    if Terminal.isTerminal(2) { return .terminal }
    var status = stat()
    guard let stream = Terminal.environment("JOURNAL_STREAM"), fstat(2, &status) == 0 else { return .other }
    return stream == "\(status.st_dev):\(status.st_ino)" ? .journal : .other
  }

  /// The lines of a message as they are written there.
  static func marked(
    _ lines: [String], _ level: Log.Level, _ destination: Destination, at time: Double
  ) -> [String] {
    switch destination {
    case .terminal: lines
    case .journal: lines.map { "<\(level.priority)>\($0)" }
    case .other: ["\(timestamp(time.rounded(.down))) \(lines.first ?? "")"] + lines.dropFirst()
    }
  }

  private static func lines(_ entry: Log.Entry, _ paint: Paint, _ manyPipelines: Bool) -> [String] {
    var place = entry.node
    if manyPipelines && !entry.pipeline.isEmpty || place.isEmpty {
      place = place.isEmpty ? entry.pipeline : "\(entry.pipeline)/\(place)"
    }
    if place.isEmpty { place = "flow" }
    let word: String =
      switch entry.level {
      case .error: paint("error: ", .red)
      case .warning: paint("warning: ", .yellow)
      case .notice, .detail: ""
      }
    return ["\(printable(place)): \(word)\(printable(entry.message))"]
      + entry.details.flatMap { detail in
        detail.split(separator: "\n").map { printable(String($0)) }
      }
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

extension Log.Level {
  /// The level of syslog and of the journal.
  fileprivate var priority: Int {
    switch self {
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .detail: 7
    }
  }
}
