import Delivery
import Decode
import System
import Glibc
import JSON
import Engine
import Language

/// `file`: reads the values in files, once or while they grow.
package let file = NodeSpec(
  "file", "read files: JSON, CSV, text or another format",
  reference: .init(PackageResources.file_md),
  options: AnyOption.list(
    FileOptions.path, Decoding.option, FileOptions.follow, FileOptions.from, FileOptions.maxValue),
  shorthand: "path", isRepeatable: true,
  check: { options, checker in
    let paths = options[FileOptions.path]
    if options[FileOptions.follow], paths.count != 1 || paths.contains(where: Glob.isPattern) {
      checker.report(
        "follow works with one file, and path names several", at: options.place(of: FileOptions.path),
        hint: "add a source for each file")
    }
    if options[FileOptions.follow], let flaw = options[Decoding.option].followFlaw {
      checker.report(flaw, at: options.place(of: Decoding.option), hint: "remove decode or follow")
    }
    if !options[FileOptions.follow], options.isGiven(FileOptions.from) {
      checker.report("from has no effect without follow", at: options.place(of: FileOptions.from))
    }
  },
  .stream { options, context in FileSource(options, context) }
).hintingAtPolls("a file that is rewritten is polled by a command: exec: { command: [cat, PATH] }")

private enum FileOptions {
  enum From: String, CaseIterable, Sendable { case beginning, end }

  static let path = Option.required(
    "path", .list(of: .path, count: 1...),
    "the file or a list of files; *, ? and [a-z] are wildcards, except in the name of a file that exists",
    example: "launches.jsonl")
  static let follow = Option("follow", .boolean, default: "false", "whether to wait at the end for more data")
  static let from = Option(
    "from", OptionType<From>.choice(), default: "beginning", "where to begin following")
  static let maxValue = Option(
    "max_value", .size, default: "16MiB", "longer lines, values and documents are reported and skipped")
}

private final class FileSource: StreamSource {
  private let options: Options
  private let context: SourceContext
  private let limits: ReadLimits
  private let reporter: ParseErrorReporter
  private let progress: ReadingProgress

  init(_ options: Options, _ context: SourceContext) {
    self.options = options
    self.context = context
    limits = ReadLimits(value: options[FileOptions.maxValue])
    reporter = ParseErrorReporter(context)
    progress = ReadingProgress(context)
  }

