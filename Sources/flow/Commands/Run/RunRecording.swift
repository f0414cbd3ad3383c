import Glibc
import Nodes
import System
import Engine
import Language

/// `--record` and `--replay` of `flow run`: polls are stored, and replayed.
struct RunRecording {
  static let record = CommandOption(
    "record", .path("FOLDER"), "store each poll of the run in FOLDER/SOURCE.jsonl")
  static let replay = CommandOption(
    "replay", .path("FOLDER"), "replay the polls stored there, in virtual time")

  static let about = """
    --record adds each poll to FOLDER/SOURCE.jsonl: the time, and the rows or the error; lookups of enrich go to \
    FOLDER/lookups.jsonl. Real and simulated polls (--sky) do not share a recording. --replay runs over them in virtual time, \
    in FOLDER, or else next to the pipeline: polled \
    sources and lookups are replaced by their recordings, files are read as they are, $now is the time of the poll, and a year takes seconds. Nothing is requested \
    from the network. Timers fire up to the last poll; then the sources end, and steps flush what they still hold. No \
    state is kept unless --state names a folder, which then belongs to replays alone.
    """

  private enum Way {
    case none
    case recording(Recordings)
    case replaying(Recordings)
  }

  private let way: Way
  private let isSimulated: Bool

  init(_ arguments: Arguments, _ plans: [Plan]) throws(WrongUse) {
    isSimulated = arguments.has(RunSky.sky)
    let folders = (arguments.text(Self.record), arguments.text(Self.replay))
    switch folders {
    case (nil, nil): way = .none
    case (_?, _?):
      throw WrongUse("--record cannot be combined with --replay: a replay is recorded already")
    case (let folder?, nil):
      let recordings = Recordings(folder: folder)
      try Self.checkRecorded(plans, recordings, isSimulated: isSimulated)
      way = .recording(recordings)
    case (nil, let given?):
      try Self.checkAlone(arguments)
      let recordings = Recordings(folder: Self.found(given, beside: plans))
      for plan in plans { try Self.checkReplayed(plan, recordings, by: "--replay") }
      way = .replaying(recordings)
    }
  }

  /// Replaces sources by their recordings, or records them.
  func install(in options: inout RunOptions, masking secrets: Secrets) {
    switch way {
    case .none: break
    case .recording(let recordings):
      recordings.record(in: &options, isSimulated: isSimulated) { secrets.masked($0) }
    case .replaying(let recordings):
      recordings.replay(in: &options) { secrets.masked($0) }
      // Time does not pass while a file is waited for.
      options.isOnce = true
    }
  }

  /// Whether the pipelines run in virtual time; all of them do, or none.
  func isVirtual(_ plans: [Plan]) throws(WrongUse) -> Bool {
    if case .replaying = way { return true }
    let virtual = plans.filter { $0.sources.contains(where: \.isScript) }
    let others = plans.filter { !$0.sources.contains(where: \.isScript) }
    if let recorded = virtual.first?.path, let live = others.first?.path {
      throw WrongUse("\(recorded) runs in virtual time, and \(live) does not; run them separately")
    }
    return !virtual.isEmpty
  }

  /// Reports the sources that are not recorded.
  func report(_ plans: [Plan], to log: Log) {
    guard case .recording = way else { return }
    for plan in plans {
      for source in plan.sources where !source.isPolled {
        NodeLog(log: log, pipeline: plan.name, node: source.name)
          .notice("not recorded: \(source.spec.kind) is read, not polled")
      }
    }
  }

  /// The folder of a recording: where it is named, or else next to a pipeline, as with those that are installed.
  private static func found(_ folder: String, beside plans: [Plan]) -> String {
    if folder.hasPrefix("/") || access(folder, R_OK) == 0 { return folder }
    let beside = plans.map { $0.path.split(separator: "/", omittingEmptySubsequences: false).dropLast() }
      .map { ($0 + [folder[...]]).joined(separator: "/") }
    return beside.first { access($0, R_OK) == 0 } ?? folder
  }

  // MARK: - What makes no sense

  private static func checkAlone(_ arguments: Arguments) throws(WrongUse) {
    let others = [
      (RunOption.once, "it is over when the recording is"),
      (RunWeb.refresh, "it sends no requests"),
      (RunWeb.waitBudget, "it sends no requests"),
    ]
    for (option, why) in others where arguments.has(option) {
      throw WrongUse("--replay cannot be combined with --\(option.name); leave out --\(option.name): \(why)")
    }
  }

  private static func checkRecorded(
    _ plans: [Plan], _ recordings: Recordings, isSimulated: Bool
  ) throws(WrongUse) {
    var owners: [String: Plan] = [:]
    for plan in plans {
      for source in plan.sources where source.isPolled {
        if recordings.path(of: source.name) == recordings.lookupsPath {
          throw WrongUse(
            "\(plan.path) has a source called \(quoted(source.name)), which is what the recording of lookups is called; "
              + "give it another name")
        }
        // Real and simulated polls in one recording would replay as news that never was.
        if let recorded = recordings.isSimulated(source.name), recorded != isSimulated {
          throw WrongUse(
            "\(recordings.path(of: source.name)) holds \(recorded ? "simulated" : "real") polls, and this run's are "
              + "\(isSimulated ? "simulated" : "real"); name another folder with --record")
        }
        guard let other = owners.updateValue(plan, forKey: recordings.path(of: source.name)) else { continue }
        throw WrongUse(
          "\(other.path) and \(plan.path) both have a source whose recording would be "
            + "\(recordings.path(of: source.name)); record them apart, or give one another name")
      }
    }
    if owners.isEmpty { throw WrongUse("--record: there is no source that is polled, so nothing to record") }
  }

  static func checkReplayed(
    _ plan: Plan, _ recordings: Recordings, by option: String
  ) throws(WrongUse) {
    let sources = plan.sources.filter { if case .poll = $0.spec.role { true } else { false } }
    if sources.isEmpty, !plan.sources.contains(where: \.isScript) {
      throw WrongUse("\(option): \(plan.path) has no source that is polled, so nothing to replay")
    }
    for source in sources where access(recordings.path(of: source.name), R_OK) != 0 {
      let reason = Terminal.lastError
      if !source.isPolled {
        throw WrongUse(
          "--replay: \(plan.path) has a source that reads on (\(source.name)); its events are not recorded, so the "
            + "pipeline cannot be replayed")
      }
      throw WrongUse(
        "there is no recording of \(quoted(source.name)): \(recordings.path(of: source.name)): \(reason); "
          + recorded(in: recordings.folder))
    }
  }

  private static func recorded(in folder: String) -> String {
    let names = Recordings(folder: folder).sources
    if names.isEmpty { return "there is no recording in \(folder); --record FOLDER makes one" }
    return "\(folder) has those of \(names.map { quoted($0) }.joined(separator: ", "))"
  }
}
