import JSON
import Pipeline

/// `file`: the values in files, once or for as long as they grow.
let file = NodeSpec(
  "file", "read JSON values from files: lines, one array, or values in a row",
  details: """
    What is compressed with gzip is unpacked. A line that is not JSON is reported and passed over. With follow, the \
    file is read on as it grows, through rotation and truncation, as tail -F does; it need not be there yet.
    """,
  options: AnyOption.list(
    FileOptions.path, FileOptions.format, FileOptions.follow, FileOptions.from, FileOptions.maxValue),
  shorthand: "path",
  examples: [
    .init("a file", "file: launches.jsonl"),
    .init("all of a folder", "file: { path: [\"archive/*.jsonl.gz\", today.jsonl], format: lines }"),
    .init("a log that grows", "file: { path: /var/log/app.jsonl, follow: true, from: end }"),
    .init("long lines", "file: { path: dump.json, max_value: 64MiB }"),
  ],
  check: { options, checker in
    let paths = options[FileOptions.path]
    if options[FileOptions.follow], paths.count != 1 || paths.contains(where: Glob.isPattern) {
      checker.report(
        "one file can be followed, and this names several", at: options.place(of: FileOptions.path),
        hint: "give each file a source of its own")
    }
    if !options[FileOptions.follow], options.isGiven(FileOptions.from) {
      checker.report("from is for a file that is followed", at: options.place(of: FileOptions.from))
    }
  },
  .stream { options, context in FileSource(options, context) })

private enum FileOptions {
  enum From: String, CaseIterable, Sendable { case beginning, end }

  static let path = Option.required(
    "path", .list(of: .path, count: 1...), "the file, or a list of files; *, ? and [a-z] stand for many",
    example: "launches.jsonl")
  static let format = Option(
    "format", OptionType<TextFormat>.choice(), default: "auto",
    "how values stand in the file: one a line, in one array, or in a row")
  static let follow = Option("follow", .boolean, default: "false", "whether to wait for more at the end")
  static let from = Option(
    "from", OptionType<From>.choice(), default: "beginning", "where following begins")
  static let maxValue = Option(
    "max_value", .size, default: "16MiB", "a longer line or value is reported and passed over")
}

private final class FileSource: StreamSource {
  private let options: Options
  private let context: SourceContext
  private let limits: ReadLimits
  private let desk: BadTextDesk

  private struct NothingFound: Error, CustomStringConvertible {
    let patterns: [String]
    var description: String { "no file is called \(alternatives(patterns))" }
  }

  init(_ options: Options, _ context: SourceContext) {
    self.options = options
    self.context = context
    limits = ReadLimits(value: options[FileOptions.maxValue])
    desk = BadTextDesk(context)
  }

  func run(_ feed: Feed) throws {
    defer { desk.summarize() }
    let paths = options[FileOptions.path]
    if options[FileOptions.follow], !context.isOnce, let path = paths.first { return try follow(path, feed) }
    let files = try paths.flatMap { try Glob.expand($0) }
    if files.isEmpty { throw NothingFound(patterns: paths) }
    var failure: (any Error)?
    for path in files where !feed.isStopped {
      // One file that cannot be read is no reason to leave the others out.
      do { try read(path, feed) } catch {
        if failure != nil { context.log.error("\(error)") }
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private func read(_ path: String, _ feed: Feed) throws {
    let reader = ValueReader(
      try StoppableInput(path, context.stop), path: path, format: options[FileOptions.format],
      limits: limits, report: desk.report)
    while case let values = try reader.nextBatch(), !values.isEmpty, !feed.isStopped { feed.send(values) }
  }

  private func follow(_ path: String, _ feed: Feed) throws {
    let file = FollowedFile(
      path, from: options[FileOptions.from] == .end ? .end : .beginning, stop: context.stop, limits: limits,
      report: desk.report
    ) { [log = context.log] change in
      switch change {
      case .missing: log.notice("\(path) is not there yet; waiting for it")
      case .begun: log.detail("\(path) is read from its beginning")
      case .gone: log.notice("\(path) is gone; waiting for another")
      case .unreadable(let reason): log.warning("\(path): \(reason); waiting until it can be read")
      case .truncated: log.notice("\(path) has become shorter; it is read from its beginning")
      }
    }
    while case let values = try file.nextBatch(), !values.isEmpty { feed.send(values) }
  }
}
