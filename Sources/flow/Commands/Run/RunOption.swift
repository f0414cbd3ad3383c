import Language

/// The options of `flow run` that no part of it declares, and those that several parts read.
enum RunOption {
  static let once = CommandOption(
    "once", .flag,
    "poll each source once, read files as they are, and end; a full disk is waited for a minute")
  /// How long a run with `--once` waits for room for its files and its state: the next one goes on, from cron say.
  static let patience = Duration.seconds(60)
  static let dryRun = CommandOption("dry-run", .flag, "print what each sink would receive, and write nothing")
  static let time = CommandOption(
    "for", .value("TIME"), "shut down after this time, as in 45s or 2h")
  static let stats = CommandOption("stats", .flag, "print the counters of each node at the end")
  static let watch = CommandOption("watch", .flag, "reload pipelines whose files change")
  static let lanes = CommandOption(
    "lanes", .value("N"), "run the tasks of a partition on N threads (default: the number of cores minus one)"
  )
  static let grace = CommandOption("grace", .value("TIME"), "the time limit of a shutdown (10s)")

  static func duration(_ text: String?, _ option: CommandOption) throws(WrongUse) -> Duration? {
    guard let text else { return nil }
    do throws(TextError) { return try DurationText.parse(text) } catch {
      throw WrongUse("--\(option.name): \(error.message)\(error.hint.map { "; \($0)" } ?? "")")
    }
  }
}