  func run(_ feed: Feed) throws {
    defer {
      progress.end()
      reporter.summarize()
    }
    let paths = options[FileOptions.path]
    if options[FileOptions.follow], let path = paths.first { return try follow(path, feed) }
    let files = try paths.flatMap { try Glob.expand($0) }
    if files.isEmpty { throw Sentence("no file matches \(alternatives(paths))") }
    let (first, position) = resumption(among: files)
    var failure: (any Error)?
    for (index, path) in files.enumerated().dropFirst(first) where !feed.isStopped {
      progress.begin(path, index + 1, of: files.count)
      // A file that cannot be read must not keep the others from being read.
      do { try read(path, from: index == first ? position : nil, feed) } catch {
        if failure != nil { context.log.error("\(error)") }
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// The file at which the last run stopped, by its index, and the position in it.
  private func resumption(among files: [String]) -> (first: Int, position: ReadPosition?) {
    guard let position = ReadPosition(context.position) else { return (0, nil) }
    if let same = files.firstIndex(where: position.isOf) {
      context.log.detail("\(files[same]) is resumed at byte \(position.offset)")
      return (same, position)
    }
    context.log.notice(
      "\(position.path), which the last run did not read to its end, has been removed or replaced")
    return (files.firstIndex(of: position.path) ?? 0, nil)
  }

  private func read(
    _ path: String, from start: ReadPosition?, isFollowed: Bool = false, isGrowing: Bool = false, _ feed: Feed
  ) throws {
    let input = try StoppableInput(path, context.stop, at: start?.offset ?? 0)
    let decoding = context.decoding(options).resumed(as: start?.format)
    let reader = ValueReader(
      input, path: path, decoding, position: start?.offset ?? 0,
      lines: start?.lines ?? 0, limits: limits, leavesUnfinishedLine: isGrowing, report: reporter.report)
    var passing = start?.values ?? 0
    var given = passing
    while case let values = try reader.nextBatch(), !values.isEmpty, !feed.isStopped {
      progress.note { input.extent }
      let rest = values.passing(over: &passing)
      given += rest.count
      guard feed.storesPositions, let identity = input.identity else {
        feed.send(rest)
        continue
      }
      var position = ReadPosition(path: path, identity: identity)
      position.fingerprint = input.fingerprint
      position.format = reader.foundFormat
      position.isFollowed = isFollowed
      // A converted text has other offsets than the file.
      if !position.format.beginsAnywhere || reader.isConverted {
        position.offset = start?.offset ?? 0
        position.values = given
      } else {
        (position.offset, position.values) = reader.position
        position.lines = reader.lines
      }
      feed.send(rest, position: position.value)
    }
  }

  private func follow(_ path: String, _ feed: Feed) throws {
    let position = ReadPosition(context.position)
    var start = FileFollower.Start.beginning
    var passing = 0
    var startsAtEnd = false
    if let position {
      start = .offset(position.offset, of: position.identity, position.fingerprint)
      passing = position.values
    } else if options[FileOptions.from] == .end, let identity = FileIdentity(at: path) {
      // Stored before anything is read, so that data written between two runs is not missed.
      var end = ReadPosition(path: path, identity: identity)
      end.offset = sizeOfFile(path)
      end.fingerprint = FileFingerprint(path, upTo: end.offset)
      end.isFollowed = true
      start = .offset(end.offset)
      startsAtEnd = true
      if feed.storesPositions { feed.send([], position: end.value) }
    }
    if context.isOnce { return try readOnce(path, from: position, startsAtEnd: startsAtEnd, feed) }
    let file = FollowedFile(
      path, options[Decoding.option], from: start, cut: position?.cut ?? [], stop: context.stop,
      limits: limits, report: reporter.report
    ) { [log = context.log] change in
      switch change {
      case .missing: log.notice("\(path) does not exist yet; waiting for it")
      case .replaced: log.notice(Self.replaced(path))
      case .begun: log.detail("\(path) is read from its beginning")
      case .gone: log.notice("\(path) was removed; waiting for a new one")
      case .unreadable(let reason): log.warning("\(path): \(reason); waiting until it can be read")
      case .truncated: log.notice("\(path) was truncated; it is read from its beginning")
      case .copied(let name):
        log.notice(
          "\(name) is a copy of what was read before \(path) was truncated; only what it has beyond that is read"
        )
      }
    } caughtUp: { [progress, log = context.log] in
      progress.end()
      feed.sayCaughtUp()
      if FileIdentity(at: path) != nil { log.notice("\(path) is read to its end; waiting for more") }
    }
    while case let values = try file.nextBatch(), !values.isEmpty {
      progress.note { (file.position.offset, sizeOfFile(path)) }
      let rest = values.passing(over: &passing)
      guard feed.storesPositions, let identity = file.identity else {
        feed.send(rest)
        continue
      }
      var position = ReadPosition(path: path, identity: identity)
      (position.offset, position.values) = file.position
      position.fingerprint = file.fingerprint
      position.isFollowed = true
      position.cut = file.cut
      feed.send(rest, position: position.value)
    }
  }

  /// Reads a followed file to its present end, for a run that does not wait for more.
  private func readOnce(
    _ path: String, from position: ReadPosition?, startsAtEnd: Bool, _ feed: Feed
  ) throws {
    guard let position else {
      // The rest is for the next run, which finds the position.
      if feed.storesPositions, startsAtEnd { return }
      return try read(path, from: nil, isFollowed: true, isGrowing: true, feed)
    }
    let found = FileIdentity(at: path)
    if found != position.identity { try readRotated(path, from: position, isMissing: found == nil, feed) }
    do {
      if found == position.identity, position.isUnchanged(path) {
        return try read(path, from: position, isFollowed: true, isGrowing: true, feed)
      }
      if found == position.identity { noteReplaced(path) }
      try read(path, from: nil, isFollowed: true, isGrowing: true, feed)
    } catch let error as FileFailure where error.code == ENOENT {
      // It was there in the last run: a rotation has moved it, and nothing has been written since.
      context.log.notice("\(path) does not exist at the moment; the next run reads it")
    }
  }

  private func noteReplaced(_ path: String) { context.log.notice(Self.replaced(path)) }

  private static func replaced(_ path: String) -> String {
    "\(path) was replaced or overwritten since the last run; it is read from its beginning"
  }

  /// Reads what the last run did not read of a file that was rotated since, and of the files after it.
  private func readRotated(
    _ path: String, from position: ReadPosition, isMissing: Bool, _ feed: Feed
  ) throws {
    let old = (1...99).map { "\(path).\($0)" }
    guard let place = old.firstIndex(where: position.isOf) else {
      if !isMissing { noteReplaced(path) }
      return
    }
    for number in stride(from: place, through: 0, by: -1) where FileIdentity(at: old[number]) != nil {
      try read(old[number], from: number == place ? position : nil, isFollowed: true, feed)
    }
  }
}

private func sizeOfFile(_ path: String) -> Int {
  var status = stat()
  return stat(path, &status) == 0 ? Int(status.st_size) : 0
}
