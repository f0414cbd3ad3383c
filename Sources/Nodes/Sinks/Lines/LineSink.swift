import Delivery
import Engine
import JSON
import Language
import Reactive
import Store
import System

/// A sink that appends lines to files, each exactly once where the pipeline has state: `jsonl` and `csv`.
final class LineSink: KeepingSink {
  /// The prefix of the keys under which file marks are stored.
  private static let markPrefix = "file:"

  private let context: SinkContext
  private let path: OutputPath
  private let files: LineFiles
  private let format: any LineFormat
  /// The buffer of the only file, if the path is fixed.
  private var single: LineFiles.File?
  private var isFinished = false

  init(
    _ path: PathTemplate, _ format: any LineFormat, _ rotation: Rotation, mode: UInt32, maxOpen: Int,
    _ context: SinkContext
  ) throws {
    self.context = context
    self.format = format
    self.path = try OutputPath(path, context)
    let constant = self.path.constant
    files = LineFiles(
      rotation, AppendFile.Options(mode: mode, followsLinks: constant != nil, isClaimed: true),
      header: format.header, limit: maxOpen, context, keepsMarks: context.outbox != nil)
    for (path, mark) in try context.outbox?.notes(beginning: Self.markPrefix) ?? [] {
      if let mark = FileMark(jsonValue: mark) { files.resume(path, at: mark) }
    }
    // An invalid path is reported before any input is read. A full disk, or a pipe without a reader, is waited for on
    // the lane, where a stop is noticed and other pipelines are not blocked.
    if let constant, !context.isDryRun {
      do { single = try files.file(constant) } catch let failure as FileFailure where failure.mayBeAwaited {}
    }
  }

  func take(_ event: Event) throws {
    if context.isDryRun { return try show(event) }
    // An impossible path is an error of the event; a failing disk is not.
    try format.write(event, to: (single ?? opened(path.path(for: event))).lines)
  }

  private func opened(_ path: String) throws -> LineFile {
    do { return try files.file(path, waitingFor: { !$0.isOfName }) } catch let failure as FileFailure {
      if !failure.isOfName { context.outbox?.breakOff() }
      throw failure
    }
  }

  func endTurn() throws { try orBreakOff { try handOver() } }

  /// Runs an action that writes; if the end of the run cuts it off, nothing more is stored, as after a kill.
  ///
  /// The next run would not write again what a later commit has passed.
  private func orBreakOff(_ write: () throws -> Void) throws {
    do { try write() } catch {
      context.outbox?.breakOff()
      throw error
    }
  }

  private func handOver() throws {
    try files.prepare()
    guard let outbox = context.outbox else { return try files.write() }
    // Previously written lines are compared before the next commit: files that were set aside or rotated since are
    // found by the earlier marks.
    if outbox.isRegenerating { return try writeMarked() }
    if outbox.isInRepeatableEpoch, !files.needsMarks { return try files.write() }
    store(files.takeLines(), outbox)
    // A new file must have a mark before it is written to.
    if outbox.isInRepeatableEpoch { outbox.endEpoch() }
  }

  /// Writes the lines of files with marks, and stores the others with the present epoch.
  private func writeMarked() throws {
    guard let outbox = context.outbox else { return try files.write() }
    try files.write(onlyMarked: true)
    store(files.takeLines(unmarkedOnly: true), outbox)
  }

  private func store(_ lines: [(path: String, lines: [UInt8])], _ outbox: Outbox) {
    for (path, lines) in lines { outbox.put(Value.string(path).json + [0x0a] + lines) }
  }

  func finish(by deadline: Instant) throws {
    isFinished = true
    if context.outbox != nil { return }
    try files.write()
    files.close()
  }

  private func show(_ event: Event) throws {
    let start = Array("\(printable(try path.path(for: event))): ".utf8)
    try context.screen.write(start + (try format.shown(event, on: context.screen)) + [UInt8(ascii: "\n")])
  }

  // MARK: - Commits

  func recover(_ entries: [OutboxEntry]) throws {
    try orBreakOff { try write(entries) { try writeMarked() } }
  }

  var hasUncommittedTail: Bool { files.isComparingTail }

  func endReplay() throws {
    try orBreakOff { if try files.endReplay() > 0 { context.outbox?.renewIDs() } }
  }

  func willCommit() throws {
    for (path, mark) in try files.marks(synced: context.syncs) {
      context.outbox?.setNote(mark.jsonValue, Self.markPrefix + path)
    }
    for path in files.takeExcessMarks() { context.outbox?.setNote(nil, Self.markPrefix + path) }
  }

  func didCommit(_ entries: [OutboxEntry]) throws {
    files.marksAreKept()
    try orBreakOff { try write(entries) { try files.write() } }
    if isFinished { files.close() }
  }

  /// An entry consists of a line with the path as JSON, followed by the lines for that file.
  private func write(_ entries: [OutboxEntry], by action: () throws -> Void) throws {
    guard let last = entries.last else { return }
    for entry in entries {
      guard let end = entry.bytes.firstIndex(of: 0x0a),
        let path = try? Value.parse(Array(entry.bytes[..<end])).string
      else {
        context.log.error(
          "entry \(entry.place.epoch) in the state is not one of this sink; it is skipped")
        continue
      }
      try files.append(Array(entry.bytes[(end + 1)...]), to: path, areCommitted: true)
    }
    try action()
    crashPoint("jsonl.entries written")
    context.outbox?.markWritten(through: last.place)
  }
}

/// The format of the lines of a sink.
protocol LineFormat: AnyObject {
  /// The first line of each file, whole.
  var header: [UInt8]? { get }
  /// Writes one line, whole; nothing where it throws.
  func write(_ event: Event, to output: Output) throws
  /// The line that a dry run shows, without its end.
  func shown(_ event: Event, on screen: Screen) throws -> [UInt8]
}
