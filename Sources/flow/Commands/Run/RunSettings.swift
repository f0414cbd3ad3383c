import Engine
import Glibc
import Language

/// The settings of a run, read from the arguments of `flow run` before anything is opened.
struct RunSettings {
  let arguments: Arguments
  /// Nil if no state is kept.
  let state: RunState?
  /// Nil unless several machines run the pipelines.
  let cluster: RunCluster?
  let isOnce: Bool
  let isDryRun: Bool
  /// The time after which the pipelines are stopped; nil for never.
  let time: Duration?
  /// The time limit of a shutdown.
  let grace: Duration
  /// On how many threads the tasks of a partition run.
  let lanes: Int
  let printsStatistics: Bool
  /// Whether the files of the pipelines are watched.
  let watches: Bool
  /// Whether states are opened one after the other: a damaged one is not reset in a run that does not start.
  let resetsCorrupt: Bool
  /// Whether messages are JSON.
  let isJSON: Bool
  let unmatched: UnmatchedSettings

  init(_ arguments: Arguments) throws(WrongUse) {
    self.arguments = arguments
    state = try RunState(arguments)
    cluster = try RunCluster(arguments)
    (isOnce, isDryRun) = (arguments.has(RunOption.once), arguments.has(RunOption.dryRun))
    time = try RunOption.duration(arguments.text(RunOption.time), RunOption.time)
    grace = try RunOption.duration(arguments.text(RunOption.grace), RunOption.grace) ?? .seconds(10)
    lanes =
      try arguments.number(RunOption.lanes, in: 1...32)
      ?? max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) - 1)
    printsStatistics = arguments.has(RunOption.stats)
    watches = arguments.has(RunOption.watch)
    resetsCorrupt = arguments.has(RunState.reset)
    isJSON = RunLog.isJSON(arguments)
    unmatched = UnmatchedSettings(arguments)
    if arguments.has(RunMetrics.file), isDryRun {
      throw WrongUse("--metrics writes a file, and --dry-run writes none")
    }
  }

  /// The options of the engine as far as the arguments have them.
  func options(log: Log, screen: Screen) -> RunOptions {
    var options = RunOptions(world: .real, log: log, screen: screen)
    (options.isOnce, options.isDryRun) = (isOnce, isDryRun)
    (options.grace, options.lanes) = (grace, lanes)
    if let time { options.spreadPolls(within: time / 2) }
    if isOnce { options.world.diskPatience = DiskPatience(RunOption.patience) }
    return options
  }
}
